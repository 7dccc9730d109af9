#include "formats/row_output.h"

namespace basalt
{

namespace
{

// All rows of each column in one array; rows are kept until the end.
class JsonColumnsOutput final : public RowOutput
{
public:
    JsonColumnsOutput(OutputBuffer& out, const FormatOptions& options, bool named)
        : RowOutput(out, options), named_(named)
    {
    }

    void write(const Block& block) override { blocks_.push_back(block); }

    void finish(const ResultStatistics&) override
    {
        out_.write(named_ ? "{\n" : "[\n");
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (!named_ && blocks_.empty())
                break;
            out_.write('\t');
            if (named_)
            {
                write_json_string(out_, header_[i].name, text_.json_escape_forward_slashes);
                out_.write(": ");
            }
            out_.write('[');
            bool first = true;
            for (const Block& block : blocks_)
                for (size_t row = 0; row < block.rows(); ++row)
                {
                    if (!first)
                        out_.write(", ");
                    first = false;
                    write_value(block, i, row, TextPlace::Json);
                }
            out_.write(i + 1 < header_.size() ? "],\n" : "]");
        }
        out_.write(named_ ? "\n}\n" : "\n]\n");
    }

protected:
    void write_row(const Block&, size_t) override {}

private:
    bool named_;
    std::vector<Block> blocks_;
};

template <bool kNamed> void add(FormatRegistry& registry, const char* name)
{
    FormatEntry entry;
    entry.name = name;
    entry.output = make_output<JsonColumnsOutput, kNamed>;
    entry.content_type = kJsonContentType;
    registry.add(std::move(entry));
}

} // namespace

void register_json_columns(FormatRegistry& registry)
{
    add<true>(registry, "JSONColumns");
    add<false>(registry, "JSONCompactColumns");
}

} // namespace basalt
