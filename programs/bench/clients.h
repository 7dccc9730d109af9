#pragma once

// Many clients that each insert a small batch at a steady pace, as agents that ship logs do: time
// until each batch is acknowledged, and whether the table then holds what was acknowledged, once.

#include "base/int_types.h"

#include <string>

namespace basalt::bench
{

struct ClientsOptions
{
    std::string url = "http://127.0.0.1:8123";
    std::string table = "many_clients"; // made when it is not there
    uint32_t clients = 200;
    uint32_t rows = 512;           // of a batch
    uint32_t interval_ms = 1000;   // from one batch of a client to its next
    uint32_t seconds = 600;
    std::string settings;          // "name=value,name=value" of each INSERT
    // A batch without acknowledgement is sent again, with the same token, until there is one. False:
    // that is an error.
    bool resend = false;
};

// Prints one line of JSON. The exit code: 0 when nothing failed and the table holds each
// acknowledged row exactly once and nothing else.
int run_clients(const ClientsOptions& options);

} // namespace basalt::bench
