// basalt bench: which benchmark, against which servers.

#include "programs/programs.h"

#include "base/error.h"
#include "io/file_system.h"
#include "io/process.h"
#include "programs/bench/clients.h"
#include "programs/bench/embedded.h"
#include "programs/bench/k8s_logs.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fmt/format.h>

namespace basalt
{

using namespace bench;

int bench_main(int argc, char** argv)
{
    K8sOptions options;
    std::string url, path, report;
    std::vector<std::string> against;
    bool no_codecs = false;

    CLI::App app("Measurements that anyone can repeat", "basalt bench");
    app.require_subcommand(1);
    auto* k8s = app.add_subcommand("k8s-logs", "100 million Kubernetes log rows and five questions");
    k8s->add_option("--rows", options.rows)->capture_default_str();
    k8s->add_option("--runs", options.runs, "warm runs of each query")->capture_default_str();
    auto* url_option = k8s->add_option("--url", url, "server to measure, http://host:port");
    k8s->add_option("--path", path, "measure an embedded server on this data folder")
        ->excludes(url_option);
    k8s->add_option("--against", against, "rival: a URL or chdb; may be repeated")
        ->allow_extra_args(false);
    k8s->add_option("--report", report, "folder for report.html, samples.jsonl, queries.sql");
    k8s->add_flag("--keep", options.keep, "use tables of an earlier run");
    k8s->add_flag("--no-codecs", no_codecs, "leave the LZ4 and ZSTD(3) tables out");
    k8s->add_option("--node-per-hour", options.node_per_hour)->capture_default_str();
    k8s->add_option("--volume-per-gb-month", options.volume_per_gb_month)->capture_default_str();
    k8s->add_option("--volume-gib", options.volume_gib)->capture_default_str();
    k8s->add_option("--rows-per-day", options.rows_per_day)->capture_default_str();
    k8s->add_option("--days", options.days)->capture_default_str();
    ClientsOptions clients;
    auto* many = app.add_subcommand("clients", "many clients that insert small batches for a while");
    many->add_option("--url", clients.url, "server, http://host:port")->capture_default_str();
    many->add_option("--table", clients.table)->capture_default_str();
    many->add_option("--clients", clients.clients)->capture_default_str();
    many->add_option("--rows", clients.rows, "rows of a batch")->capture_default_str();
    many->add_option("--interval-ms", clients.interval_ms)->capture_default_str();
    many->add_option("--seconds", clients.seconds)->capture_default_str();
    many->add_option("--settings", clients.settings, "of each INSERT: name=value,name=value");
    many->add_flag("--resend", clients.resend, "send a batch until it is acknowledged");
    try
    {
        app.parse(argc, argv);
    }
    catch (const CLI::ParseError& error)
    {
        return app.exit(error);
    }
    if (many->parsed())
        return run_clients(clients);
    options.codecs = !no_codecs;
    if (options.rows == 0)
        throw Error(error_codes::BAD_ARGUMENTS, "--rows must be positive");

    std::unique_ptr<EmbeddedServer> embedded;
    if (url.empty())
    {
        embedded = std::make_unique<EmbeddedServer>(path.empty() ? "./basalt-bench" : path);
        url = embedded->url();
    }
    std::vector<std::unique_ptr<PeerServer>> peers;
    std::vector<std::pair<std::string, std::string>> servers = {{"basalt", url}};
    if (!embedded)
        servers[0].first = "server";
    for (const auto& rival : against)
    {
        if (rival == "chdb")
        {
            peers.push_back(std::make_unique<PeerServer>());
            servers.emplace_back("clickhouse", peers.back()->url());
        }
        else if (rival == "duckdb")
            throw Error(error_codes::NOT_IMPLEMENTED, "--against duckdb is not built yet");
        else
            servers.emplace_back(fmt::format("rival{}", servers.size()), rival);
    }

    std::vector<std::unique_ptr<Target>> targets;
    for (const auto& [name, where] : servers)
        targets.push_back(std::make_unique<Target>(name, where));
    Transcript transcript;
    const std::vector<TargetFigures> figures = run_k8s_logs(targets, options, transcript);
    int result = 0;
    for (const auto& target : figures)
        if (target.exit_code)
            result = target.exit_code;
    for (const auto& line : disagreements(figures))
    {
        std::fprintf(stderr, "%s\n", line.c_str());
        result = 1;
    }
    print_figures(figures, options);
    if (!report.empty())
    {
        write_report(report, figures, options, transcript);
        std::printf("\nReport: %s/report.html\n", report.c_str());
    }
    return result;
}

} // namespace basalt
