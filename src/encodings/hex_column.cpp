#include "encodings/hex_column.h"

#include "base/error.h"

#include <algorithm>

namespace basalt::inline encodings
{

namespace
{

void take_dashes_out(const char* text, char* digits)
{
    std::memcpy(digits, text, 8);
    std::memcpy(digits + 8, text + 9, 4);
    std::memcpy(digits + 12, text + 14, 4);
    std::memcpy(digits + 16, text + 19, 4);
    std::memcpy(digits + 20, text + 24, 12);
}

void put_dashes_in(const char* digits, char* text)
{
    std::memcpy(text, digits, 8);
    std::memcpy(text + 9, digits + 8, 4);
    std::memcpy(text + 14, digits + 12, 4);
    std::memcpy(text + 19, digits + 16, 4);
    std::memcpy(text + 24, digits + 20, 12);
    for (const size_t at : kUuidDashes)
        text[at] = '-';
}

bool has_dashes(const char* text)
{
    return std::all_of(std::begin(kUuidDashes), std::end(kUuidDashes),
                       [&](size_t at) { return text[at] == '-'; });
}

template <size_t width>
void join_fixed(const std::vector<const char*>& from, const std::vector<MergeRun>& runs, char* to)
{
    constexpr size_t kAhead = 16; // runs
    for (size_t r = 0; r < runs.size(); ++r)
    {
        if (r + kAhead < runs.size())
            __builtin_prefetch(from[runs[r + kAhead].source] + runs[r + kAhead].begin * width);
        const MergeRun& run = runs[r];
        const char* values = from[run.source] + run.begin * width;
        for (uint32_t i = 0; i < run.count; ++i, to += width, values += width)
            std::memcpy(to, values, width);
    }
}

} // namespace

std::optional<HexForm> HexForm::of(const StringColumn& column)
{
    if (column.size() == 0)
        return std::nullopt;
    HexForm form;
    const std::string_view first = column.at(0);
    form.dashes = first.size() == kUuidLength && has_dashes(first.data());
    if (!form.dashes && (first.size() % 2 || first.size() < 8 || first.size() > kMaxHexDigits))
        return std::nullopt;
    form.digits = static_cast<uint32_t>(form.dashes ? kUuidDigits : first.size());
    const size_t looked_at = std::min<size_t>(column.size(), 64);
    bool letters = form.dashes;
    for (size_t i = 0; i < looked_at; ++i)
    {
        for (const char c : column.at(i))
        {
            letters |= c >= 'a';
            if (c >= 'A' && c <= 'F')
                form.letters = HexCase::Upper;
        }
    }
    // Decimal numbers as text are better kept as numbers.
    if (!letters && form.letters == HexCase::Lower && form.digits <= 18)
        return std::nullopt;
    return form;
}

bool HexForm::to_binary(const char* texts, size_t count, char* out) const
{
    if (!dashes)
        return parse_hex(texts, count * digits, letters, out);
    char some[kUuidDigits];
    for (size_t i = 0; i < count; ++i, texts += kUuidLength, out += kUuidDigits / 2)
    {
        if (!has_dashes(texts))
            return false;
        take_dashes_out(texts, some);
        if (!parse_hex(some, kUuidDigits, letters, out))
            return false;
    }
    return true;
}

void HexForm::to_texts(const char* binary, size_t count, char* out) const
{
    if (!dashes)
        return write_hex(binary, count * width(), letters, out);
    char some[kUuidDigits];
    for (size_t i = 0; i < count; ++i, binary += kUuidDigits / 2, out += kUuidLength)
    {
        write_hex(binary, kUuidDigits / 2, letters, some);
        put_dashes_in(some, out);
    }
}

std::shared_ptr<StringColumn> HexForm::new_texts(size_t count) const
{
    auto column = std::make_shared<StringColumn>();
    column->chars().resize(count * length());
    column->offsets().resize(count);
    for (size_t i = 0; i < count; ++i)
        column->offsets()[i] = (i + 1) * length();
    return column;
}

std::shared_ptr<const HexColumn> HexColumn::of(const StringColumn& texts)
{
    const auto form = HexForm::of(texts);
    if (!form)
        return nullptr;
    const size_t rows = texts.size();
    const size_t length = form->length();
    const uint64_t* offsets = texts.offsets().data();
    uint64_t differences = 0;
    for (size_t i = 0; i < rows; ++i)
        differences |= offsets[i] ^ ((i + 1) * length);
    if (differences)
        return nullptr;
    // Most columns that are not of this form show it at once.
    char probe[kMaxHexDigits / 2];
    if (!form->to_binary(texts.chars().data(), 1, probe))
        return nullptr;
    PodVector<char> binary(rows * form->width());
    if (!form->to_binary(texts.chars().data(), rows, binary.data()))
        return nullptr;
    return std::make_shared<HexColumn>(*form, std::move(binary));
}

bool HexColumn::joins_with(const Column& other) const
{
    const auto* hex = dynamic_cast<const HexColumn*>(&other);
    return hex && hex->hex_form_ == hex_form_;
}

ColumnPtr HexColumn::join(const Columns& sources, const std::vector<MergeRun>& runs,
                          size_t rows) const
{
    std::vector<const char*> from;
    for (const ColumnPtr& source : sources)
        from.push_back(source ? static_cast<const HexColumn&>(*source).binary_.data() : nullptr);
    const size_t width = hex_form_.width();
    PodVector<char> joined(rows * width);
    char* to = joined.data();
    if (width == 16)
        join_fixed<16>(from, runs, to);
    else if (width == 8)
        join_fixed<8>(from, runs, to);
    else
        for (const MergeRun& run : runs)
        {
            std::memcpy(to, from[run.source] + run.begin * width, run.count * width);
            to += run.count * width;
        }
    return std::make_shared<HexColumn>(hex_form_, std::move(joined));
}

ColumnPtr HexColumn::to_flat() const
{
    auto texts = hex_form_.new_texts(size());
    hex_form_.to_texts(binary_.data(), size(), texts->chars().data());
    return texts;
}

} // namespace basalt::encodings
