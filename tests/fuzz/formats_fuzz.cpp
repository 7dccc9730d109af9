// libFuzzer entry of the input formats: any bytes give rows or an Error. The first byte picks the format,
// the second and third two types of columns, the fourth settings.

#include "base/error.h"
#include "formats/format.h"
#include "tests/fuzz/seeds.h"

namespace
{

using namespace basalt;

std::vector<const FormatEntry*> input_formats()
{
    std::vector<const FormatEntry*> found;
    for (const auto* entry : formats().entries())
        if (entry->input)
            found.push_back(entry);
    return found;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const auto known = input_formats();
    if (size < 4)
        return 0;
    const auto& types = seed_types();
    InputFormatContext context;
    context.header = {{"a", type_from_name(types[data[1] % types.size()])},
                      {"b", type_from_name(types[data[2] % types.size()])}};
    Settings settings;
    if (data[3] & 1)
        settings.set("input_format_allow_errors_num", "3");
    if (data[3] & 2)
        settings.set("date_time_input_format", "best_effort");
    if (data[3] & 4)
        settings.set("input_format_skip_unknown_fields", "1");
    context.options = FormatOptions::from(settings, "UTC");
    const std::string bytes(reinterpret_cast<const char*>(data) + 4, size - 4);
    try
    {
        MemoryInputBuffer in(bytes);
        const auto format = known[data[0] % known.size()]->input(in, std::move(context));
        for (int i = 0; i < 8; ++i)
        {
            const InputBlock read = format->read(3);
            if (read.block.rows() == 0)
                break;
            for (size_t c = 0; c < read.block.width(); ++c)
            {
                BASALT_ASSERT(read.block[c].column->size() == read.block.rows());
                for (size_t row = 0; row < read.block.rows(); row += 1 + read.block.rows() / 16)
                    (void)value_text(*read.block[c].column, row, read.block[c].type);
            }
        }
    }
    catch (const Error&)
    {
    }
    return 0;
}

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    write_seeds(
        [](const SeedWriter& seed)
        {
            const auto known = input_formats();
            const auto blocks = seed_blocks();
            for (size_t f = 0; f < known.size(); ++f)
                for (size_t t = 0; t < blocks.size(); ++t)
                {
                    const std::string head{static_cast<char>(f), static_cast<char>(t),
                                           static_cast<char>(t), '\0'};
                    if (!known[f]->output)
                    {
                        seed(head + "1\n");
                        continue;
                    }
                    std::string bytes;
                    StringOutputBuffer out(bytes);
                    const auto format =
                        known[f]->output(out, FormatOptions::from(Settings(), "UTC"));
                    Block block({{blocks[t][0].column, blocks[t][0].type, "a"},
                                 {blocks[t][0].column, blocks[t][0].type, "b"}},
                                3);
                    try
                    {
                        format->begin(block.header());
                        format->write(block);
                        format->finish({});
                    }
                    catch (const Error&)
                    {
                        continue; // a type that the format does not have
                    }
                    out.finish();
                    seed(head + bytes);
                }
        });
    return 0;
}
