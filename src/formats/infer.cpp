#include "formats/infer.h"

#include "base/error.h"
#include "columns/string_text.h"
#include "formats/guess.h"
#include "formats/native.h"
#include "io/binary.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace basalt
{

namespace
{

constexpr uint64_t kMaxInferredColumns = 100'000;
constexpr uint64_t kMaxInferenceBytes = 1 << 28;
constexpr uint64_t kMaxNameBytes = 1 << 20;

[[noreturn]] void fail(std::string_view format, std::string_view why)
{
    throw Error(error_codes::CANNOT_EXTRACT_TABLE_STRUCTURE,
                fmt::format("The table structure cannot be extracted from a {} format file: {}. You "
                            "can specify the structure manually",
                            format, why));
}

// Settings of guessing that only have their usual value here.
void check_settings(const Settings& settings)
{
    for (const char* name :
         {"schema_inference_make_columns_nullable", "schema_inference_hints",
          "column_names_for_schema_inference", "schema_inference_make_json_columns_nullable",
          "input_format_csv_use_best_effort_in_schema_inference",
          "input_format_tsv_use_best_effort_in_schema_inference",
          "input_format_csv_try_infer_numbers_from_strings",
          "input_format_csv_try_infer_strings_from_quoted_tuples",
          "input_format_json_try_infer_numbers_from_strings",
          "input_format_json_try_infer_named_tuples_from_objects",
          "input_format_json_infer_incomplete_types_as_strings",
          "input_format_json_read_numbers_as_strings", "input_format_json_read_bools_as_strings",
          "input_format_json_read_bools_as_numbers", "input_format_try_infer_variants",
          "input_format_try_infer_datetimes_only_datetime64"})
        if (settings.changed(name))
            throw Error(error_codes::NOT_IMPLEMENTED,
                        fmt::format("Guessing a structure under another value of {} is not "
                                    "implemented: specify the structure",
                                    name));
}

// Names, types and values of columns, in order.
class GuessedColumns
{
public:
    GuessedColumns(std::string_view format, const FormatOptions& options)
        : format_(format), rules_(GuessRules::from(options.settings)),
          max_rows_(
              options.settings.get_uint("input_format_max_rows_to_read_for_schema_inference"))
    {
    }

    const GuessRules& rules() const { return rules_; }
    std::string_view format() const { return format_; }
    bool wants_rows() const { return rows_ < max_rows_; }

    void set_names(const std::vector<std::string>& names)
    {
        names_ = names;
        check_names();
    }
    void set_types(const std::vector<std::string>& types)
    {
        if (types.size() != names_.size())
            fail(format_, fmt::format("{} names and {} types", names_.size(), types.size()));
        for (const auto& type : types)
            types_.push_back(type_from_name(type));
    }
    bool has_types() const { return !types_.empty(); }

    void add_row(std::vector<Guess> row, bool json)
    {
        if (rows_++ == 0)
            guesses_ = std::move(row);
        else
        {
            if (row.size() != guesses_.size())
                fail(format_, "rows have different numbers of values");
            for (size_t i = 0; i < row.size(); ++i)
                unite(guesses_[i], row[i], json, i);
        }
    }

    // A row that names its values.
    void add_object(const Guess& row)
    {
        ++rows_;
        for (size_t i = 0; i < row.names.size(); ++i)
        {
            const auto [found, is_new] = places_.try_emplace(row.names[i], names_.size());
            if (is_new)
            {
                if (names_.size() >= kMaxInferredColumns)
                    fail(format_, "there are too many columns");
                names_.push_back(row.names[i]);
                guesses_.emplace_back();
            }
            unite(guesses_[found->second], row.parts[i], true, found->second);
        }
    }

    Header header() const
    {
        Header header;
        if (!types_.empty())
        {
            for (size_t i = 0; i < types_.size(); ++i)
                header.push_back({names_[i], types_[i]});
            return header;
        }
        if (guesses_.empty())
            fail(format_, "there are no rows");
        if (!names_.empty() && names_.size() != guesses_.size())
            fail(format_, fmt::format("the header has {} names, rows have {} values",
                                      names_.size(), guesses_.size()));
        for (size_t i = 0; i < guesses_.size(); ++i)
            header.push_back({names_.empty() ? fmt::format("c{}", i + 1) : names_[i],
                              type_of_guess(guesses_[i])});
        return header;
    }

private:
    void check_names() const
    {
        std::set<std::string_view> seen;
        for (const auto& name : names_)
            if (!seen.insert(name).second)
                fail(format_, fmt::format("column {} stands there twice", name));
    }

    void unite(Guess& into, const Guess& other, bool json, size_t column) const
    {
        if (json ? unite_json(into, other, true) : unite_fields(into, other))
            return;
        if (json)
            fail(format_, fmt::format("values of column {} have types that do not go together",
                                      names_.empty() ? fmt::format("c{}", column + 1)
                                                     : names_[column]));
        into = {Guess::Kind::String};
    }

    std::string format_;
    GuessRules rules_;
    uint64_t max_rows_, rows_ = 0;
    std::vector<std::string> names_;
    std::vector<TypePtr> types_;
    std::vector<Guess> guesses_;
    std::map<std::string, size_t> places_;
};

struct Delimited // which of the formats with a value behind the other
{
    bool csv = false, raw = false, names = false, types = false;
};

class DelimitedLines
{
public:
    DelimitedLines(std::string_view bytes, Delimited kind, GuessedColumns& columns,
                   const FormatOptions& options)
        : cursor_(bytes, true), kind_(kind), columns_(columns), text_(options.text),
          settings_(options.settings), delimiter_(kind.csv ? options.text.csv_delimiter : '\t')
    {
    }

    void read()
    {
        cursor_.skip_word("\xEF\xBB\xBF"); // byte order mark
        const std::string word = kind_.csv ? "csv" : "tsv";
        for (uint64_t skip = settings_.get_uint("input_format_" + word + "_skip_first_lines");
             skip > 0; --skip)
            skip_line();
        std::vector<std::string> texts;
        std::vector<Guess> row, second;
        if (kind_.names)
        {
            if (!line(texts, row))
                fail(columns_.format(), "the file is empty");
            columns_.set_names(texts);
            if (!kind_.types)
                return read_rows();
            if (!line(texts, row))
                fail(columns_.format(), "there is no line of types");
            columns_.set_types(texts);
            return;
        }
        if (!line(texts, row))
            fail(columns_.format(), "the file is empty");
        if (settings_.get_bool("input_format_" + word + "_detect_header") && all_texts(row))
        {
            std::vector<std::string> values;
            const char* const start = cursor_.pos;
            if (line(values, second) && second.size() == row.size())
            {
                if (std::all_of(values.begin(), values.end(), is_type))
                {
                    columns_.set_names(texts);
                    columns_.set_types(values);
                    return;
                }
                if (std::any_of(second.begin(), second.end(), [](const Guess& guess)
                                { return guess.kind != Guess::Kind::String &&
                                         guess.kind != Guess::Kind::Nothing; }))
                {
                    columns_.set_names(texts);
                    cursor_.pos = start;
                    return read_rows();
                }
            }
            cursor_.pos = start;
        }
        columns_.add_row(std::move(row), false);
        read_rows();
    }

private:
    static bool is_type(const std::string& text)
    {
        try
        {
            return !text.empty() && type_from_name(text) != nullptr;
        }
        catch (const Error&)
        {
            return false;
        }
    }

    static bool all_texts(const std::vector<Guess>& row)
    {
        return std::all_of(row.begin(), row.end(), [](const Guess& guess)
                           { return guess.kind == Guess::Kind::String; });
    }

    void read_rows()
    {
        std::vector<std::string> texts;
        std::vector<Guess> row;
        while (columns_.wants_rows() && line(texts, row))
            columns_.add_row(row, false);
    }

    void skip_line()
    {
        const size_t end = cursor_.rest().find('\n');
        cursor_.pos = end == std::string_view::npos ? cursor_.end : cursor_.pos + end + 1;
    }

    // Whether there was one.
    bool line(std::vector<std::string>& texts, std::vector<Guess>& row)
    {
        texts.clear();
        row.clear();
        if (cursor_.at_end())
            return false;
        for (;;)
        {
            field(texts, row);
            if (row.size() > kMaxInferredColumns)
                fail(columns_.format(), "there are too many columns");
            if (!cursor_.skip(delimiter_))
                break;
        }
        cursor_.skip('\r');
        if (!cursor_.skip('\n') && !cursor_.at_end())
            fail(columns_.format(), "a value is followed by " +
                                        quoted_excerpt(cursor_.rest().substr(0, 20)));
        return true;
    }

    void field(std::vector<std::string>& texts, std::vector<Guess>& row)
    {
        PodVector<char> value;
        if (kind_.csv)
        {
            if (settings_.get_bool("input_format_csv_trim_whitespaces"))
                skip_blanks();
            bool quoted = false;
            if (!parse_csv_string(cursor_, value, text_, &quoted))
                fail(columns_.format(), "a quoted value does not end");
            if (settings_.get_bool("input_format_csv_trim_whitespaces"))
                skip_blanks();
            texts.emplace_back(value.data(), value.size());
            row.push_back(csv_guess(texts.back(), quoted));
            return;
        }
        const size_t size = std::min(cursor_.rest().find_first_of("\t\n"), cursor_.left());
        std::string_view raw = cursor_.rest().substr(0, size);
        if (raw.ends_with('\r') && settings_.get_bool("input_format_tsv_crlf_end_of_line"))
            raw.remove_suffix(1);
        const bool null = raw == text_.tsv_null;
        if (kind_.raw)
            value.append(raw.data(), raw.size());
        else
        {
            TextCursor one(raw, true);
            if (!parse_escaped(one, value))
                fail(columns_.format(), "a value is escaped wrongly");
        }
        cursor_.pos += size;
        texts.emplace_back(value.data(), value.size());
        // Arrays and their kind are read from the text as it is escaped.
        row.push_back(null ? Guess() : guess_field(texts.back(), columns_.rules(), true));
    }

    Guess csv_guess(const std::string& text, bool quoted) const
    {
        if (!quoted)
        {
            if (text == text_.csv_null)
                return {};
            // An array would go on behind the delimiter.
            return !text.empty() && (text[0] == '[' || text[0] == '{')
                       ? Guess{Guess::Kind::String}
                       : guess_field(text, columns_.rules(), false);
        }
        if (!text.empty() && (text[0] == '[' || text[0] == '{'))
            return guess_field(text, columns_.rules(), false);
        return guess_text(text, columns_.rules());
    }

    void skip_blanks()
    {
        while (!cursor_.at_end() && (*cursor_.pos == ' ' || *cursor_.pos == '\t') &&
               *cursor_.pos != delimiter_)
            ++cursor_.pos;
    }

    TextCursor cursor_;
    Delimited kind_;
    GuessedColumns& columns_;
    const TextOptions& text_;
    const Settings& settings_;
    char delimiter_;
};

void require(const TextCursor& cursor, bool good, std::string_view format)
{
    if (!good)
        fail(format, cursor.message.empty() ? "broken JSON" : cursor.message);
}

// Rows of JSON, one behind the other, perhaps with commas between and brackets around them. The last
// one may be cut when more follows that is not here.
void read_json_rows(std::string_view bytes, bool complete, bool objects, GuessedColumns& columns)
{
    TextCursor cursor(bytes);
    cursor.skip_word("\xEF\xBB\xBF");
    cursor.skip_spaces();
    if (cursor.at_end())
        fail(columns.format(), "the file is empty");
    const bool in_brackets = objects && cursor.skip('[');
    size_t rows = 0;
    while (columns.wants_rows())
    {
        cursor.skip_spaces();
        if (rows > 0 && (cursor.skip(',') || cursor.skip(';')))
            cursor.skip_spaces();
        if (cursor.at_end() || (in_brackets && cursor.peek() == ']'))
            break;
        Guess row;
        const bool good = guess_json(cursor, columns.rules(), row);
        if (!good && !complete && rows > 0 && cursor.at_end())
            break;
        require(cursor, good, columns.format());
        if (row.kind != (objects ? Guess::Kind::Named : Guess::Kind::Array))
            fail(columns.format(), "a row is no object or array");
        ++rows;
        if (objects)
            columns.add_object(row);
    }
}

// Arrays as rows: their items one by one, for types of different items.
void read_json_arrays(std::string_view bytes, bool complete, bool names, bool types,
                      GuessedColumns& columns)
{
    TextCursor cursor(bytes);
    cursor.skip_word("\xEF\xBB\xBF");
    const auto each = [&](const auto& item)
    {
        cursor.skip_spaces();
        require(cursor, cursor.expect('['), columns.format());
        cursor.skip_spaces();
        if (cursor.skip(']'))
            return;
        for (;;)
        {
            cursor.skip_spaces();
            require(cursor, item(), columns.format());
            cursor.skip_spaces();
            if (cursor.skip(']'))
                return;
            require(cursor, cursor.expect(','), columns.format());
        }
    };
    const auto texts = [&]
    {
        std::vector<std::string> list;
        each([&]
             {
                 PodVector<char> text;
                 const bool good = parse_json_string(cursor, text);
                 list.emplace_back(text.data(), text.size());
                 return good;
             });
        return list;
    };
    if (names)
        columns.set_names(texts());
    if (types)
        return columns.set_types(texts());
    size_t rows = 0;
    while (columns.wants_rows())
    {
        cursor.skip_spaces();
        if (rows > 0 && cursor.skip(','))
            cursor.skip_spaces();
        if (cursor.at_end())
            break;
        if (!complete && rows > 0)
        {
            TextCursor probe(cursor.rest(), true);
            if (!skip_json_value(probe))
                break; // cut
        }
        std::vector<Guess> row;
        each([&] { return guess_json(cursor, columns.rules(), row.emplace_back()); });
        ++rows;
        columns.add_row(std::move(row), true);
    }
}

// {"meta": [{"name": "a", "type": "UInt8"}, …], …}
void read_json_meta(std::string_view bytes, GuessedColumns& columns)
{
    TextCursor cursor(bytes);
    const auto text = [&]
    {
        PodVector<char> value;
        cursor.skip_spaces();
        require(cursor, parse_json_string(cursor, value), columns.format());
        cursor.skip_spaces();
        return std::string(value.data(), value.size());
    };
    const auto members = [&](const auto& member)
    {
        cursor.skip_spaces();
        require(cursor, cursor.expect('{'), columns.format());
        do
        {
            const std::string name = text();
            require(cursor, cursor.expect(':'), columns.format());
            if (!member(name))
                return;
            cursor.skip_spaces();
        } while (cursor.skip(','));
        require(cursor, cursor.expect('}'), columns.format());
    };
    std::vector<std::string> names, types;
    bool found = false;
    members(
        [&](const std::string& key)
        {
            cursor.skip_spaces();
            if (key != "meta")
                require(cursor, skip_json_value(cursor), columns.format());
            else
            {
                found = true;
                require(cursor, cursor.expect('['), columns.format());
                do
                {
                    members(
                        [&](const std::string& what)
                        {
                            (what == "name" ? names : types).push_back(text());
                            return true;
                        });
                    cursor.skip_spaces();
                } while (cursor.skip(','));
            }
            return !found;
        });
    if (!found)
        fail(columns.format(), "it has no metadata");
    columns.set_names(names);
    columns.set_types(types);
}

Header read_row_binary(std::string_view bytes, GuessedColumns& columns)
{
    MemoryInputBuffer in(bytes);
    const uint64_t count = read_varint(in);
    if (count > kMaxInferredColumns)
        fail(columns.format(), "there are too many columns");
    std::vector<std::string> names, types;
    for (auto* list : {&names, &types})
        for (uint64_t i = 0; i < count; ++i)
            list->push_back(read_string(in, kMaxNameBytes));
    columns.set_names(names);
    columns.set_types(types);
    return columns.header();
}

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c + 32);
    return out;
}

