#include "programs/bench/k8s_logs.h"

#include "io/file_system.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace basalt::bench
{

namespace
{

std::string escape(const std::string& text)
{
    std::string out;
    for (const char c : text)
    {
        if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '&')
            out += "&amp;";
        else if (c == '"')
            out += "&quot;";
        else
            out.push_back(c);
    }
    return out;
}

std::string json_text(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text)
    {
        if (c == '"' || c == '\\')
            out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out.push_back(c);
    }
    return out + "\"";
}

constexpr const char* kColours[] = {"#2f6f9f", "#d08730", "#5a9a52", "#9a5aa0", "#a04848"};

// Every sample as a dot on a logarithmic axis of seconds, the median as a bar; a row per query and
// target.
std::string time_plot(const std::vector<TargetFigures>& targets, bool direct)
{
    struct Row
    {
        std::string label;
        size_t target;
        std::vector<double> samples;
        double median;
    };
    std::vector<Row> rows;
    double low = 1e9, high = 0;
    const size_t count = targets.empty() ? 0 : targets[0].queries.size() + 1;
    for (size_t q = 0; q < count; ++q)
        for (size_t t = 0; t < targets.size(); ++t)
        {
            if (q > targets[t].queries.size())
                continue;
            const bool last = q == targets[t].queries.size();
            const QueryFigures& query =
                last ? targets[t].lookup_with_index : targets[t].queries[q];
            Row row{query.name + " " + targets[t].name, t, {},
                    direct ? query.direct_median() : query.warm_median()};
            const auto& samples = direct ? query.direct : query.warm;
            for (size_t i = direct ? 0 : 1; i < samples.size(); ++i)
                row.samples.push_back(std::max(samples[i].seconds, 1e-5));
            for (const double s : row.samples)
            {
                low = std::min(low, s);
                high = std::max(high, s);
            }
            if (!row.samples.empty())
                rows.push_back(std::move(row));
        }
    if (rows.empty())
        return "";
    const double from = std::floor(std::log10(low)), to = std::ceil(std::log10(high * 1.001));
    const double left = 190, width = 620, line = 24;
    auto x = [&](double seconds)
    { return left + (std::log10(seconds) - from) / std::max(1.0, to - from) * width; };
    std::string svg = fmt::format("<svg viewBox='0 0 {:.0f} {:.0f}' role='img'>", left + width + 110,
                                  line * static_cast<double>(rows.size()) + 40);
    const double bottom = line * static_cast<double>(rows.size()) + 12;
    for (double power = from; power <= to; ++power)
    {
        const double at = x(std::pow(10, power));
        svg += fmt::format("<line x1='{0:.1f}' x2='{0:.1f}' y1='4' y2='{1:.1f}' class='grid'/>"
                           "<text x='{0:.1f}' y='{2:.1f}' text-anchor='middle'>{3}</text>",
                           at, bottom, bottom + 18, readable_seconds(std::pow(10, power)));
    }
    for (size_t i = 0; i < rows.size(); ++i)
    {
        const double y = 16 + line * static_cast<double>(i);
        const char* colour = kColours[rows[i].target % std::size(kColours)];
        svg += fmt::format("<text x='{:.0f}' y='{:.1f}' text-anchor='end'>{}</text>", left - 8,
                           y + 4, escape(rows[i].label));
        svg += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='12' fill='{}' "
                           "opacity='.35'/>",
                           left, y - 6, std::max(1.0, x(std::max(rows[i].median, 1e-5)) - left),
                           colour);
        for (const double s : rows[i].samples)
            svg += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='3.5' fill='{}'/>", x(s), y,
                               colour);
        const double widest =
            *std::max_element(rows[i].samples.begin(), rows[i].samples.end());
        svg += fmt::format("<text x='{:.1f}' y='{:.1f}'>{}</text>",
                           std::max(x(widest), x(std::max(rows[i].median, 1e-5))) + 8, y + 4,
                           readable_seconds(rows[i].median));
    }
    return svg + "</svg>";
}

