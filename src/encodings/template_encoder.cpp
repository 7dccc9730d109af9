#include "encodings/template_encoder.h"

#include "codecs/codec.h"
#include "encodings/integer_stream.h"
#include "encodings/page_format.h"
#include "encodings/slot_streams.h"
#include "encodings/template_learn.h"
#include "encodings/template_streams.h"
#include "encodings/text_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kLearningRounds = 3;
constexpr size_t kLeastMisses = 8; // not worth another round
// Fewer rows than this are kept as they are, unless the part has the template already.
constexpr uint32_t kLeastRows = 4;
constexpr size_t kGatePages = 16; // compared at first and each so many
constexpr size_t kMaxSkip = 63;
// Texts of a slot that are cut into templates of their own, and how often that is tried again.
constexpr size_t kLeastNestedRows = 64;
constexpr uint32_t kWholePages = 15;

} // namespace

bool TemplateEncoder::write_page(const StringColumn& column, SiblingColumns& siblings,
                                 size_t granule_rows, std::string& out)
{
    if (column.size() < kLeastTemplateRows)
        return false;
    if (skip_ > 0)
    {
        --skip_;
        return false;
    }
    const size_t rows = column.size();
    ids_.assign(rows, kRaw);
    rows_.assign(matcher_.size(), {});
    matcher_.set_block(&siblings);
    RowIndexes misses;
    if (matcher_.size() > 0)
        misses = match(column, nullptr);
    else
    {
        misses.resize(rows);
        std::iota(misses.begin(), misses.end(), 0u);
    }
    for (size_t round = 0; round < kLearningRounds; ++round)
    {
        if (misses.size() < kLeastMisses || misses.size() * 200 < rows)
            break;
        const size_t before = matcher_.size();
        learn(column, siblings, misses);
        if (matcher_.size() == before)
            break;
        rows_.resize(matcher_.size());
        const size_t missed = misses.size();
        misses = match(column, &misses);
        if (misses.size() * 10 > missed * 9)
            break;
    }
    const bool fits = misses.size() * 2 < rows;
    if (fits)
    {
        const size_t start = out.size();
        demote();
        const bool look = must_be_compared();
        StringColumn raw;
        for (size_t row = 0; row < rows; ++row)
            if (ids_[row] == kRaw)
                raw.append(column.at(row));
        const size_t shared = shared_order_.size();
        const size_t used = used_siblings_.size();
        write(raw, siblings, granule_rows, out);
        if (!look || is_smaller(out.size() - start, column, column.chars().size()))
        {
            lost_ = 0;
            return true;
        }
        out.resize(start);
        forget_shared(shared, used);
    }
    return lose();
}

bool TemplateEncoder::must_be_compared()
{
    return depth_ == 0 && (pages_++ < 2 || pages_ % kGatePages == 0 || lost_ > 0);
}

bool TemplateEncoder::lose()
{
    skip_ = std::min(kMaxSkip, (size_t{1} << std::min<size_t>(lost_, 10)) - 1);
    ++lost_;
    return false;
}

// Whether a page of this size is a tenth smaller than what ZSTD makes of the texts.
bool TemplateEncoder::is_smaller(size_t bytes, const StringColumn& texts, size_t text_bytes) const
{
    const size_t size = texts.chars().size();
    const size_t some = std::min(size, kTemplateGateBytes);
    std::string packed;
    codec_registry()
        .make_from_text(fmt::format("ZSTD({})", level_))
        ->compress({texts.chars().data() + (size - some) / 2, some}, packed);
    const double expected = static_cast<double>(packed.size()) * static_cast<double>(text_bytes) /
                            static_cast<double>(std::max<size_t>(some, 1));
    return static_cast<double>(bytes) < 0.9 * expected;
}

void TemplateEncoder::learn(const StringColumn& column, SiblingColumns& siblings,
                            const RowIndexes& from)
{
    const size_t most = depth_ == 0 ? kTemplateSampleRows : kNestedSampleRows;
    for (const auto& parts : learn_templates(column, template_sample(from, most), siblings))
        matcher_.add(parts);
}

