// basalt pg bench.

#include "programs/pg/commands.h"

#include <cstdio>

namespace basalt::pg
{

int bench_command(BenchOptions options, bool quick, const std::string& report_folder)
{
    if (quick)
    {
        // Everything the long form does, in a few minutes: the figures are rough.
        const BenchOptions whole;
        if (options.memory_bytes == whole.memory_bytes)
            options.memory_bytes = 512ull << 20;
        if (options.io_seconds == whole.io_seconds)
            options.io_seconds = 20;
        if (options.fit_seconds == whole.fit_seconds)
            options.fit_seconds = 10;
        if (options.warm_seconds == whole.warm_seconds)
            options.warm_seconds = 3;
        if (options.runs == whole.runs)
            options.runs = 1;
    }
    const BenchReport report = run_bench(options,
                                         [](const std::string& line)
                                         {
                                             std::fprintf(stderr, "%s\n", line.c_str());
                                         });
    std::fputs(bench_text(report).c_str(), stdout);
    if (!report_folder.empty())
    {
        write_bench_report(report_folder, report);
        std::printf("\nReport: %s/report.html\n", report_folder.c_str());
    }
    return 0;
}

} // namespace basalt::pg