std::string size_plot(const std::vector<TargetFigures>& targets)
{
    struct Row
    {
        std::string label;
        size_t target;
        const TableFigures* table;
    };
    std::vector<Row> rows;
    double widest = 1;
    for (size_t t = 0; t < targets.size(); ++t)
        for (const auto& table : targets[t].tables)
        {
            rows.push_back({targets[t].name + " " + table.codec, t, &table});
            widest = std::max(widest, static_cast<double>(table.bytes_on_disk));
        }
    const double left = 190, width = 620, line = 30;
    std::string svg = fmt::format("<svg viewBox='0 0 {:.0f} {:.0f}' role='img'>", left + width + 110,
                                  line * static_cast<double>(rows.size()) + 10);
    for (size_t i = 0; i < rows.size(); ++i)
    {
        const double y = 8 + line * static_cast<double>(i);
        svg += fmt::format("<text x='{:.0f}' y='{:.1f}' text-anchor='end'>{}</text>", left - 8,
                           y + 15, escape(rows[i].label));
        double at = left;
        size_t shade = 0;
        for (const auto& column : rows[i].table->columns)
        {
            const double w = static_cast<double>(column.compressed) / widest * width;
            svg += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='22' fill='{}' "
                               "opacity='{:.2f}'><title>{}: {}</title></rect>",
                               at, y, w, kColours[rows[i].target % std::size(kColours)],
                               0.95 - 0.1 * static_cast<double>(std::min<size_t>(shade, 7)),
                               escape(column.name),
                               readable_bytes(static_cast<double>(column.compressed)));
            if (w > 60)
                svg += fmt::format("<text x='{:.1f}' y='{:.1f}' class='in'>{}</text>", at + 5,
                                   y + 15, escape(column.name));
            at += w;
            ++shade;
        }
        svg += fmt::format("<text x='{:.1f}' y='{:.1f}'>{}</text>", at + 8, y + 15,
                           readable_bytes(static_cast<double>(rows[i].table->bytes_on_disk)));
    }
    return svg + "</svg>";
}

std::string query_table(const TargetFigures& target)
{
    std::string html = "<table><tr><th>query</th><th></th><th>direct</th><th>warm median</th>"
                       "<th>rows read</th><th>warm samples</th><th>answer (first line)</th></tr>";
    std::vector<const QueryFigures*> queries;
    for (const auto& query : target.queries)
        queries.push_back(&query);
    queries.push_back(&target.lookup_with_index);
    for (const auto* query : queries)
    {
        std::string samples, read = "-";
        for (const auto& sample : query->warm)
        {
            samples += readable_seconds(sample.seconds) + " ";
            if (sample.read_rows)
                read = fmt::format("{}", *sample.read_rows);
        }
        html += fmt::format("<tr><td>{}</td><td>{}</td><td class='n'>{}</td><td class='n'>{}</td>"
                            "<td class='n'>{}</td><td class='s'>{}</td><td>{}</td></tr>",
                            escape(query->name), escape(query->what),
                            readable_seconds(query->direct_median()),
                            readable_seconds(query->warm_median()), read,
                            query->error.empty() ? samples : escape(query->error),
                            query->warm.empty() ? "" : escape(first_line(query->warm[0].answer)));
    }
    return html + "</table>";
}

std::string column_table(const TableFigures& table, uint64_t rows)
{
    const std::string memory =
        table.load_memory
            ? ", peak memory " + readable_bytes(static_cast<double>(table.load_memory))
            : "";
    std::string html = fmt::format(
        "<h4>{} ({})</h4><p>{} in {} parts, {:.2f} bytes a row{}</p><table><tr><th>column</th>"
        "<th>compressed</th><th>uncompressed</th><th>ratio</th></tr>",
        escape(table.codec), escape(table.table),
        readable_bytes(static_cast<double>(table.bytes_on_disk)), table.parts,
        static_cast<double>(table.bytes_on_disk) / static_cast<double>(rows),
        table.load_s > 0 ? fmt::format("; loaded in {} ({:.0f} rows/s{})",
                                       readable_seconds(table.load_s),
                                       static_cast<double>(rows) / table.load_s,
                                       memory)
                         : "");
    for (const auto& column : table.columns)
        html += fmt::format(
            "<tr><td>{}</td><td class='n'>{}</td><td class='n'>{}</td><td class='n'>{:.2f}x</td>"
            "</tr>",
            escape(column.name), readable_bytes(static_cast<double>(column.compressed)),
            readable_bytes(static_cast<double>(column.uncompressed)),
            column.compressed ? static_cast<double>(column.uncompressed) /
                                    static_cast<double>(column.compressed)
                              : 0);
    return html + "</table>";
}

std::string cost_table(const std::vector<TargetFigures>& targets, const K8sOptions& options)
{
    std::string html = "<table><tr><th>server</th><th>codec</th><th>stored</th><th>volume of that "
                       "size, a month</th><th>fits the given volume</th></tr>";
    for (const auto& target : targets)
        for (const auto& table : target.tables)
        {
            const double gib = static_cast<double>(table.bytes_on_disk) /
                               static_cast<double>(options.rows) * options.rows_per_day *
                               options.days / (1 << 30);
            html += fmt::format("<tr><td>{}</td><td>{}</td><td class='n'>{:.1f} GiB</td><td "
                                "class='n'>{:.2f}</td><td>{}</td></tr>",
                                escape(target.name), escape(table.codec), gib,
                                gib * options.volume_per_gb_month,
                                gib <= options.volume_gib ? "yes" : "no");
        }
    return html + "</table>";
}

