#include "formats/row_input.h"
#include "formats/row_output.h"
#include "io/binary.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

class RowBinaryOutput final : public RowOutput
{
public:
    RowBinaryOutput(OutputBuffer& out, const FormatOptions& options, HeaderLines lines)
        : RowOutput(out, options), lines_(lines)
    {
    }

protected:
    void write_prefix() override
    {
        if (lines_ == HeaderLines::None)
            return;
        write_varint(out_, header_.size());
        for (const NamedType& column : header_)
            write_string(out_, column.name);
        if (lines_ == HeaderLines::NamesAndTypes)
            for (const NamedType& column : header_)
                write_string(out_, column.type->name());
    }

    void write_row(const Block& block, size_t row) override
    {
        for (size_t i = 0; i < header_.size(); ++i)
            serializations_[i]->write_binary(*block[i].column, row, out_);
    }

private:
    HeaderLines lines_;
};

class RowBinaryInput final : public InputFormat
{
public:
    RowBinaryInput(InputBuffer& in, InputFormatContext context, HeaderLines lines,
                   bool marks_defaults)
        : in_(in), context_(std::move(context)), lines_(lines), marks_defaults_(marks_defaults)
    {
    }

    InputBlock read(size_t max_rows) override
    {
        if (!header_done_)
            read_header();
        header_done_ = true;
        InputBlock result;
        result.omitted.resize(context_.header.size());
        std::vector<MutableColumnPtr> columns;
        for (const NamedType& column : context_.header)
            columns.push_back(column.type->create_column());
        size_t rows = 0;
        for (; rows < max_rows && !in_.eof(); ++rows)
        {
            for (const Field& field : fields_)
            {
                if (marks_defaults_ && in_.read_byte() != 0)
                {
                    if (field.column >= 0)
                        omit(*columns[static_cast<size_t>(field.column)],
                             result.omitted[static_cast<size_t>(field.column)], rows);
                    continue;
                }
                try
                {
                    if (field.column >= 0)
                        field.serialization->read_binary(
                            *columns[static_cast<size_t>(field.column)], in_);
                    else
                        field.serialization->read_binary(*field.ignored, in_);
                }
                catch (Error& error)
                {
                    throw Error(error.code(),
                                fmt::format("{}: (at row {}): while reading column {}",
                                            error.message(), rows_before_ + rows + 1,
                                            field.name));
                }
                if (field.ignored)
                    field.ignored->remove_last(1);
            }
            for (const size_t column : absent_)
                omit(*columns[column], result.omitted[column], rows);
        }
        std::vector<NamedColumn> named;
        for (size_t i = 0; i < columns.size(); ++i)
        {
            if (!result.omitted[i].empty())
                result.omitted[i].resize_fill(rows, 0);
            named.push_back({columns[i], context_.header[i].type, context_.header[i].name});
        }
        result.block = Block(std::move(named), rows);
        rows_before_ += rows;
        return result;
    }

private:
    struct Field
    {
        std::string name;
        int column; // -1: read and dropped
        SerializationPtr serialization;
        MutableColumnPtr ignored;
    };

    static void omit(Column& column, Mask& omitted, size_t row)
    {
        column.append_default();
        omitted.resize_fill(row, 0);
        omitted.push_back(1);
    }

    void add_field(std::string name, int column, const TypePtr& type)
    {
        fields_.push_back({std::move(name), column, serialization_of(type),
                           column < 0 ? type->create_column() : nullptr});
    }

    void read_header()
    {
        if (lines_ == HeaderLines::None)
        {
            for (size_t i = 0; i < context_.header.size(); ++i)
                add_field(context_.header[i].name, static_cast<int>(i), context_.header[i].type);
            return;
        }
        if (in_.eof())
            return;
        constexpr uint64_t kMaxColumns = 1000000;
        constexpr uint64_t kMaxNameBytes = 1 << 20;
        const uint64_t count = read_varint(in_);
        if (count > kMaxColumns)
            throw Error(error_codes::INCORRECT_DATA,
                        fmt::format("Too many columns in the header: {}", count));
        std::vector<std::string> names;
        for (uint64_t i = 0; i < count; ++i)
            names.push_back(read_string(in_, kMaxNameBytes));
        Types types;
        if (lines_ == HeaderLines::NamesAndTypes)
            for (uint64_t i = 0; i < count; ++i)
                types.push_back(type_from_name(read_string(in_, kMaxNameBytes)));
        std::vector<bool> seen(context_.header.size());
        for (size_t i = 0; i < names.size(); ++i)
        {
            int column = -1;
            for (size_t j = 0; j < context_.header.size(); ++j)
                if (context_.header[j].name == names[i])
                    column = static_cast<int>(j);
            if (column >= 0)
            {
                if (seen[static_cast<size_t>(column)])
                    throw Error(error_codes::INCORRECT_DATA,
                                fmt::format("Duplicate field found in the header: {}", names[i]));
                const NamedType& wanted = context_.header[static_cast<size_t>(column)];
                if (!types.empty() && !same_type(types[i], wanted.type))
                    throw Error(error_codes::INCORRECT_DATA,
                                fmt::format("Type of '{}' must be {}, not {}", wanted.name,
                                            wanted.type->name(), types[i]->name()));
                seen[static_cast<size_t>(column)] = true;
                add_field(names[i], column, wanted.type);
            }
            else if (types.empty())
                throw Error(error_codes::INCORRECT_DATA,
                            fmt::format("Unknown column {} in the header, whose type is not known "
                                        "and so it cannot be skipped",
                                        names[i]));
            else
                add_field(names[i], -1, types[i]);
        }
        for (size_t i = 0; i < seen.size(); ++i)
            if (!seen[i])
                absent_.push_back(i);
    }

    InputBuffer& in_;
    InputFormatContext context_;
    HeaderLines lines_;
    bool marks_defaults_; // a byte before each value: 1 = the default, and no value follows
    bool header_done_ = false;
    std::vector<Field> fields_;
    std::vector<size_t> absent_;
    uint64_t rows_before_ = 0;
};

template <HeaderLines kLines, bool kMarksDefaults>
void add(FormatRegistry& registry, const char* name)
{
    FormatEntry entry;
    entry.name = name;
    if (!kMarksDefaults)
        entry.output = make_output<RowBinaryOutput, kLines>;
    entry.input = [](InputBuffer& in, InputFormatContext context) -> std::unique_ptr<InputFormat>
    { return std::make_unique<RowBinaryInput>(in, std::move(context), kLines, kMarksDefaults); };
    entry.content_type = kBinaryContentType;
    entry.is_binary = true;
    registry.add(std::move(entry));
}

} // namespace

void register_row_binary(FormatRegistry& registry)
{
    add<HeaderLines::None, false>(registry, "RowBinary");
    add<HeaderLines::Names, false>(registry, "RowBinaryWithNames");
    add<HeaderLines::NamesAndTypes, false>(registry, "RowBinaryWithNamesAndTypes");
    add<HeaderLines::None, true>(registry, "RowBinaryWithDefaults");
    add<HeaderLines::NamesAndTypes, true>(registry, "RowBinaryWithNamesAndTypesAndDefaults");
}

} // namespace basalt
