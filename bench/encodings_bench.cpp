// Bytes and nanoseconds a row of each column of the log table, encoded with Auto.
//   encodings_bench [rows]           the benchmark's rows, made here
//   encodings_bench file FILE [max]  the lines of a file as one String column
//   encodings_bench merged FILE [max]  the same, encoded as merges do
// One thread; each time is the least of three runs.

#include "base/hash.h"
#include "encodings/page.h"
#include "encodings/page_format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>

using namespace basalt;

namespace
{

uint64_t mix(uint64_t number, uint64_t salt)
{
    return hash_int(number + hash_int(salt + 77));
}

std::string decimal_text(uint64_t tenths)
{
    std::string text = std::to_string(tenths / 10);
    if (tenths % 10)
        text += "." + std::to_string(tenths % 10);
    return text;
}

struct Table
{
    Header header;
    std::vector<Block> pages;
    size_t rows = 0;
};

Table make_logs(size_t rows)
{
    const std::vector<std::string> namespaces = {"auth",   "cart",      "catalog", "gateway",
                                                 "order",  "payment",   "recommend", "search",
                                                 "shipping", "user"};
    const std::vector<std::string> endpoints = {
        "GET /api/v1/orders",     "POST /api/v1/payments", "GET /api/v1/users",
        "GET /api/v1/search",     "POST /api/v1/cart/items", "GET /api/v1/products",
        "POST /api/v1/shipments", "POST /oauth/token",     "GET /healthz",
        "GET /api/v1/recommendations"};
    Table table;
    table.rows = rows;
    const char* names[][2] = {{"timestamp", "DateTime64(3)"},
                              {"namespace", "LowCardinality(String)"},
                              {"pod", "String"},
                              {"container", "LowCardinality(String)"},
                              {"level", "LowCardinality(String)"},
                              {"message", "String"},
                              {"trace_id", "String"},
                              {"duration_ms", "Float32"}};
    for (const auto& [name, type] : names)
        table.header.push_back({name, type_from_name(type)});
    std::vector<MutableColumnPtr> columns;
    const auto start = [&]
    {
        columns.clear();
        for (const auto& field : table.header)
            columns.push_back(field.type->create_column());
    };
    const auto flush = [&]
    {
        std::vector<NamedColumn> block;
        for (size_t i = 0; i < columns.size(); ++i)
            block.push_back({columns[i], table.header[i].type, table.header[i].name});
        table.pages.emplace_back(std::move(block));
        start();
    };
    start();
    char hex[40];
    for (size_t ns = 0; ns < 10; ++ns)
    {
        for (uint64_t number = 0; number < rows; ++number)
        {
            if (mix(number, 0) % 10 != ns)
                continue;
            const uint64_t level_hash = mix(number, 3) % 1000;
            const bool error = level_hash < 8;
            uint64_t tenths = error ? 20000 + mix(number, 4) % 30000 : mix(number, 4) % 20000 / 10;
            const std::string& endpoint = endpoints[mix(number, 5) % 10];
            std::snprintf(hex, sizeof hex, "%016llx%016llx",
                          static_cast<unsigned long long>(mix(number, 10)),
                          static_cast<unsigned long long>(mix(number, 11)));
            const auto put = [&](size_t column, std::string_view text)
            { column_as<StringColumn>(*columns[column]).append(text); };
            column_as<VectorColumn<int64_t>>(*columns[0])
                .data()
                .push_back(static_cast<int64_t>(1787616000000 + number * 6));
            put(1, namespaces[ns]);
            put(2, namespaces[ns] + "-7c7dd4f9c-" + std::to_string(10000 + ns * 7777));
            put(3, mix(number, 2) % 10 < 8 ? "app" : "istio-proxy");
            put(4, error ? "ERROR" : level_hash < 50 ? "WARN" : level_hash < 300 ? "DEBUG" : "INFO");
            put(6, hex);
            const float duration = static_cast<float>(static_cast<double>(tenths) / 10);
            column_as<VectorColumn<float>>(*columns[7]).data().push_back(duration);
            if (error)
                put(5, "upstream request timeout after " +
                           std::to_string(static_cast<int64_t>(std::nearbyint(duration))) +
                           "ms endpoint=" + endpoint + " status=503 trace_id=" + hex);
            else
                put(5, endpoint + " completed status=200 in " + decimal_text(tenths) +
                           "ms trace_id=" + hex);
            if (columns[0]->size() == kPageRows)
                flush();
        }
    }
    if (!columns[0]->empty())
        flush();
    return table;
}

Table read_lines(const char* path, size_t max_rows)
{
    Table table;
    table.header.push_back({"line", type_from_name("String")});
    std::ifstream in(path);
    std::string line;
    auto column = std::make_shared<StringColumn>();
    const auto flush = [&]
    {
        std::vector<NamedColumn> block;
        block.push_back({column, table.header[0].type, "line"});
        table.pages.emplace_back(std::move(block));
        column = std::make_shared<StringColumn>();
    };
    while (table.rows < max_rows && std::getline(in, line))
    {
        column->append(line);
        ++table.rows;
        if (column->size() == kPageRows)
            flush();
    }
    if (!column->empty())
        flush();
    return table;
}

// Of this process, so that other work on the machine counts little.
double cpu_nanoseconds()
{
    timespec time;
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double nanoseconds_a_row(size_t rows, const std::function<void()>& work)
{
    double best = 1e30;
    for (int i = 0; i < 3; ++i)
    {
        const double begin = cpu_nanoseconds();
        work();
        const double took = cpu_nanoseconds() - begin;
        best = std::min(best, took / static_cast<double>(rows));
    }
    return best;
}

struct Part
{
    std::vector<std::vector<EncodedColumnPage>> pages; // by page, column
    std::vector<std::string> shared;
};

ColumnEncodingOptions column_options;

Part encode(const Header& header, const std::vector<Block>& pages)
{
    auto encoder = make_part_encoder(
        header, std::vector<ColumnEncodingOptions>(header.size(), column_options), 8192);
    Part part;
    for (const auto& page : pages)
        part.pages.push_back(encoder->encode(page));
    part.shared = encoder->finish();
    return part;
}

EncodedPagePtr open(const PartDecoder& decoder, const Part& part, size_t page, size_t column)
{
    std::vector<EncodedPagePtr> siblings;
    for (const size_t other : decoder.siblings(column))
        siblings.push_back(open(decoder, part, page, other));
    return decoder.open_page(column, {part.pages[page][column].bytes, nullptr}, siblings);
}

void measure(const Table& table)
{
    const Header& header = table.header;
    Part part;
    const double all = nanoseconds_a_row(table.rows, [&] { part = encode(header, table.pages); });
    const auto decoder = make_part_decoder(header, part.shared, 8192);
    std::printf("%-12s %10s %10s %10s %10s  encodings\n", "column", "bytes/row", "encode ns",
                "decode ns", "shared B");
    double sum = 0;
    for (size_t column = 0; column < header.size(); ++column)
    {
        size_t bytes = part.shared[column].size();
        std::map<int, size_t> encodings;
        for (const auto& page : part.pages)
        {
            bytes += page[column].bytes.size();
            ++encodings[static_cast<int>(PageHead::read(page[column].bytes).encoding)];
        }
        // Columns that others refer to are encoded with them, so alone this is a lower bound.
        std::vector<Block> alone;
        for (const auto& page : table.pages)
        {
            std::vector<NamedColumn> one;
            one.push_back(page[column]);
            alone.emplace_back(std::move(one));
        }
        const double encode_ns =
            nanoseconds_a_row(table.rows, [&] { encode({header[column]}, alone); });
        const double decode_ns = nanoseconds_a_row(
            table.rows,
            [&]
            {
                for (size_t page = 0; page < part.pages.size(); ++page)
                {
                    const auto opened = open(*decoder, part, page, column);
                    for (size_t row = 0; row < opened->rows(); row += 8192)
                        opened->decode(row, std::min<size_t>(8192, opened->rows() - row));
                }
            });
        const double per_row = static_cast<double>(bytes) / static_cast<double>(table.rows);
        sum += per_row;
        std::printf("%-12s %10.3f %10.1f %10.2f %10zu  ", header[column].name.c_str(), per_row,
                    encode_ns, decode_ns, part.shared[column].size());
        for (const auto& [encoding, pages] : encodings)
            std::printf("%d x %zu  ", encoding, pages);
        std::printf("\n");
    }
    std::printf("%-12s %10.3f %10.1f\n", "all", sum, all);
    const auto predicate = [&](const char* name, size_t column, PagePredicate::Kind kind,
                               const Value& value)
    {
        size_t found = 0;
        size_t counted = 0;
        bool decided = true;
        PodVector<uint8_t> mask(kPageRows);
        const double ns = nanoseconds_a_row(
            table.rows,
            [&]
            {
                found = 0;
                for (size_t page = 0; page < part.pages.size(); ++page)
                {
                    const auto opened = open(*decoder, part, page, column);
                    decided &= opened->evaluate({kind, {value}}, 0, opened->rows(), mask.data());
                    for (size_t i = 0; i < opened->rows(); ++i)
                        found += mask[i];
                }
            });
        const double count_ns = nanoseconds_a_row(
            table.rows,
            [&]
            {
                counted = 0;
                for (size_t page = 0; page < part.pages.size(); ++page)
                {
                    const auto opened = open(*decoder, part, page, column);
                    const auto some = opened->count_matching({kind, {value}}, 0, opened->rows());
                    counted += some ? 1 : 0;
                }
            });
        std::printf("%-45s %s %8.2f ns/row, %zu rows; %zu of %zu pages counted %8.3f ns/row\n",
                    name, decided ? "decided" : "UNDECIDED", ns, decided ? found : 0, counted,
                    part.pages.size(), count_ns);
    };
    const size_t texts = header.size() == 1 ? 0 : 5;
    for (const size_t bytes : {22, 60})
    {
        const double ns = nanoseconds_a_row(
            table.rows,
            [&]
            {
                for (size_t page = 0; page < part.pages.size(); ++page)
                {
                    const auto opened = open(*decoder, part, page, texts);
                    opened->decode_prefix(0, opened->rows(), bytes);
                }
            });
        std::printf("first %zu bytes of a text %31.2f ns/row\n", bytes, ns);
    }
    using Kind = PagePredicate::Kind;
    if (header.size() == 1)
    {
        predicate("line LIKE '%error%'", 0, Kind::Like, std::string("%error%"));
        return;
    }
    const auto trace = table.pages[0][6].column->value_at(77).get<std::string>();
    predicate("timestamp >= middle", 0, Kind::GreaterOrEquals,
              Value(static_cast<int64_t>(1787616000000 + table.rows * 3)));
    predicate("level = 'ERROR'", 4, Kind::Equals, std::string("ERROR"));
    predicate("trace_id = one", 6, Kind::Equals, trace);
    predicate("duration_ms > 1000", 7, Kind::Greater, Value(1000.0));
    predicate("message LIKE '%timeout%'", 5, Kind::Like, std::string("%timeout%"));
    predicate("message LIKE '%status=503%'", 5, Kind::Like, std::string("%status=503%"));
    predicate("message LIKE '%trace_id=<16 digits>%'", 5, Kind::Like,
              "%trace_id=" + trace.substr(0, 16) + "%");
    predicate("message LIKE '%in 150ms%'", 5, Kind::Like, std::string("%in 150ms%"));
}

} // namespace

int main(int argc, char** argv)
{
    if (argc >= 3 && std::string_view(argv[1]) == "merged")
        column_options.effort = ColumnEncodingOptions::Effort::Thorough;
    if (argc >= 3 && (std::string_view(argv[1]) == "file" || std::string_view(argv[1]) == "merged"))
        measure(read_lines(argv[2], argc > 3 ? std::strtoull(argv[3], nullptr, 10) : SIZE_MAX));
    else
        measure(make_logs(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000));
    return 0;
}
