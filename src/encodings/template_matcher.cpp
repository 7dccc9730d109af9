#include "encodings/template_matcher.h"

#include <algorithm>
#include <emmintrin.h>

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kMaxSteps = 400;  // edges tried for a line
constexpr size_t kFewLiterals = 4; // tried one by one

// Reads up to 15 bytes past both texts.
inline bool same_bytes(const char* a, const char* b, size_t size)
{
    size_t i = 0;
    for (; i + 16 <= size; i += 16)
    {
        const __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i)),
                                             _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i)));
        if (_mm_movemask_epi8(equal) != 0xFFFF)
            return false;
    }
    if (i == size)
        return true;
    const __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i)),
                                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i)));
    const unsigned wanted = (1u << (size - i)) - 1;
    return (static_cast<unsigned>(_mm_movemask_epi8(equal)) & wanted) == wanted;
}

inline uint64_t window_slot(uint64_t window, uint32_t shift)
{
    return window * 0x9fb21c651e98df25ull >> shift;
}

} // namespace

TemplateMatcher::LiteralHead TemplateMatcher::head_of(const LiteralEdge& edge)
{
    LiteralHead head;
    head.mask = edge.size >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * edge.size) - 1;
    head.bytes = load<uint64_t>(edge.text.data()) & head.mask;
    return head;
}

uint32_t TemplateMatcher::add(const TextTemplate& parts)
{
    std::string key;
    append_template(parts, key);
    if (const auto known = known_.find(key); known != known_.end())
        return known->second;
    if (templates_.size() >= kMaxTemplates)
        return kNoTemplate;
    uint32_t node = 0;
    for (const auto& part : parts)
    {
        uint32_t next = 0;
        if (part.kind == SlotKind::Literal)
        {
            for (const auto& edge : nodes_[node].literals)
                if (std::string_view(edge.text).substr(0, edge.size) == part.text)
                    next = edge.node;
        }
        else
        {
            for (const auto& edge : nodes_[node].slots)
                if (edge.part == part)
                    next = edge.node;
        }
        if (next == 0)
        {
            next = static_cast<uint32_t>(nodes_.size());
            nodes_.emplace_back();
            nodes_[node].indexed = false;
            if (part.kind == SlotKind::Literal)
                nodes_[node].literals.push_back({part.text + std::string(16, '\0'),
                                                 static_cast<uint32_t>(part.text.size()), next});
            else
            {
                nodes_[node].slots.push_back({part, {}, next});
                if (part.kind == SlotKind::Time)
                    TimeShape::read(part.text, nodes_[node].slots.back().time);
            }
        }
        node = next;
        if (is_sibling(part.kind) &&
            std::find(siblings_.begin(), siblings_.end(), part.sibling) == siblings_.end())
            siblings_.push_back(part.sibling);
    }
    // Two templates may differ in nothing that the walk sees; the first keeps the place.
    const auto number = static_cast<uint32_t>(templates_.size());
    if (nodes_[node].end == kNoTemplate)
        nodes_[node].end = number;
    templates_.push_back(parts);
    auto& slots = slot_is_text_.emplace_back();
    for (const auto& part : parts)
        if (part.kind != SlotKind::Literal && !is_sibling(part.kind))
            slots.push_back(part.is_text_slot());
    known_.emplace(std::move(key), number);
    indexed_ = false;
    return number;
}

void TemplateMatcher::set_block(SiblingColumns* block)
{
    block_ = block;
    texts_.clear();
    numbers_.clear();
    indexed_ = false;
}

