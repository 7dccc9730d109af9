#include "formats/delimited_input.h"
#include "formats/row_output.h"

namespace basalt
{

namespace
{

class CsvOutput final : public RowOutput
{
public:
    CsvOutput(OutputBuffer& out, const FormatOptions& options, HeaderLines lines)
        : RowOutput(out, options), lines_(lines),
          line_end_(options.settings.get_bool("output_format_csv_crlf_end_of_line") ? "\r\n"
                                                                                     : "\n"),
          splits_header_(options.settings.get_bool(
              "output_format_csv_header_serialize_tuple_into_separate_columns") &&
                         options.text.csv_tuple_as_columns)
    {
    }

    void totals(const Block& block) override { write_apart(block); }
    void extremes(const Block& block) override { write_apart(block); }

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
        for (size_t i = 0; i < serializations_.size(); ++i)
        {
            if (i)
                out_.write(text_.csv_delimiter);
            write_value(block, i, row, TextPlace::Csv);
        }
        out_.write(line_end_);
    }

private:
    // A tuple that is written as several fields has as many in the header.
    void write_field(const std::string& name, const TypePtr& type, bool types, bool& first)
    {
        if (splits_header_ && type->is(TypeId::Tuple) &&
            !type_as<TupleType>(type).elements().empty())
        {
            const auto& tuple = type_as<TupleType>(type);
            for (size_t i = 0; i < tuple.elements().size(); ++i)
                write_field(name + "." + (tuple.named() ? tuple.names()[i] : std::to_string(i + 1)),
                            tuple.elements()[i], types, first);
            return;
        }
        if (!first)
            out_.write(text_.csv_delimiter);
        first = false;
        write_csv_string(out_, types ? type->name() : name);
    }

    void write_line(bool types)
    {
        bool first = true;
        for (const NamedType& column : header_)
            write_field(column.name, column.type, types, first);
        out_.write(line_end_);
    }

    void write_apart(const Block& block)
    {
        out_.write(line_end_);
        for (size_t row = 0; row < block.rows(); ++row)
            write_row(block, row);
    }

    HeaderLines lines_;
    std::string_view line_end_;
    bool splits_header_;
};

template <HeaderLines kLines> void add(FormatRegistry& registry, const char* name)
{
    FormatEntry entry;
    entry.name = name;
    entry.output = make_output<CsvOutput, kLines>;
    entry.input = [](InputBuffer& in, InputFormatContext context)
    { return make_delimited_input(in, std::move(context), TextPlace::Csv, kLines); };
    if (kLines == HeaderLines::None)
        entry.row_border = find_csv_border;
    entry.content_type = kLines == HeaderLines::None
                             ? "text/csv; charset=UTF-8; header=absent"
                             : "text/csv; charset=UTF-8; header=present";
    registry.add(std::move(entry));
}

} // namespace

void register_csv(FormatRegistry& registry)
{
    add<HeaderLines::None>(registry, "CSV");
    add<HeaderLines::Names>(registry, "CSVWithNames");
    add<HeaderLines::NamesAndTypes>(registry, "CSVWithNamesAndTypes");
}

} // namespace basalt