RowIndexes TemplateEncoder::match(const StringColumn& column, const RowIndexes* rows)
{
    RowIndexes misses;
    std::vector<SlotValue> values(kMaxTemplateParts + 1);
    const size_t count = rows ? rows->size() : column.size();
    for (size_t i = 0; i < count; ++i)
    {
        const uint32_t row = rows ? (*rows)[i] : static_cast<uint32_t>(i);
        const std::string_view line = column.at(row);
        const uint32_t number = line.size() > kMaxTemplateLine
                                    ? TemplateMatcher::kNoTemplate
                                    : matcher_.match(line, row, values.data());
        if (number == TemplateMatcher::kNoTemplate)
        {
            misses.push_back(row);
            continue;
        }
        ids_[row] = number;
        Rows& into = rows_[number];
        const auto& is_text = matcher_.slot_is_text(number);
        if (into.count++ == 0)
            into.slots.resize(is_text.size());
        for (size_t slot = 0; slot < is_text.size(); ++slot)
        {
            SlotRows& values_of = into.slots[slot];
            const SlotValue& value = values[slot];
            if (is_text[slot])
            {
                values_of.texts.push_back(value.text);
                values_of.sizes.push_back(value.size);
            }
            else
            {
                values_of.values.push_back(value.number.value);
                values_of.forms.push_back(value.number.form);
            }
        }
    }
    return misses;
}

void TemplateEncoder::demote()
{
    std::vector<bool> demoted(rows_.size(), false);
    bool any = false;
    for (uint32_t number = 0; number < rows_.size(); ++number)
    {
        const uint32_t count = rows_[number].count;
        if (count == 0)
            continue;
        const bool known = number < shared_numbers_.size() && shared_numbers_[number];
        if (count < (known ? 2 : kLeastRows))
            demoted[number] = any = true;
    }
    if (!any)
        return;
    for (auto& id : ids_)
        if (id != kRaw && demoted[id])
            id = kRaw;
    for (uint32_t number = 0; number < rows_.size(); ++number)
        if (demoted[number])
            rows_[number] = {};
}

uint32_t TemplateEncoder::shared_number(uint32_t number)
{
    shared_numbers_.resize(matcher_.size(), 0);
    uint32_t& shared = shared_numbers_[number];
    if (shared)
        return shared;
    shared_order_.push_back(number);
    shared = static_cast<uint32_t>(shared_order_.size());
    for (const auto& part : matcher_.at(number))
        if (is_sibling(part.kind) && std::find(used_siblings_.begin(), used_siblings_.end(),
                                               part.sibling) == used_siblings_.end())
            used_siblings_.push_back(part.sibling);
    return shared;
}

void TemplateEncoder::forget_shared(size_t templates, size_t siblings)
{
    for (size_t i = templates; i < shared_order_.size(); ++i)
        shared_numbers_[shared_order_[i]] = 0;
    shared_order_.resize(templates);
    used_siblings_.resize(siblings);
}

