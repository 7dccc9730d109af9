// splitBy*, alphaTokens, tokens, ngrams.

#include "functions/scalar/column_rows.h"
#include "functions/scalar/regexp.h"
#include "functions/scalar/utf8.h"

#include <fmt/core.h>

namespace basalt
{
namespace
{

// Collects the pieces of every row into an array of strings.
class PieceWriter
{
public:
    explicit PieceWriter(size_t rows)
        : pieces_(rows), offsets_(std::make_shared<VectorColumn<uint64_t>>())
    {
        offsets_->reserve(rows);
    }
    void piece(std::string_view text)
    {
        pieces_.row(text);
        ++in_row_;
    }
    void end_row()
    {
        offsets_->data().push_back(pieces_.column().offsets().size());
        in_row_ = 0;
    }
    size_t in_row() const { return in_row_; }
    ColumnPtr finish() { return ArrayColumn::make(pieces_.finish(), offsets_); }

private:
    StringWriter pieces_;
    std::shared_ptr<VectorColumn<uint64_t>> offsets_;
    size_t in_row_ = 0;
};

bool is_ascii_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}
bool is_ascii_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}
bool is_not_letter(char c)
{
    return !is_ascii_letter(c);
}
bool is_ascii_space_or_punctuation(char c)
{
    const auto u = static_cast<unsigned char>(c);
    return u < 0x80 && u > 0x20 ? !is_ascii_letter(c) && !(c >= '0' && c <= '9') && u != 0x7F
                                : is_ascii_space(c);
}
// Bytes over 127 belong to tokens.
bool is_token_separator(char c)
{
    return static_cast<unsigned char>(c) < 0x80 && !is_ascii_letter(c) && !(c >= '0' && c <= '9');
}

// Runs of bytes that are not separators; at most `limit` (0: all).
template <class Separator>
void split_runs(std::string_view text, size_t limit, Separator is_separator, PieceWriter& out)
{
    for (size_t at = 0; at < text.size();)
    {
        while (at < text.size() && is_separator(text[at]))
            ++at;
        const size_t begin = at;
        while (at < text.size() && !is_separator(text[at]))
            ++at;
        if (at > begin)
        {
            if (limit != 0 && out.in_row() == limit)
                return;
            out.piece(text.substr(begin, at - begin));
        }
    }
}

// max_substrings: with splitby_max_substrings_includes_remaining_string the last piece is all the
// rest; by default the rest is dropped.
struct Limit
{
    size_t most = 0;
    bool keep_rest = false;

    Limit(const Call& call, size_t argument)
    {
        if (call.size() <= argument)
            return;
        const int64_t value = constant_integer(call.name, call.arguments, argument);
        most = value > 0 ? static_cast<size_t>(value) : 0;
        keep_rest = call.context.settings.get_bool("splitby_max_substrings_includes_remaining_string");
    }
    // Whether the piece about to be written is the last; then `rest` says what it is.
    bool full(size_t written) const { return most != 0 && written == most; }
    bool last(size_t written) const { return keep_rest && most != 0 && written + 1 == most; }
};

void split_points(std::string_view text, const Limit& limit, PieceWriter& out)
{
    for (size_t at = 0; at < text.size();)
    {
        if (limit.full(out.in_row()))
            return;
        size_t n = std::min(utf8_sequence_length(text[at]), text.size() - at);
        if (limit.last(out.in_row()))
            n = text.size() - at;
        out.piece(text.substr(at, n));
        at += n;
    }
}

void split_text(std::string_view text, const SubstringSearcher& separator, const Limit& limit,
                PieceWriter& out)
{
    if (separator.needle().empty())
    {
        split_points(text, limit, out);
        return;
    }
    size_t from = 0;
    for (;;)
    {
        if (limit.full(out.in_row()))
            return;
        const size_t hit = limit.last(out.in_row()) ? text.npos : separator.find(text, from);
        if (hit == text.npos)
        {
            out.piece(text.substr(from));
            return;
        }
        out.piece(text.substr(from, hit - from));
        from = hit + separator.needle().size();
    }
}

template <bool kChar> ColumnPtr run_split_by_string(const Call& call)
{
    const std::string separator = constant_text(call.name, call.arguments, 0);
    if (kChar && separator.size() != 1)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Illegal separator for function {}. Must be exactly one byte",
                                call.name));
    const Limit limit(call, 2);
    const SubstringSearcher searcher(separator);
    const StringRows rows(call.column(1));
    PieceWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        split_text(rows[i], searcher, limit, out);
        out.end_row();
    }
    return out.finish();
}

ColumnPtr run_split_by_regexp(const Call& call)
{
    const std::string pattern = constant_text(call.name, call.arguments, 0);
    const Limit limit(call, 2);
    const StringRows rows(call.column(1));
    PieceWriter out(call.rows);
    std::optional<Regexp> regexp;
    if (!pattern.empty())
        regexp.emplace(pattern);
    std::vector<re2::StringPiece> groups(1);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const std::string_view text = rows[i];
        if (!regexp)
            split_points(text, limit, out);
        else
            for (size_t from = 0;;)
            {
                if (limit.full(out.in_row()))
                    break;
                if (limit.last(out.in_row()) || from > text.size() ||
                    !regexp->find(text, from, groups) || groups[0].empty())
                {
                    out.piece(text.substr(from));
                    break;
                }
                const auto hit = static_cast<size_t>(groups[0].data() - text.data());
                out.piece(text.substr(from, hit - from));
                from = hit + groups[0].size();
            }
        out.end_row();
    }
    return out.finish();
}

