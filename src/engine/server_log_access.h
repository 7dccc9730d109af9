#pragma once

#include "engine/engine.h"
#include "storage/transaction.h"

namespace basalt
{

// A transaction of the server's log.
std::unique_ptr<Transaction> begin_transaction(Engine& engine);

// Makes the storage engines known to the catalog.
void register_engines(Engine& engine);

} // namespace basalt
