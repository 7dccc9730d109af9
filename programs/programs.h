#pragma once

#include "base/error.h"

#include <string>
#include <vector>

namespace basalt
{

inline constexpr const char* kBasaltVersion = "0.1.0";

int server_main(int argc, char** argv);
int client_main(int argc, char** argv);
int local_main(int argc, char** argv);
int bench_main(int argc, char** argv);
int benchmark_main(int argc, char** argv);
int pg_main(int argc, char** argv);

// The error code modulo 256, never 0.
inline int exit_code_of(const Error& error)
{
    const int code = error.code() % 256;
    return code == 0 ? 1 : code;
}

// The arguments of a program without those that name a query setting (--max_threads=1,
// --max_threads 1), which are put into `settings`.
class Settings;
std::vector<std::string> take_settings(int argc, char** argv, Settings& settings);

} // namespace basalt
