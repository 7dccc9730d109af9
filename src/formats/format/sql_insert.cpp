#include "formats/row_output.h"

namespace basalt
{

namespace
{

class SqlInsertOutput final : public RowOutput
{
public:
    SqlInsertOutput(OutputBuffer& out, const FormatOptions& options)
        : RowOutput(out, options),
          max_batch_rows_(options.settings.get_uint("output_format_sql_insert_max_batch_size")),
          table_(options.settings.get("output_format_sql_insert_table_name")),
          has_names_(options.settings.get_bool("output_format_sql_insert_include_column_names")),
          quotes_names_(options.settings.get_bool("output_format_sql_insert_quote_names")),
          replaces_(options.settings.get_bool("output_format_sql_insert_use_replace"))
    {
    }

protected:
    void write_suffix() override { out_.write(";\n"); }

    void write_row(const Block& block, size_t row) override
    {
        const size_t in_batch = max_batch_rows_ ? rows_ % max_batch_rows_ : rows_;
        if (in_batch == 0)
        {
            if (rows_)
                out_.write(";\n");
            write_start();
        }
        else
            out_.write(", ");
        out_.write('(');
        for (size_t i = 0; i < header_.size(); ++i)
        {
            if (i)
                out_.write(", ");
            write_value(block, i, row, TextPlace::Quoted);
        }
        out_.write(')');
    }

private:
    void write_start()
    {
        out_.write(replaces_ ? "REPLACE INTO " : "INSERT INTO ");
        out_.write(std::string_view(table_));
        if (has_names_)
        {
            out_.write(" (");
            for (size_t i = 0; i < header_.size(); ++i)
            {
                if (i)
                    out_.write(", ");
                write_name(header_[i].name);
            }
            out_.write(')');
        }
        out_.write(" VALUES ");
    }

    void write_name(const std::string& name)
    {
        if (quotes_names_)
            out_.write('`');
        for (const char c : name)
        {
            if (quotes_names_ && c == '`')
                out_.write('\\');
            out_.write(c);
        }
        if (quotes_names_)
            out_.write('`');
    }

    uint64_t max_batch_rows_;
    std::string table_;
    bool has_names_;
    bool quotes_names_;
    bool replaces_;
};

} // namespace

void register_sql_insert(FormatRegistry& registry)
{
    FormatEntry entry;
    entry.name = "SQLInsert";
    entry.output = make_output<SqlInsertOutput>;
    registry.add(std::move(entry));
}

} // namespace basalt