Delimited delimited_kind(std::string_view name)
{
    Delimited kind;
    kind.csv = name.starts_with("csv");
    kind.types = name.ends_with("withnamesandtypes");
    kind.names = kind.types || name.ends_with("withnames");
    kind.raw = name.find("raw") != std::string_view::npos;
    return kind;
}

} // namespace

size_t inference_bytes(const FormatOptions& options)
{
    return std::min(
        kMaxInferenceBytes,
        options.settings.get_uint("input_format_max_bytes_to_read_for_schema_inference"));
}

bool is_json_document(std::string_view bytes)
{
    TextCursor cursor(bytes, true);
    cursor.skip_word("\xEF\xBB\xBF");
    cursor.skip_spaces();
    if (!cursor.skip('{'))
        return false;
    cursor.skip_spaces();
    return cursor.skip_word("\"meta\"");
}

Header infer_header(std::string_view format, std::string_view bytes, bool complete,
                    const FormatOptions& options)
{
    const FormatEntry& entry = formats().get_input(format);
    const std::string name = lower(entry.name);
    const auto one = [](const char* column) -> Header
    { return {{column, simple_type(TypeId::String)}}; };
    if (name == "lineasstring")
        return one("line");
    if (name == "rawblob")
        return one("raw_blob");
    if (name == "jsonasstring")
        return one("json");
    if (bytes.empty())
        fail(entry.name, "the file is empty");
    GuessedColumns columns(entry.name, options);
    if (name == "native")
    {
        MemoryInputBuffer in(bytes);
        const auto block = read_native_block(in);
        return block ? block->header() : Header();
    }
    if (name == "rowbinarywithnamesandtypes")
        return read_row_binary(bytes, columns);
    if (name == "json" || name == "jsoncompact")
    {
        if (name == "jsoncompact" || is_json_document(bytes))
        {
            read_json_meta(bytes, columns);
            return columns.header();
        }
    }
    check_settings(options.settings);
    if (name.starts_with("csv") || name.starts_with("tsv") || name.starts_with("tabseparated") ||
        name.starts_with("raw"))
    {
        if (!complete && entry.row_border)
            if (const size_t whole = entry.row_border(bytes))
                bytes = bytes.substr(0, whole);
        DelimitedLines(bytes, delimited_kind(name), columns, options).read();
    }
    else if (name == "jsoneachrow" || name == "jsonlines" || name == "ndjson" || name == "jsonl" ||
             name == "json")
        read_json_rows(bytes, complete, true, columns);
    else if (name.starts_with("jsoncompacteachrow"))
    {
        const Delimited kind = delimited_kind(name);
        read_json_arrays(bytes, complete, kind.names, kind.types, columns);
    }
    else
        fail(entry.name, "guessing it is not implemented for this format");
    return columns.header();
}

} // namespace basalt