template <bool (*kIsSeparator)(char)> ColumnPtr run_split_runs(const Call& call)
{
    const Limit limit(call, 1);
    const StringRows rows(call.column(0));
    PieceWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        split_runs(rows[i], limit.most, kIsSeparator, out);
        out.end_row();
    }
    return out.finish();
}

void write_ngrams(std::string_view text, size_t n, PieceWriter& out)
{
    size_t end = 0;
    for (size_t i = 0; i < n; ++i)
    {
        if (end >= text.size())
            return;
        end = utf8_advance(text, end, 1);
    }
    for (size_t begin = 0;;)
    {
        out.piece(text.substr(begin, end - begin));
        if (end >= text.size())
            return;
        begin = utf8_advance(text, begin, 1);
        end = utf8_advance(text, end, 1);
    }
}

size_t ngram_length(const Call& call, size_t argument)
{
    const int64_t n = constant_integer(call.name, call.arguments, argument);
    if (n < 1)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Argument {} of function {} should be greater than 0",
                                argument + 1, call.name));
    return static_cast<size_t>(n);
}

ColumnPtr run_ngrams(const Call& call)
{
    const size_t n = ngram_length(call, 1);
    const StringRows rows(call.column(0));
    PieceWriter out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        write_ngrams(rows[i], n, out);
        out.end_row();
    }
    return out.finish();
}

// Cuts at whichever of the separators stands first; empty pieces are dropped.
void split_by_any(std::string_view text, const std::vector<std::string>& separators,
                  PieceWriter& out)
{
    size_t begin = 0;
    for (size_t at = 0; at < text.size();)
    {
        size_t size = 0;
        for (const std::string& separator : separators)
            if (text.substr(at).starts_with(separator))
            {
                size = separator.size();
                break;
            }
        if (size == 0)
        {
            ++at;
            continue;
        }
        if (at > begin)
            out.piece(text.substr(begin, at - begin));
        at += size;
        begin = at;
    }
    if (begin < text.size())
        out.piece(text.substr(begin));
}

ColumnPtr run_tokens(const Call& call)
{
    const std::string kind =
        call.size() > 1 ? constant_text(call.name, call.arguments, 1) : "splitByNonAlpha";
    const StringRows rows(call.column(0));
    PieceWriter out(call.rows);
    std::vector<std::string> separators{" "};
    size_t n = 3;
    if (kind == "ngrams" && call.size() > 2)
        n = ngram_length(call, 2);
    if (kind == "splitByString" && call.size() > 2)
    {
        const Value value = constant_value(call.name, call.arguments, 2);
        const auto* array = value.get_if<ArrayValue>();
        if (!array)
            throw_illegal_type(call.name, call.arguments, 2, "Array(String)");
        separators.clear();
        for (const Value& item : array->items)
            separators.push_back(item.get<std::string>());
    }
    if (kind != "splitByNonAlpha" && kind != "ngrams" && kind != "splitByString" &&
        kind != "array")
        throw Error(kind == "sparseGrams" ? error_codes::NOT_IMPLEMENTED
                                          : error_codes::BAD_ARGUMENTS,
                    fmt::format("Function {} does not support tokenizer '{}'", call.name, kind));
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (kind == "ngrams")
            write_ngrams(rows[i], n, out);
        else if (kind == "splitByString")
            split_by_any(rows[i], separators, out);
        else if (kind == "array")
            out.piece(rows[i]);
        else
            split_runs(rows[i], 0, is_token_separator, out);
        out.end_row();
    }
    return out.finish();
}

constexpr auto kStrings = type_is_array_of<TypeId::String>;
constexpr FunctionSpec kChar{"splitByChar", "s! s [ i!", kStrings, run_split_by_string<true>};
constexpr FunctionSpec kString{"splitByString", "s! s [ i!", kStrings,
                               run_split_by_string<false>};
constexpr FunctionSpec kRegexp{"splitByRegexp", "s! s [ i!", kStrings, run_split_by_regexp};
constexpr FunctionSpec kWhitespace{"splitByWhitespace", "s [ i!", kStrings,
                                   run_split_runs<is_ascii_space>};
constexpr FunctionSpec kNonAlpha{"splitByNonAlpha", "s [ i!", kStrings,
                                 run_split_runs<is_ascii_space_or_punctuation>};
constexpr FunctionSpec kAlpha{"alphaTokens", "s [ i!", kStrings, run_split_runs<is_not_letter>,
                              0, "splitByAlpha"};
constexpr FunctionSpec kTokens{"tokens", "s [ s! *!", kStrings, run_tokens};
constexpr FunctionSpec kNgrams{"ngrams", "s i!", kStrings, run_ngrams};

} // namespace

void register_split(ScalarRegistry& registry)
{
    add_all<kChar, kString, kRegexp, kWhitespace, kNonAlpha, kAlpha, kTokens, kNgrams>(registry);
}

} // namespace basalt
