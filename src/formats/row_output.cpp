#include "formats/row_output.h"

namespace basalt
{

bool is_shown_right(const TypePtr& type)
{
    const TypePtr inner = strip_wrappers(type);
    const TypeId id = inner->id();
    return (inner->is_number() && id != TypeId::Bool) || inner->is_date_or_time() ||
           id == TypeId::Time || id == TypeId::Time64 || id == TypeId::Interval;
}

void RowOutput::begin(const Header& header)
{
    header_ = header;
    for (const NamedType& column : header)
        serializations_.push_back(serialization_of(column.type));
    write_prefix();
}

void RowOutput::write(const Block& block)
{
    for (size_t row = 0; row < block.rows(); ++row, ++rows_)
        write_row(block, row);
}

void RowOutput::write_readable(const Column& column, size_t index, size_t row, OutputBuffer& out)
{
    if (column.is_null_at(row))
        out.write(kReadableNull);
    else
        serializations_[index]->write_text(column, row, out, TextPlace::Whole, text_);
}

void RowOutput::write_json_readable(const Column& column, size_t index, size_t row)
{
    scratch_.clear();
    StringOutputBuffer buffer(scratch_);
    write_readable(column, index, row, buffer);
    buffer.finish();
    write_json_string(out_, scratch_, text_.json_escape_forward_slashes, text_.json_validate_utf8);
}

} // namespace basalt
