#include "tests/fuzz/seeds.h"

#include "columns/type.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace basalt
{

void write_seeds(const std::function<void(const SeedWriter&)>& make)
{
    const char* folder = std::getenv("BASALT_SEEDS");
    if (!folder)
        return;
    size_t number = 0;
    make(
        [&](const std::string& bytes)
        {
            std::ofstream file(std::string(folder) + "/seed-" + std::to_string(number++),
                               std::ios::binary);
            file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        });
    std::exit(0);
}

const std::vector<std::string>& seed_types()
{
    static const std::vector<std::string> types = {
        "UInt8", "Int64", "UInt256", "Float64", "Bool", "String", "FixedString(5)", "Date", "Date32",
        "DateTime('Europe/Berlin')", "DateTime64(3)", "Decimal(38, 4)", "UUID", "IPv4", "IPv6",
        "Enum8('a' = 1, 'b' = 2)", "Nullable(Int32)", "LowCardinality(String)",
        "LowCardinality(Nullable(String))", "Array(String)", "Array(Array(Nullable(UInt8)))",
        "Tuple(a UInt8, b String)", "Map(String, UInt64)", "Map(String, Array(UInt8))"};
    return types;
}

std::vector<Block> seed_blocks()
{
    std::vector<Block> blocks;
    for (const auto& name : seed_types())
    {
        const TypePtr type = type_from_name(name);
        const MutableColumnPtr column = type->create_column();
        for (int row = 0; row < 3; ++row)
            column->append_default();
        blocks.push_back(Block({{column, type, "c"}}, 3));
    }
    return blocks;
}

} // namespace basalt
