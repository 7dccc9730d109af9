#pragma once

#include "engine/engine.h"
#include "storage/transaction.h"

namespace basalt
{

// A transaction of the server's log.
std::unique_ptr<Transaction> begin_transaction(Engine& engine);

} // namespace basalt