std::string samples_jsonl(const std::vector<TargetFigures>& targets, const K8sOptions& options)
{
    std::string out;
    for (const auto& target : targets)
    {
        auto line = [&](const std::string& table, const QueryFigures& query, const char* mode,
                        size_t run, const Sample& sample)
        {
            out += fmt::format(
                "{{\"server\":{},\"version\":{},\"rows\":{},\"table\":{},\"query\":{},\"mode\":"
                "\"{}\",\"run\":{},\"seconds\":{:.6f},\"read_rows\":{},\"read_bytes\":{},"
                "\"sql\":{}}}\n",
                json_text(target.name), json_text(target.version), options.rows, json_text(table),
                json_text(query.name), mode, run, sample.seconds,
                sample.read_rows ? fmt::format("{}", *sample.read_rows) : "null",
                sample.read_bytes ? fmt::format("{}", *sample.read_bytes) : "null",
                json_text(query.sql));
        };
        auto all = [&](const std::string& table, const QueryFigures& query)
        {
            for (size_t i = 0; i < query.direct.size(); ++i)
                line(table, query, "direct", i, query.direct[i]);
            for (size_t i = 0; i < query.warm.size(); ++i)
                line(table, query, i == 0 ? "first" : "warm", i, query.warm[i]);
        };
        if (target.tables.empty())
            continue;
        for (const auto& query : target.queries)
            all(target.tables[0].table, query);
        all(target.tables[0].table, target.lookup_with_index);
        for (size_t t = 1; t < target.tables.size(); ++t)
            all(target.tables[t].table, target.tables[t].scan);
        for (const auto& table : target.tables)
            out += fmt::format("{{\"server\":{},\"rows\":{},\"table\":{},\"codec\":{},\"load_s\":"
                               "{:.3f},\"load_memory\":{},\"bytes_on_disk\":{},\"parts\":{}}}\n",
                               json_text(target.name), options.rows, json_text(table.table),
                               json_text(table.codec), table.load_s, table.load_memory,
                               table.bytes_on_disk, table.parts);
    }
    return out;
}

} // namespace

std::string report_html(const std::vector<TargetFigures>& targets, const K8sOptions& options,
                        const Transcript& transcript)
{
    std::string html = R"(<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>Kubernetes logs benchmark</title><style>
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:1150px;margin:24px auto;padding:0 16px}
table{border-collapse:collapse;margin:8px 0 20px}th,td{padding:3px 14px 3px 0;border-bottom:1px solid #8884;text-align:left}
td.n,td.s{white-space:nowrap}td.n{text-align:right;font-variant-numeric:tabular-nums}svg{width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:currentColor}
svg text.in{fill:#fff}svg .grid{stroke:#8885;stroke-width:1}pre{overflow:auto;background:#8881;padding:10px;font-size:12px}
</style></head><body><h1>Kubernetes logs benchmark</h1>)";
    html += fmt::format("<p>{} rows; {} warm runs a query after one that fills caches; medians. "
                        "Direct: min_bytes_to_use_direct_io = 1 with mark and uncompressed caches "
                        "dropped; the disk's own caches are not.</p><table><tr><th>server</th>"
                        "<th>version</th><th>time zone</th><th>rows, hash of all rows</th></tr>",
                        options.rows, options.runs);
    for (const auto& target : targets)
        html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                            escape(target.name), escape(target.version), escape(target.timezone),
                            escape(target.error.empty() ? target.rows_hash : target.error));
    html += "</table><h2>Warm queries</h2>" + time_plot(targets, false);
    html += "<h2>Direct from disk</h2>" + time_plot(targets, true);
    html += "<h2>Bytes on disk</h2>" + size_plot(targets);
    for (const auto& target : targets)
    {
        html += "<h2>" + escape(target.name) + "</h2>" + query_table(target);
        html += fmt::format("<p>bloom filter index: {}, built in {}</p>",
                            readable_bytes(static_cast<double>(target.index_bytes)),
                            readable_seconds(target.index_s));
        for (const auto& table : target.tables)
            html += column_table(table, options.rows);
    }
    html += fmt::format("<h2>Cost</h2><p>{:.0f} rows a day kept {:.0f} days; {} a GB-month; the "
                        "node costs {:.2f} a month.</p>",
                        options.rows_per_day, options.days, options.volume_per_gb_month,
                        options.node_per_hour * 24 * 365.25 / 12);
    html += cost_table(targets, options) + "<h2>Statements</h2><pre>";
    for (const auto& sql : transcript.statements)
        html += escape(sql) + ";\n";
    return html + "</pre></body></html>\n";
}

void write_report(const std::string& directory, const std::vector<TargetFigures>& targets,
                  const K8sOptions& options, const Transcript& transcript)
{
    FileSystem& files = real_file_system();
    files.create_directories(directory);
    files.replace_whole(directory + "/report.html", report_html(targets, options, transcript));
    files.replace_whole(directory + "/samples.jsonl", samples_jsonl(targets, options));
    std::string sql;
    for (const auto& statement : transcript.statements)
        sql += statement + ";\n";
    files.replace_whole(directory + "/queries.sql", sql);
    std::string settings;
    for (const auto& target : targets)
    {
        settings += target.name + " " + target.version + "\n";
        for (const auto& [name, value] : target.settings)
            settings += "    " + name + " = " + value + "\n";
    }
    files.replace_whole(directory + "/settings.txt", settings);
}

} // namespace basalt::bench
