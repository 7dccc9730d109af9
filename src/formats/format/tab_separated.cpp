#include "formats/delimited_input.h"
#include "formats/row_output.h"

namespace basalt
{

namespace
{

class TabSeparatedOutput final : public RowOutput
{
public:
    TabSeparatedOutput(OutputBuffer& out, const FormatOptions& options, HeaderLines lines,
                       TextPlace place)
        : RowOutput(out, options), lines_(lines), place_(place),
          line_end_(options.settings.get_bool("output_format_tsv_crlf_end_of_line") ? "\r\n"
                                                                                     : "\n")
    {
    }

    void totals(const Block& block) override { write_apart(block); }
    void extremes(const Block& block) override { write_apart(block); }

protected:
    void write_prefix() override
    {
        if (lines_ == HeaderLines::None)
            return;
        write_line([](const NamedType& column) { return column.name; });
        if (lines_ == HeaderLines::NamesAndTypes)
            write_line([](const NamedType& column) { return column.type->name(); });
    }

    void write_row(const Block& block, size_t row) override
    {
        for (size_t i = 0; i < serializations_.size(); ++i)
        {
            if (i)
                out_.write('\t');
            write_value(block, i, row, place_);
        }
        out_.write(line_end_);
    }

private:
    template <class Get> void write_line(const Get& get)
    {
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (i)
                out_.write('\t');
            if (place_ == TextPlace::Raw)
                out_.write(get(header_[i]));
            else
                write_escaped(out_, get(header_[i]));
        }
        out_.write(line_end_);
    }

    void write_apart(const Block& block)
    {
        out_.write(line_end_);
        for (size_t row = 0; row < block.rows(); ++row)
            write_row(block, row);
    }

    HeaderLines lines_;
    TextPlace place_;
    std::string_view line_end_;
};

template <HeaderLines kLines, TextPlace kPlace>
void add(FormatRegistry& registry, std::initializer_list<const char*> names)
{
    for (const char* name : names)
    {
        FormatEntry entry;
        entry.name = name;
        entry.output = make_output<TabSeparatedOutput, kLines, kPlace>;
        entry.input = [](InputBuffer& in, InputFormatContext context)
        { return make_delimited_input(in, std::move(context), kPlace, kLines); };
        // A header stands in one piece only.
        if (kLines == HeaderLines::None)
            entry.row_border = kPlace == TextPlace::Raw ? find_line_border : find_tsv_border;
        entry.content_type = kTsvContentType;
        registry.add(std::move(entry));
    }
}

} // namespace

void register_tab_separated(FormatRegistry& registry)
{
    using enum HeaderLines;
    constexpr TextPlace kEscaped = TextPlace::Escaped;
    constexpr TextPlace kRaw = TextPlace::Raw;
    add<None, kEscaped>(registry, {"TabSeparated", "TSV"});
    add<Names, kEscaped>(registry, {"TabSeparatedWithNames", "TSVWithNames"});
    add<NamesAndTypes, kEscaped>(registry, {"TabSeparatedWithNamesAndTypes", "TSVWithNamesAndTypes"});
    add<None, kRaw>(registry, {"TabSeparatedRaw", "TSVRaw", "Raw"});
    add<Names, kRaw>(registry, {"TabSeparatedRawWithNames", "TSVRawWithNames", "RawWithNames"});
    add<NamesAndTypes, kRaw>(registry, {"TabSeparatedRawWithNamesAndTypes",
                                        "TSVRawWithNamesAndTypes", "RawWithNamesAndTypes"});
}

} // namespace basalt
