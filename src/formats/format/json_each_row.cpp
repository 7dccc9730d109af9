#include "formats/json_input.h"
#include "formats/row_output.h"

#include <fmt/core.h>

namespace basalt
{

namespace
{

class JsonEachRowOutput : public RowOutput
{
public:
    JsonEachRowOutput(OutputBuffer& out, const FormatOptions& options, bool strings,
                      bool may_be_array)
        : RowOutput(out, options), strings_(strings),
          is_array_(may_be_array && options.settings.get_bool("output_format_json_array_of_rows"))
    {
    }

protected:
    void write_prefix() override
    {
        for (size_t i = 0; i < header_.size(); ++i)
        {
            std::string key = i ? "," : "{";
            StringOutputBuffer buffer(key);
            write_json_string(buffer, header_[i].name, text_.json_escape_forward_slashes);
            buffer.write(':');
            buffer.finish();
            keys_.push_back(std::move(key));
        }
        if (is_array_)
            out_.write("[\n");
    }

    void write_suffix() override
    {
        if (is_array_)
            out_.write("\n]\n");
    }

    void write_object(const Block& block, size_t row)
    {
        if (keys_.empty())
            out_.write('{');
        for (size_t i = 0; i < keys_.size(); ++i)
        {
            out_.write(keys_[i].data(), keys_[i].size());
            if (strings_)
                write_json_readable(*block[i].column, i, row);
            else
                write_value(block, i, row, TextPlace::Json);
        }
        out_.write('}');
    }

    void write_row(const Block& block, size_t row) override
    {
        if (is_array_ && rows_)
            out_.write(",\n");
        write_object(block, row);
        if (!is_array_)
            out_.write('\n');
    }

private:
    bool strings_;
    bool is_array_;
    std::vector<std::string> keys_; // {"a": and ,"b":
};

// An object whose keys are row_1, row_2, … or the values of a column.
class JsonObjectEachRowOutput final : public JsonEachRowOutput
{
public:
    JsonObjectEachRowOutput(OutputBuffer& out, const FormatOptions& options)
        : JsonEachRowOutput(out, options, false, false)
    {
        const auto column =
            options.settings.get("format_json_object_each_row_column_for_object_name");
        if (!column.empty())
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "format_json_object_each_row_column_for_object_name is not implemented");
    }

protected:
    void write_prefix() override
    {
        JsonEachRowOutput::write_prefix();
        out_.write("{\n");
    }
    void write_suffix() override { out_.write("\n}\n"); }
    void write_row(const Block& block, size_t row) override
    {
        if (rows_)
            out_.write(",\n");
        out_.write(fmt::format("\t\"row_{}\": ", rows_ + 1));
        write_object(block, row);
    }
};

// One object after another, each over several lines.
class PrettyJsonEachRowOutput final : public RowOutput
{
public:
    using RowOutput::RowOutput;

protected:
    void write_prefix() override { text_.json_indent = "    "; }
    void write_row(const Block& block, size_t row) override
    {
        out_.write("{\n");
        for (size_t i = 0; i < header_.size(); ++i)
        {
            out_.write(text_.json_indent);
            write_json_string(out_, header_[i].name, text_.json_escape_forward_slashes);
            out_.write(": ");
            serializations_[i]->write_json_pretty(*block[i].column, row, out_, text_, 1);
            out_.write(i + 1 < header_.size() ? ",\n" : "\n");
        }
        out_.write("}\n");
    }
};

class JsonCompactEachRowOutput final : public RowOutput
{
public:
    JsonCompactEachRowOutput(OutputBuffer& out, const FormatOptions& options, bool strings,
                             HeaderLines lines)
        : RowOutput(out, options), strings_(strings), lines_(lines)
    {
    }

    void totals(const Block& block) override
    {
        out_.write('\n');
        for (size_t row = 0; row < block.rows(); ++row)
            write_row(block, row);
    }

protected:
    void write_prefix() override
    {
        if (lines_ == HeaderLines::None)
            return;
        write_line(false);
        if (lines_ == HeaderLines::NamesAndTypes)
            write_line(true);
    }

    void write_row(const Block& block, size_t row) override
    {
        out_.write('[');
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (i)
                out_.write(", ");
            if (strings_)
                write_json_readable(*block[i].column, i, row);
            else
                write_value(block, i, row, TextPlace::Json);
        }
        out_.write("]\n");
    }

private:
    void write_line(bool types)
    {
        out_.write('[');
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (i)
                out_.write(", ");
            write_json_string(out_, types ? header_[i].type->name() : header_[i].name,
                              text_.json_escape_forward_slashes);
        }
        out_.write("]\n");
    }

    bool strings_;
    HeaderLines lines_;
};

void add(FormatRegistry& registry, const char* name, OutputFormatFactory output,
         InputFormatFactory input, RowBorderFinder border, const char* content_type)
{
    FormatEntry entry;
    entry.name = name;
    entry.output = output;
    entry.input = input;
    entry.row_border = border;
    entry.content_type = content_type;
    registry.add(std::move(entry));
}

template <bool kStrings, HeaderLines kLines>
void add_compact(FormatRegistry& registry, const char* name)
{
    constexpr JsonRows kRows = kStrings ? JsonRows::StringArrays : JsonRows::Arrays;
    constexpr JsonFrame kFrame = kLines == HeaderLines::None    ? JsonFrame::Rows
                                 : kLines == HeaderLines::Names ? JsonFrame::RowsWithNames
                                                                : JsonFrame::RowsWithNamesAndTypes;
    add(registry, name, make_output<JsonCompactEachRowOutput, kStrings, kLines>,
        make_json_input<kRows, kFrame>,
        kLines == HeaderLines::None ? find_json_border : nullptr, kJsonContentType);
}

} // namespace

void register_json_each_row(FormatRegistry& registry)
{
    for (const char* name : {"JSONEachRow", "JSONLines", "NDJSON", "JSONL"})
        add(registry, name, make_output<JsonEachRowOutput, false, true>,
            make_json_input<JsonRows::Objects, JsonFrame::Rows>, find_json_border,
            kNdjsonContentType);
    add(registry, "JSONStringsEachRow", make_output<JsonEachRowOutput, true, true>,
        make_json_input<JsonRows::StringObjects, JsonFrame::Rows>, find_json_border,
        kNdjsonContentType);
    for (const char* name : {"PrettyJSONEachRow", "PrettyJSONLines", "PrettyNDJSON"})
        add(registry, name, make_output<PrettyJsonEachRowOutput>, nullptr, nullptr,
            kNdjsonContentType);
    add(registry, "JSONObjectEachRow", make_output<JsonObjectEachRowOutput>,
        make_json_input<JsonRows::Objects, JsonFrame::NamedRows>, nullptr, kJsonContentType);

    using enum HeaderLines;
    add_compact<false, None>(registry, "JSONCompactEachRow");
    add_compact<false, Names>(registry, "JSONCompactEachRowWithNames");
    add_compact<false, NamesAndTypes>(registry, "JSONCompactEachRowWithNamesAndTypes");
    add_compact<true, None>(registry, "JSONCompactStringsEachRow");
    add_compact<true, Names>(registry, "JSONCompactStringsEachRowWithNames");
    add_compact<true, NamesAndTypes>(registry, "JSONCompactStringsEachRowWithNamesAndTypes");
}

} // namespace basalt
