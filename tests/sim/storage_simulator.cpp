// storage_simulator --seeds N [--first S] [--steps M] [--processes P] [--damage] [--trace]: lives of a server on a disk that
// fails, one for each seed, judged by a plain model; --damage ends each with flipped bits, lost files or
// a folder that is away. Exit code 1 and the seed with its trace at the
// first life that goes wrong.

#include "simulation.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

unsigned long long current_seed = 0;

// An assertion or a crash must tell the seed too.
void tell_seed(int signal)
{
    char text[600];
    const int length = std::snprintf(text, sizeof text, "\nseed %llu: signal %d after: %s\n",
                                     current_seed, signal, basalt::sim::Simulation::last_line());
    if (length > 0)
        (void)!write(2, text, static_cast<size_t>(length));
    _exit(1);
}

// Starts a process for each share of the seeds. Returns 0 in the parent, in a child the share's size.
unsigned long long take_share(unsigned long long& first, unsigned long long& seeds,
                              unsigned long long processes)
{
    for (unsigned long long i = 0; i < processes; ++i)
    {
        const unsigned long long begin = seeds * i / processes, end = seeds * (i + 1) / processes;
        if (begin == end)
            continue;
        const pid_t child = fork();
        if (child < 0)
        {
            std::perror("fork");
            _exit(1);
        }
        if (child == 0)
        {
            first += begin;
            return seeds = end - begin;
        }
    }
    return 0;
}

int wait_for_shares()
{
    int failed = 0, status = 0;
    while (wait(&status) > 0)
        failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    return failed;
}

} // namespace

int main(int argc, char** argv)
{
    using namespace basalt::sim;
    unsigned long long first = 1, seeds = 100, steps = 60, processes = 1;
    bool with_trace = false, with_damage = false;
    for (int i = 1; i < argc; ++i)
    {
        const auto number = [&](unsigned long long& into)
        {
            if (i + 1 < argc)
                into = std::strtoull(argv[++i], nullptr, 10);
        };
        if (!std::strcmp(argv[i], "--seeds"))
            number(seeds);
        else if (!std::strcmp(argv[i], "--first"))
            number(first);
        else if (!std::strcmp(argv[i], "--steps"))
            number(steps);
        else if (!std::strcmp(argv[i], "--processes"))
            number(processes);
        else if (!std::strcmp(argv[i], "--trace"))
            with_trace = true;
        else if (!std::strcmp(argv[i], "--damage"))
            with_damage = true;
        else
        {
            std::fprintf(stderr, "usage: %s [--seeds N] [--first S] [--steps M] [--processes P] [--damage] [--trace]\n",
                         argv[0]);
            return 2;
        }
    }
    if (processes > 1 && take_share(first, seeds, processes) == 0)
        return wait_for_shares();
    constexpr unsigned kLongestSeed_s = 20;
    std::signal(SIGABRT, tell_seed);
    std::signal(SIGALRM, tell_seed);
    if (!std::getenv("BASALT_NO_HANDLER"))
        std::signal(SIGSEGV, tell_seed);
    Statistics statistics;
    const auto started = std::chrono::steady_clock::now();
    for (current_seed = first; current_seed < first + seeds; ++current_seed)
    {
        alarm(kLongestSeed_s);
        Simulation simulation(current_seed, steps, with_damage, statistics);
        std::string failure;
        try
        {
            simulation.run();
        }
        catch (const std::exception& error)
        {
            failure = error.what();
        }
        if (with_trace || !failure.empty())
            for (const auto& line : simulation.trace())
                std::printf("%.*s\n", with_trace ? 1 << 20 : 300, line.c_str());
        if (!failure.empty())
        {
            std::printf("\nseed %llu: %s\nagain: %s --first %llu --seeds 1 --steps %llu\n",
                        current_seed, failure.c_str(), argv[0], current_seed, steps);
            return 1;
        }
    }
    const double took_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    std::printf("%llu seeds, %llu statements, %llu of them failed by a fault, %llu power cuts, "
                "%llu restarts, %llu rows judged, %llu damages (%llu noticed), %.1f s, %.1f seeds/s\n",
                seeds, static_cast<unsigned long long>(statistics.statements),
                static_cast<unsigned long long>(statistics.faults),
                static_cast<unsigned long long>(statistics.power_cuts),
                static_cast<unsigned long long>(statistics.restarts),
                static_cast<unsigned long long>(statistics.rows_judged),
                static_cast<unsigned long long>(statistics.bit_flips),
                static_cast<unsigned long long>(statistics.flips_noticed), took_s,
                static_cast<double>(seeds) / took_s);
    return 0;
}
