#include "formats/native.h"

#include "formats/row_output.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

class NativeOutput final : public OutputFormat
{
public:
    NativeOutput(OutputBuffer& out, const FormatOptions&) : out_(out) {}
    void begin(const Header&) override {}
    // A result without rows is no bytes.
    void write(const Block& block) override
    {
        if (block.rows() > 0)
            write_native_block(block, out_);
    }
    void finish(const ResultStatistics&) override {}

private:
    OutputBuffer& out_;
};

class NativeInput final : public InputFormat
{
public:
    NativeInput(InputBuffer& in, InputFormatContext context)
        : in_(in), context_(std::move(context)),
          converts_(
              context_.options.settings.get_bool("input_format_native_allow_types_conversion")),
          skips_unknown_(context_.options.settings.get_bool("input_format_skip_unknown_fields"))
    {
    }

    // Whole blocks as they were written, whatever max_rows.
    InputBlock read(size_t) override
    {
        for (;;)
        {
            const std::optional<Block> block = read_native_block(in_);
            if (!block)
                return {Block::empty_of(context_.header), {}};
            // Without columns a number of rows is only a number, and may be any.
            if (block->rows() > 0 && block->width() > 0)
                return arrange(*block);
        }
    }

private:
    InputBlock arrange(const Block& block) const
    {
        InputBlock result;
        std::vector<NamedColumn> columns;
        size_t used = 0;
        for (const NamedType& wanted : context_.header)
        {
            const int at = block.find(wanted.name);
            Mask omitted;
            ColumnPtr column;
            if (at >= 0)
            {
                ++used;
                column = converted(block[static_cast<size_t>(at)], wanted);
            }
            else
            {
                const MutableColumnPtr defaults = wanted.type->create_column();
                defaults->append_defaults(block.rows());
                omitted.assign(block.rows(), 1);
                column = defaults;
            }
            columns.push_back({column, wanted.type, wanted.name});
            result.omitted.push_back(std::move(omitted));
        }
        if (used < block.width() && !skips_unknown_)
            throw Error(error_codes::INCORRECT_DATA,
                        "Unknown column found in Native format; input_format_skip_unknown_fields "
                        "lets it pass");
        result.block = Block(std::move(columns), block.rows());
        return result;
    }

    // To the wanted type, through text.
    ColumnPtr converted(const NamedColumn& from, const NamedType& wanted) const
    {
        if (same_type(from.type, wanted.type))
            return from.column;
        const TypePtr plain = remove_low_cardinality_deep(from.type);
        if (plain->name() == remove_low_cardinality_deep(wanted.type)->name())
            return to_flat(from.column);
        if (!converts_)
            throw Error(error_codes::TYPE_MISMATCH,
                        fmt::format("Column {} has type {} in the input and {} is wanted",
                                    from.name, from.type->name(), wanted.type->name()));
        const TextOptions& options = context_.options.text;
        const SerializationPtr source = serialization_of(from.type);
        const MutableColumnPtr column = wanted.type->create_column();
        const bool takes_null = is_nullable_or_lc_nullable(wanted.type);
        std::string text;
        for (size_t row = 0; row < from.column->size(); ++row)
        {
            if (from.column->is_null_at(row))
            {
                if (!takes_null && !options.null_as_default)
                    throw Error(error_codes::CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN,
                                "NULL for column " + wanted.name + ", which has none");
                column->append_default();
                continue;
            }
            text.clear();
            StringOutputBuffer out(text);
            source->write_text(*from.column, row, out, TextPlace::Whole, options);
            out.finish();
            parse_whole(text, wanted.type, *column, options);
        }
        return column;
    }

    InputBuffer& in_;
    InputFormatContext context_;
    bool converts_;
    bool skips_unknown_;
};

} // namespace

void register_native(FormatRegistry& registry)
{
    FormatEntry entry;
    entry.name = "Native";
    entry.output = make_output<NativeOutput>;
    entry.input = [](InputBuffer& in, InputFormatContext context) -> std::unique_ptr<InputFormat>
    { return std::make_unique<NativeInput>(in, std::move(context)); };
    entry.content_type = kBinaryContentType;
    entry.is_binary = true;
    registry.add(std::move(entry));
}

} // namespace basalt