void TemplateEncoder::write(const StringColumn& raw, SiblingColumns& siblings,
                            size_t granule_rows, std::string& out)
{
    const size_t rows = ids_.size();
    // The templates of the page, most frequent first; kRaw among them.
    std::vector<uint32_t> order;
    for (uint32_t number = 0; number < rows_.size(); ++number)
        if (rows_[number].count)
            order.push_back(number);
    if (raw.size())
        order.push_back(kRaw);
    const auto count_of = [&](uint32_t number)
    { return number == kRaw ? raw.size() : rows_[number].count; };
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return count_of(a) > count_of(b); });
    std::vector<uint32_t> rank(rows_.size(), 0);
    uint32_t raw_rank = 0;
    for (uint32_t i = 0; i < order.size(); ++i)
        (order[i] == kRaw ? raw_rank : rank[order[i]]) = i;

    StreamSink sink;
    append_varint(sink.description(), order.size());
    for (const uint32_t number : order)
    {
        append_varint(sink.description(), number == kRaw ? 0 : shared_number(number));
        append_varint(sink.description(), count_of(number));
    }
    PodVector<uint64_t> codes(rows);
    for (size_t row = 0; row < rows; ++row)
        codes[row] = ids_[row] == kRaw ? raw_rank : rank[ids_[row]];
    std::string stream;
    write_integers(codes.data(), rows, false, stream);
    sink.add(stream);
    for (const uint32_t number : order)
    {
        if (number != kRaw)
        {
            write_template(number, siblings, sink);
            continue;
        }
        stream.clear();
        write_text_values(raw, level_, stream);
        sink.add(stream);
    }
    append_varint(sink.description(), used_siblings_.size());
    for (const uint32_t column : used_siblings_)
        siblings.facts(column).append_to(sink.description());
    PageHead head;
    head.encoding = PageEncoding::Templates;
    head.rows = static_cast<uint32_t>(rows);
    head.granule_rows = static_cast<uint32_t>(granule_rows);
    head.append_to(out);
    sink.finish(level_, out);
}

void TemplateEncoder::write_template(uint32_t number, SiblingColumns& siblings, StreamSink& sink)
{
    size_t slot = 0;
    for (const auto& part : matcher_.at(number))
    {
        if (part.kind == SlotKind::Literal || part.kind == SlotKind::SiblingText)
            continue;
        if (part.kind == SlotKind::SiblingNumber)
        {
            append_varint(sink.description(), siblings.number(part.sibling).scale);
            continue;
        }
        const SlotRows& rows = rows_[number].slots[slot++];
        if (!part.is_text_slot())
        {
            write_slot_numbers(part.kind, rows.values, rows.forms, sink);
            continue;
        }
        StringColumn texts;
        texts.reserve(rows.texts.size());
        for (size_t i = 0; i < rows.texts.size(); ++i)
            texts.append({rows.texts[i], rows.sizes[i]});
        std::string stream;
        write_texts(static_cast<uint64_t>(number) << 16 | (slot - 1), texts, stream);
        sink.add(stream);
    }
}

void TemplateEncoder::write_texts(uint64_t slot, const StringColumn& texts, std::string& out)
{
    if (texts.size() >= kLeastNestedRows && depth_ + 1 < kMaxTextDepth)
    {
        SlotTexts& state = slot_texts_[slot];
        if (state.whole_pages == 0)
        {
            std::string nested, whole;
            const bool fits = write_nested(state, texts, nested);
            write_text_values(texts, level_, whole);
            if (fits && nested.size() + nested.size() / 16 < whole.size())
            {
                out += nested;
                return;
            }
            state.whole_pages = kWholePages;
            out += whole;
            return;
        }
        --state.whole_pages;
    }
    write_text_values(texts, level_, out);
}

bool TemplateEncoder::write_nested(SlotTexts& slot, const StringColumn& texts, std::string& out)
{
    if (!slot.templates)
        slot.templates = std::make_unique<TemplateEncoder>(level_ > kFastTextLevel, depth_ + 1);
    TemplateEncoder& encoder = *slot.templates;
    // Each page stands for itself.
    encoder.shared_order_.clear();
    encoder.shared_numbers_.clear();
    const Block block;
    SiblingColumns none(block, {});
    std::string page;
    if (!encoder.write_page(texts, none, kIntegerBlock, page))
        return false;
    std::string shared;
    encoder.append_shared(level_, shared);
    append_template_values(shared, page, out);
    return true;
}

void TemplateEncoder::append_shared(int level, std::string& out) const
{
    std::string text;
    append_varint(text, used_siblings_.size());
    for (const uint32_t column : used_siblings_)
        append_varint(text, column);
    append_varint(text, shared_order_.size());
    for (const uint32_t number : shared_order_)
        append_template(matcher_.at(number), text);
    StreamSink sink;
    sink.description() = std::move(text);
    sink.finish(level, out);
}

} // namespace basalt::encodings