void TemplateMatcher::index(Node& node)
{
    std::stable_sort(node.literals.begin(), node.literals.end(),
                     [](const LiteralEdge& a, const LiteralEdge& b) { return a.size > b.size; });
    // Siblings are the strictest slots, words the loosest.
    const auto rank = [](const SlotEdge& edge)
    {
        switch (edge.part.kind)
        {
        case SlotKind::SiblingText:
        case SlotKind::SiblingNumber:
            return 0;
        case SlotKind::Uuid:
        case SlotKind::Ipv4:
        case SlotKind::Time:
            return 1;
        case SlotKind::Integer:
            return 2;
        case SlotKind::Decimal:
            return 3;
        case SlotKind::HexLower:
        case SlotKind::HexUpper:
            return 4;
        case SlotKind::Word:
            return 5;
        case SlotKind::Path:
            return 6;
        case SlotKind::Quoted:
            return 7;
        default:
            return 8;
        }
    };
    std::stable_sort(node.slots.begin(), node.slots.end(),
                     [&](const SlotEdge& a, const SlotEdge& b) { return rank(a) < rank(b); });
    node.indexed = true;
    node.hashed = false;
    node.unhashed.clear();
    node.heads.clear();
    for (const auto& edge : node.literals)
        node.heads.push_back(head_of(edge));
    if (node.literals.size() <= kFewLiterals)
        return;
    // The window of eight bytes with most different contents among the literals that have it.
    uint32_t best_at = 0;
    size_t best = 0;
    for (uint32_t at = 0; at < 24; ++at)
    {
        std::vector<uint64_t> windows;
        for (const auto& edge : node.literals)
            if (edge.size >= at + 8)
                windows.push_back(load<uint64_t>(edge.text.data() + at));
        std::sort(windows.begin(), windows.end());
        windows.erase(std::unique(windows.begin(), windows.end()), windows.end());
        if (windows.size() > best)
        {
            best = windows.size();
            best_at = at;
        }
    }
    if (best < kFewLiterals)
        return;
    node.hashed = true;
    node.window_at = best_at;
    uint32_t slots = 16;
    while (slots < node.literals.size() * 4)
        slots *= 2;
    node.shift = 64 - static_cast<uint32_t>(__builtin_ctz(slots));
    std::vector<std::vector<uint32_t>> lists(slots);
    for (uint32_t i = 0; i < node.literals.size(); ++i)
    {
        const auto& edge = node.literals[i];
        if (edge.size >= best_at + 8)
            lists[window_slot(load<uint64_t>(edge.text.data() + best_at), node.shift)].push_back(i);
        else
            node.unhashed.push_back(i);
    }
    node.heads.clear();
    for (const uint32_t literal : node.unhashed)
        node.heads.push_back(head_of(node.literals[literal]));
    node.chain.assign(1, UINT32_MAX); // the empty list
    node.buckets.assign(slots, 0);
    for (uint32_t slot = 0; slot < slots; ++slot)
    {
        if (lists[slot].empty())
            continue;
        node.buckets[slot] = static_cast<uint32_t>(node.chain.size());
        node.chain.insert(node.chain.end(), lists[slot].begin(), lists[slot].end());
        node.chain.push_back(UINT32_MAX);
    }
}

uint32_t TemplateMatcher::match(std::string_view line, size_t row, SlotValue* values)
{
    if (!indexed_) [[unlikely]]
    {
        for (auto& node : nodes_)
            if (!node.indexed)
                index(node);
        for (const uint32_t column : siblings_)
        {
            texts_.resize(std::max<size_t>(texts_.size(), column + 1));
            numbers_.resize(std::max<size_t>(numbers_.size(), column + 1));
            const auto& texts = block_->texts();
            const auto& numbers = block_->numbers();
            if (std::find(texts.begin(), texts.end(), column) != texts.end())
                texts_[column] = &block_->text(column);
            else if (std::find(numbers.begin(), numbers.end(), column) != numbers.end())
                numbers_[column] = &block_->number(column);
        }
        indexed_ = true;
    }
    end_ = line.data() + line.size();
    row_ = row;
    values_ = values;
    found_ = kNoTemplate;
    steps_ = 0;
    walk(0, line.data(), 0);
    return found_;
}

bool TemplateMatcher::walk(uint32_t number, const char* at, size_t depth)
{
    const Node& node = nodes_[number];
    if (at == end_)
    {
        found_ = node.end;
        return node.end != kNoTemplate;
    }
    if (++steps_ > kMaxSteps)
        return false;
    if (!node.hashed)
    {
        for (size_t i = 0; i < node.heads.size(); ++i)
            if (node.heads[i].may_stand_at(at) && try_literal(node.literals[i], at, depth))
                return true;
    }
    else
    {
        const auto left = static_cast<size_t>(end_ - at);
        if (left >= node.window_at + 8)
        {
            const auto window = load<uint64_t>(at + node.window_at);
            for (const uint32_t* next =
                     node.chain.data() + node.buckets[window_slot(window, node.shift)];
                 *next != UINT32_MAX; ++next)
                if (try_literal(node.literals[*next], at, depth))
                    return true;
        }
        for (size_t i = 0; i < node.heads.size(); ++i)
            if (node.heads[i].may_stand_at(at) &&
                try_literal(node.literals[node.unhashed[i]], at, depth))
                return true;
    }
    for (const auto& edge : node.slots)
        if (try_slot(edge, at, depth))
            return true;
    return false;
}

