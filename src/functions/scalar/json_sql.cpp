// JSON_VALUE, JSON_QUERY, JSON_EXISTS over paths: $.name, $["name"], [0], [0, 2], [0 to 2), [*].

#include "functions/scalar/json_values.h"

namespace basalt
{
namespace
{

struct PathStep
{
    enum class Kind : uint8_t
    {
        Key,
        Ranges,
        Every,
    } kind;
    std::string key;
    std::vector<std::pair<uint64_t, uint64_t>> ranges; // [first, last)
};

// Steps at most in one path.
inline constexpr size_t kMaxPathSteps = 1000;

class PathParser
{
public:
    explicit PathParser(std::string_view text) : text_(text) {}

    std::vector<PathStep> parse()
    {
        if (!take('$'))
            fail();
        std::vector<PathStep> steps;
        while (skip_spaces(), at_ < text_.size())
        {
            if (steps.size() == kMaxPathSteps)
                fail();
            if (take('.'))
                steps.push_back(member());
            else if (take('['))
                steps.push_back(subscript());
            else
                fail();
        }
        return steps;
    }

private:
    [[noreturn]] void fail() const
    {
        throw Error(error_codes::BAD_ARGUMENTS,
                    "Unable to parse the JSONPath '" + std::string(text_) + "'");
    }
    void skip_spaces()
    {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
    }
    bool take(char c)
    {
        skip_spaces();
        if (at_ >= text_.size() || text_[at_] != c)
            return false;
        ++at_;
        return true;
    }
    static bool is_word(char c)
    {
        return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_' ||
               static_cast<unsigned char>(c) >= 0x80;
    }
    std::string quoted()
    {
        const char quote = text_[at_++];
        std::string result;
        for (; at_ < text_.size() && text_[at_] != quote; ++at_)
        {
            if (text_[at_] == '\\' && at_ + 1 < text_.size())
                ++at_;
            result += text_[at_];
        }
        if (at_ == text_.size())
            fail();
        ++at_;
        return result;
    }
    bool at_quote() const
    {
        return at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    }
    PathStep member()
    {
        skip_spaces();
        if (at_quote())
            return {PathStep::Kind::Key, quoted(), {}};
        const size_t begin = at_;
        while (at_ < text_.size() && is_word(text_[at_]))
            ++at_;
        if (at_ == begin)
            fail();
        return {PathStep::Kind::Key, std::string(text_.substr(begin, at_ - begin)), {}};
    }
    uint64_t number()
    {
        skip_spaces();
        uint64_t value = 0;
        const size_t begin = at_;
        while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && at_ - begin < 18)
            value = value * 10 + static_cast<uint64_t>(text_[at_++] - '0');
        if (at_ == begin)
            fail();
        return value;
    }
    PathStep subscript()
    {
        skip_spaces();
        if (take('*'))
        {
            if (!take(']'))
                fail();
            return {PathStep::Kind::Every, "", {}};
        }
        if (at_quote())
        {
            PathStep step{PathStep::Kind::Key, quoted(), {}};
            if (!take(']'))
                fail();
            return step;
        }
        PathStep step{PathStep::Kind::Ranges, "", {}};
        do
        {
            const uint64_t first = number();
            uint64_t last = first + 1;
            skip_spaces();
            if (text_.substr(at_, 2) == "to")
            {
                at_ += 2;
                last = number();
                if (last < first)
                    fail();
            }
            step.ranges.emplace_back(first, last);
        } while (take(','));
        if (!take(']'))
            fail();
        return step;
    }

    std::string_view text_;
    size_t at_ = 0;
};

// Calls f for each match in order; f returns false to stop. Returns false when stopped.
template <class F>
bool walk(const std::vector<PathStep>& steps, size_t step, const JsonElement& element, F& f)
{
    if (step == steps.size())
        return f(element);
    const PathStep& here = steps[step];
    if (here.kind == PathStep::Kind::Key)
    {
        JsonElement child;
        if (!element.is_object() ||
            json_object(element).at_key(here.key).get(child) != simdjson::SUCCESS)
            return true;
        return walk(steps, step + 1, child, f);
    }
    if (!element.is_array())
        return true;
    if (here.kind == PathStep::Kind::Every)
    {
        for (const JsonElement item : json_array(element))
            if (!walk(steps, step + 1, item, f))
                return false;
        return true;
    }
    const simdjson::dom::array array = json_array(element);
    for (const auto& [first, last] : here.ranges)
    {
        uint64_t index = 0;
        for (const JsonElement item : array)
        {
            if (index >= last)
                break;
            if (index++ >= first && !walk(steps, step + 1, item, f))
                return false;
        }
    }
    return true;
}

// Calls f(row, match) for matches; g(row) ends each row.
template <class F, class G> void for_each_match(const Call& call, F&& f, G&& end_row)
{
    const std::vector<PathStep> steps =
        PathParser(constant_text(call.name, call.arguments, 1)).parse();
    const StringRows rows(call.column(0));
    JsonParser parser;
    for (size_t i = 0; i < call.rows; ++i)
    {
        JsonElement root;
        if (parser.parse(rows[i], root))
        {
            auto visit = [&](const JsonElement& match) { return f(i, match); };
            walk(steps, 0, root, visit);
        }
        end_row(i);
    }
}

ColumnPtr run_value(const Call& call)
{
    StringWriter out(call.rows);
    for_each_match(
        call,
        [&](size_t, const JsonElement& match)
        {
            if (match.is_string())
                out.write(match.get_string().value_unsafe());
            else if (!match.is_array() && !match.is_object())
                write_json(out, match);
            return false; // the first match only
        },
        [&](size_t) { out.end_row(); });
    return out.finish();
}

ColumnPtr run_query(const Call& call)
{
    StringWriter out(call.rows);
    for_each_match(
        call,
        [&](size_t, const JsonElement& match)
        {
            out.write(out.column().chars().size() == out.row_begin() ? "[" : ", ");
            write_json(out, match);
            return true;
        },
        [&](size_t)
        {
            if (out.column().chars().size() != out.row_begin())
                out.write(']');
            out.end_row();
        });
    return out.finish();
}

ColumnPtr run_exists(const Call& call)
{
    auto result = std::make_shared<VectorColumn<uint8_t>>(call.rows, 0);
    for_each_match(
        call,
        [&](size_t i, const JsonElement&)
        {
            result->data()[i] = 1;
            return false;
        },
        [](size_t) {});
    return result;
}

constexpr FunctionSpec kValue{"JSON_VALUE", "s s!", type_is<TypeId::String>, run_value};
constexpr FunctionSpec kQuery{"JSON_QUERY", "s s!", type_is<TypeId::String>, run_query};
constexpr FunctionSpec kExists{"JSON_EXISTS", "s s!", type_is<TypeId::UInt8>, run_exists};

} // namespace

void register_json_sql(ScalarRegistry& registry)
{
    add_all<kValue, kQuery, kExists>(registry);
}

} // namespace basalt
