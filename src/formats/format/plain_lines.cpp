#include "formats/row_input.h"
#include "formats/row_output.h"

namespace basalt
{

namespace
{

class NullOutput final : public OutputFormat
{
public:
    NullOutput(OutputBuffer&, const FormatOptions&) {}
    void begin(const Header&) override {}
    void write(const Block&) override {}
    void finish(const ResultStatistics&) override {}
};

// Values without anything between them.
class RawBlobOutput final : public RowOutput
{
public:
    using RowOutput::RowOutput;

protected:
    void write_row(const Block& block, size_t row) override
    {
        for (size_t i = 0; i < header_.size(); ++i)
        {
            const TypePtr inner = strip_wrappers(header_[i].type);
            if (inner->is(TypeId::Array) || inner->is(TypeId::Tuple) || inner->is(TypeId::Map) ||
                inner->is(TypeId::AggregateFunction))
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "Format RawBLOB is not for values of type " + inner->name());
            if (block[i].column->is_null_at(row))
                continue;
            if (inner->is_string())
                write_value(block, i, row, TextPlace::Whole);
            else if (is_nullable_or_lc_nullable(header_[i].type))
            {
                // Without the byte that tells of NULL.
                std::string bytes;
                StringOutputBuffer buffer(bytes);
                serializations_[i]->write_binary(*block[i].column, row, buffer);
                buffer.finish();
                out_.write(std::string_view(bytes).substr(1));
            }
            else
                serializations_[i]->write_binary(*block[i].column, row, out_);
        }
    }
};

// The one wanted column, which must hold text.
void check_single_string(const Header& header, std::string_view format)
{
    if (header.size() != 1 || !strip_wrappers(header[0].type)->is_string())
        throw Error(error_codes::BAD_ARGUMENTS,
                    "Format " + std::string(format) + " is for a table of one column of text");
}

// The whole input is one value.
class RawBlobInput final : public InputFormat
{
public:
    RawBlobInput(InputBuffer& in, InputFormatContext context)
        : in_(in), context_(std::move(context))
    {
        check_single_string(context_.header, "RawBLOB");
    }

    InputBlock read(size_t) override
    {
        const NamedType& wanted = context_.header[0];
        const MutableColumnPtr column = wanted.type->create_column();
        if (!done_)
            parse_whole(in_.read_all(), wanted.type, *column, context_.options.text);
        done_ = true;
        return {Block({{column, wanted.type, wanted.name}}), std::vector<Mask>(1)};
    }

private:
    InputBuffer& in_;
    InputFormatContext context_;
    bool done_ = false;
};

// A line is a value, as it is.
class LineInput final : public RowInput
{
public:
    LineInput(InputBuffer& in, InputFormatContext context) : RowInput(in, std::move(context))
    {
        check_single_string(context_.header, "LineAsString");
    }

protected:
    RowResult parse_row(TextCursor& cursor) override
    {
        if (cursor.at_end())
            return RowResult::End;
        const size_t size = std::min(cursor.rest().find('\n'), cursor.left());
        TextCursor line(cursor.rest().substr(0, size));
        if (!serializations_[0]->parse_text(*columns_[0], line, TextPlace::Whole, text_))
        {
            cursor.fail(line.code, line.message);
            return RowResult::Failed;
        }
        cursor.pos += size;
        cursor.skip('\n');
        return RowResult::Row;
    }
};

// Each JSON value of the input is one text.
class JsonAsStringInput final : public RowInput
{
public:
    JsonAsStringInput(InputBuffer& in, InputFormatContext context)
        : RowInput(in, std::move(context))
    {
        check_single_string(context_.header, "JSONAsString");
    }

protected:
    bool parse_prefix(TextCursor& cursor) override
    {
        cursor.skip_spaces();
        in_brackets_ = cursor.skip('[');
        return true;
    }
    RowResult parse_row(TextCursor& cursor) override
    {
        cursor.skip_spaces();
        if (cursor.skip(','))
            cursor.skip_spaces();
        if (in_brackets_ && cursor.skip(']'))
            cursor.skip_spaces();
        if (cursor.at_end())
            return RowResult::End;
        const char* const start = cursor.pos;
        if (!skip_json_value(cursor))
            return RowResult::Failed;
        TextCursor value(std::string_view(start, static_cast<size_t>(cursor.pos - start)));
        if (!serializations_[0]->parse_text(*columns_[0], value, TextPlace::Whole, text_))
        {
            cursor.fail(value.code, value.message);
            return RowResult::Failed;
        }
        cursor.skip('\n');
        return RowResult::Row;
    }

private:
    bool in_brackets_ = false;
};

// TabSeparatedRaw without a header.
class LineOutput final : public RowOutput
{
public:
    using RowOutput::RowOutput;

protected:
    void write_row(const Block& block, size_t row) override
    {
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (i)
                out_.write('\t');
            write_value(block, i, row, TextPlace::Raw);
        }
        out_.write('\n');
    }
};

template <class Input>
std::unique_ptr<InputFormat> make_input(InputBuffer& in, InputFormatContext context)
{
    return std::make_unique<Input>(in, std::move(context));
}

} // namespace

void register_plain_lines(FormatRegistry& registry)
{
    FormatEntry null;
    null.name = "Null";
    null.output = make_output<NullOutput>;
    registry.add(std::move(null));

    FormatEntry blob;
    blob.name = "RawBLOB";
    blob.output = make_output<RawBlobOutput>;
    blob.input = make_input<RawBlobInput>;
    blob.content_type = kBinaryContentType;
    blob.is_binary = true;
    registry.add(std::move(blob));

    FormatEntry line;
    line.name = "LineAsString";
    line.output = make_output<LineOutput>;
    line.input = make_input<LineInput>;
    line.row_border = find_line_border;
    registry.add(std::move(line));

    FormatEntry json;
    json.name = "JSONAsString";
    json.input = make_input<JsonAsStringInput>;
    json.row_border = find_json_border;
    registry.add(std::move(json));
}

} // namespace basalt