bool TemplateMatcher::try_literal(const LiteralEdge& edge, const char* at, size_t depth)
{
    const auto left = static_cast<size_t>(end_ - at);
    return edge.size <= left && same_bytes(edge.text.data(), at, edge.size) &&
           walk(edge.node, at + edge.size, depth);
}

const char* TemplateMatcher::sibling_number_end(uint32_t column, const char* at) const
{
    const SiblingNumbers* numbers = column < numbers_.size() ? numbers_[column] : nullptr;
    if (!numbers)
        return nullptr;
    int64_t mantissa = numbers->mantissas[row_];
    if (mantissa == SiblingNumbers::kNone)
        return nullptr;
    SlotNumber number;
    const char* stop = parse_decimal(at, end_, number);
    if (!stop || number.form > numbers->scale || (number.form && number.value % 10 == 0))
        return nullptr;
    static constexpr int64_t kPowers[] = {1,      10,      100,      1000,      10000,
                                          100000, 1000000, 10000000, 100000000, 1000000000};
    // At most 18 digits and 9 more: compare the quotient instead of multiplying.
    const int64_t power = kPowers[numbers->scale - number.form];
    return mantissa % power == 0 && mantissa / power == number.value ? stop : nullptr;
}

bool TemplateMatcher::try_slot(const SlotEdge& edge, const char* at, size_t depth)
{
    const char* stop = nullptr;
    SlotValue& value = values_[depth];
    switch (edge.part.kind)
    {
    case SlotKind::SiblingText:
    {
        const StringColumn* texts =
            edge.part.sibling < texts_.size() ? texts_[edge.part.sibling] : nullptr;
        if (!texts)
            return false;
        const std::string_view text = texts->at(row_);
        return !text.empty() && text.size() <= static_cast<size_t>(end_ - at) &&
               same_bytes(text.data(), at, text.size()) &&
               walk(edge.node, at + text.size(), depth);
    }
    case SlotKind::SiblingNumber:
        stop = sibling_number_end(edge.part.sibling, at);
        return stop && walk(edge.node, stop, depth);
    case SlotKind::Integer:
        stop = parse_integer(at, end_, value.number);
        break;
    case SlotKind::Decimal:
        stop = parse_decimal(at, end_, value.number);
        break;
    case SlotKind::HexLower:
    case SlotKind::HexUpper:
    {
        const HexCase letters =
            edge.part.kind == SlotKind::HexLower ? HexCase::Lower : HexCase::Upper;
        if (edge.part.text.empty())
            stop = parse_hex_number(at, end_, letters, value.number);
        else if (const size_t run = hex_run(at, static_cast<size_t>(end_ - at), letters))
            stop = at + run;
        break;
    }
    case SlotKind::Ipv4:
        stop = parse_ipv4(at, end_, value.number);
        break;
    case SlotKind::Time:
        stop = parse_time(at, end_, edge.time, value.number.value);
        value.number.form = 0;
        break;
    case SlotKind::Uuid:
        stop = is_uuid(at, end_) ? at + 36 : nullptr;
        break;
    case SlotKind::Word:
        stop = end_of_word(at, end_);
        stop = stop == at ? nullptr : stop;
        break;
    case SlotKind::Path:
        stop = end_of_path(at, end_);
        stop = stop == at ? nullptr : stop;
        break;
    case SlotKind::Quoted:
        stop = static_cast<const char*>(
            std::memchr(at, '"', static_cast<size_t>(end_ - at)));
        break;
    case SlotKind::Rest:
        stop = end_;
        break;
    default:
        break;
    }
    if (!stop)
        return false;
    value.text = at;
    value.size = static_cast<uint32_t>(stop - at);
    return walk(edge.node, stop, depth + 1);
}

} // namespace basalt::encodings
