// basalt PROGRAM …: server, client, local, benchmark, bench, pg. A link named clickhouse-client (and the
// like) behaves as that program, one named clickhouse as ClickHouse's binary.

#include "programs/programs.h"

#include "base/error.h"
#include "engine/engine.h"

#include <cstdio>
#include <cstring>
#include <string>

// Read by jemalloc at its start. Blocks of more than 8 MiB are kept for reuse like smaller ones:
// columns of that size come and go all the time, and to give each back at once costs a page fault
// for every 4 KiB of the next. A thread of its own gives back what was not used for a while, also
// when nothing allocates any more.
extern "C" const char* malloc_conf;
const char* malloc_conf = "oversize_threshold:0,narenas:4,background_thread:true";

namespace
{

struct Program
{
    const char* name;
    int (*run)(int argc, char** argv);
    const char* what;
};

constexpr Program kPrograms[] = {
    {"server", basalt::server_main, "the database server"},
    {"client", basalt::client_main, "an interactive client, or one query by --query"},
    {"local", basalt::local_main, "queries without a server"},
    {"benchmark", basalt::benchmark_main, "queries against a running server, timed; compares two"},
    {"bench", basalt::bench_main, "measurements: basalt bench k8s-logs"},
    {"pg", basalt::pg_main, "PostgreSQL servers: make, run, back up, measure"},
};

int usage(std::FILE* to)
{
    std::fprintf(to, "basalt %s\n\nUsage: basalt PROGRAM [options]\n\n", basalt::kBasaltVersion);
    for (const auto& program : kPrograms)
        std::fprintf(to, "  %-10s %s\n", program.name, program.what);
    std::fprintf(to, "\nbasalt PROGRAM --help says what the options are.\n");
    return to == stdout ? 0 : 1;
}

// What a link named clickhouse-client, basalt-client or chc asks for; empty: the first argument says,
// also for a binary whose name only looks so (basalt-0.1).
std::string program_of_link(const std::string& name)
{
    for (const char* prefix : {"clickhouse-", "basalt-"})
        for (const auto& program : kPrograms)
            if (name == std::string(prefix) + program.name)
                return program.name;
    return name == "chc" ? "client" : name == "chl" ? "local" : "";
}

} // namespace

int main(int argc, char** argv)
{
    const char* slash = std::strrchr(argv[0], '/');
    const std::string called = slash ? slash + 1 : argv[0];
    std::string name = program_of_link(called);
    bool by_link = !name.empty();
    if (!by_link && argc > 1)
        name = argv[1];
    // `clickhouse -q …`: options without a program are those of clickhouse-local.
    if ((called == "clickhouse" || called == "ch") && (argc == 1 || argv[1][0] == '-') &&
        name != "--help")
    {
        name = "local";
        by_link = true;
    }
    if (name.empty())
        return usage(stderr);
    if (name == "--help" || name == "-h" || name == "help")
        return usage(stdout);
    // `clickhouse-client --version`, too.
    const char* first = argc > (by_link ? 1 : 2) ? argv[by_link ? 1 : 2] : "";
    if (name == "--version" || name == "-V" || std::strcmp(first, "--version") == 0 ||
        std::strcmp(first, "-V") == 0)
    {
        std::printf("basalt %s (ClickHouse %s compatible)\n", basalt::kBasaltVersion,
                    basalt::kServerVersion);
        return 0;
    }
    for (const auto& program : kPrograms)
    {
        if (name != program.name)
            continue;
        try
        {
            return by_link ? program.run(argc, argv) : program.run(argc - 1, argv + 1);
        }
        catch (const basalt::Error& error)
        {
            std::fprintf(stderr, "%s\n", error.full_text().c_str());
            return basalt::exit_code_of(error);
        }
        catch (const std::exception& error)
        {
            std::fprintf(stderr, "basalt: %s\n", error.what());
            return 1;
        }
    }
    std::fprintf(stderr, "basalt: there is no program '%s'\n\n", name.c_str());
    return usage(stderr);
}
