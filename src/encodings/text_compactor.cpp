#include "encodings/text_compactor.h"

#include "base/error.h"
#include "encodings/hex_column.h"
#include "encodings/page_dictionary.h"
#include "encodings/slot_text.h"
#include "encodings/slot_time.h"
#include "encodings/template_column.h"
#include "encodings/template_learn.h"
#include "encodings/template_matcher.h"

#include <algorithm>
#include <numeric>

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kLearningRounds = 3;
constexpr size_t kLeastMisses = 8; // not worth another round
constexpr size_t kLeastRows = 1024; // of a block that is worth it
constexpr size_t kMostDictionaryValues = 4096;
constexpr size_t kMostLanes = 24; // of a column

// A template as lines are taken apart and checked by it.
struct LineShape
{
    struct Piece
    {
        const TemplatePart* part = nullptr;
        TimeShape time;
        size_t slot = 0; // among the matcher's values
        size_t lane = 0;
        const StringColumn* texts = nullptr;     // of SiblingText
        const SiblingNumbers* numbers = nullptr; // of SiblingNumber
    };
    std::vector<Piece> pieces;
    size_t number_lanes = 0;
    size_t text_lanes = 0;

    LineShape(const TextTemplate& parts, SiblingColumns& siblings)
    {
        size_t slot = 0;
        for (const auto& part : parts)
        {
            Piece piece{&part};
            if (part.kind == SlotKind::SiblingText)
                piece.texts = &siblings.text(part.sibling);
            else if (part.kind == SlotKind::SiblingNumber)
            {
                piece.numbers = &siblings.number(part.sibling);
                piece.lane = number_lanes++;
            }
            else if (part.kind != SlotKind::Literal)
            {
                piece.slot = slot++;
                piece.lane = has_text_lane(part) ? text_lanes++ : number_lanes++;
                if (part.kind == SlotKind::Time)
                    TimeShape::read(part.text, piece.time);
            }
            pieces.push_back(piece);
        }
    }

    // Whether writing the slots gives the line.
    bool writes(std::string_view line, size_t row, const SlotValue* values) const
    {
        const char* at = line.data();
        const char* const end = at + line.size();
        char buffer[64];
        for (const Piece& piece : pieces)
        {
            std::string_view text;
            const char* stop = buffer;
            switch (piece.part->kind)
            {
            case SlotKind::Literal:
                text = piece.part->text;
                break;
            case SlotKind::SiblingText:
                text = piece.texts->at(row);
                break;
            case SlotKind::SiblingNumber:
                stop = write_shortest_decimal(piece.numbers->mantissas[row], piece.numbers->scale,
                                              piece.numbers->power, buffer);
                break;
            case SlotKind::Time:
                stop = write_time(values[piece.slot].number.value, piece.time, buffer);
                break;
            default:
            {
                const SlotValue& value = values[piece.slot];
                if (piece.part->is_text_slot())
                    text = {value.text, value.size};
                else
                {
                    const unsigned form = value.number.form;
                    const uint64_t power = piece.part->kind == SlotKind::Decimal
                                               ? integer_power_of_ten(form)
                                               : 1;
                    stop = write_slot_number(piece.part->kind, value.number.value, form, power,
                                             buffer);
                }
            }
            }
            if (stop != buffer)
                text = {buffer, static_cast<size_t>(stop - buffer)};
            if (text.size() > static_cast<size_t>(end - at) ||
                std::memcmp(at, text.data(), text.size()) != 0)
                return false;
            at += text.size();
        }
        return at == end;
    }
};

std::vector<uint32_t> others_than(uint32_t column, size_t width)
{
    std::vector<uint32_t> others;
    for (uint32_t other = 0; other < width; ++other)
        if (other != column)
            others.push_back(other);
    return others;
}

RowIndexes all_rows(size_t rows)
{
    RowIndexes all(rows);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

// Rows of a block that are being matched.
class Lines
{
public:
    Lines(const StringColumn& texts, SiblingColumns& siblings, TemplateListPtr list)
        : texts_(texts), siblings_(siblings),
          column_(std::make_shared<TemplateColumn>(std::move(list)))
    {
        column_->ids().assign(texts.size(), TemplateColumn::kRaw);
    }

    // Matches the rows; returns those that fit nothing.
    RowIndexes match(TemplateMatcher& matcher, const RowIndexes& rows)
    {
        RowIndexes misses;
        values_.resize(kMaxTemplateParts + 1);
        while (shapes_.size() < matcher.size())
            shapes_.push_back(nullptr);
        for (const uint32_t row : rows)
        {
            const std::string_view line = texts_.at(row);
            const uint32_t number = line.size() > kMaxTemplateLine
                                        ? TemplateMatcher::kNoTemplate
                                        : matcher.match(line, row, values_.data());
            if (number == TemplateMatcher::kNoTemplate || !take(matcher, number, line, row))
                misses.push_back(row);
        }
        return misses;
    }

    // raw: rows without a template.
    std::shared_ptr<const TemplateColumn> finish(const RowIndexes& raw)
    {
        for (const uint32_t row : raw)
            text_lane(0)[row] = texts_.at(row);
        for (const auto& lane : text_lanes_)
        {
            auto column = std::make_shared<StringColumn>();
            column->reserve(lane.size());
            for (const std::string_view text : lane)
                column->append(text);
            column_->texts().push_back(std::move(column));
        }
        return column_;
    }

private:
    bool take(const TemplateMatcher& matcher, uint32_t number, std::string_view line, uint32_t row)
    {
        auto& shape = shapes_[number];
        if (!shape)
        {
            shape = std::make_unique<LineShape>(matcher.at(number), siblings_);
            if (shape->number_lanes + shape->text_lanes <= kMostLanes)
            {
                auto& lanes = column_->numbers();
                for (size_t i = lanes.size(); i < shape->number_lanes; ++i)
                {
                    lanes.emplace_back();
                    lanes.back().values.assign(texts_.size(), 0);
                    lanes.back().forms.assign(texts_.size(), 0);
                }
                for (size_t i = 0; i < shape->text_lanes; ++i)
                    text_lane(i);
            }
        }
        if (shape->number_lanes + shape->text_lanes > kMostLanes ||
            !shape->writes(line, row, values_.data()))
            return false;
        column_->ids()[row] = static_cast<uint16_t>(number + 1);
        for (const auto& piece : shape->pieces)
        {
            if (piece.numbers)
            {
                column_->numbers()[piece.lane].values[row] = piece.numbers->mantissas[row];
                column_->numbers()[piece.lane].forms[row] =
                    static_cast<uint8_t>(piece.numbers->scale);
            }
            else if (piece.part->kind == SlotKind::Literal || piece.texts)
                continue;
            else if (piece.part->is_text_slot())
                text_lanes_[piece.lane][row] = {values_[piece.slot].text,
                                                values_[piece.slot].size};
            else
            {
                column_->numbers()[piece.lane].values[row] = values_[piece.slot].number.value;
                column_->numbers()[piece.lane].forms[row] = values_[piece.slot].number.form;
            }
        }
        return true;
    }

    std::vector<std::string_view>& text_lane(size_t lane)
    {
        while (text_lanes_.size() <= lane)
            text_lanes_.emplace_back(texts_.size());
        return text_lanes_[lane];
    }

    const StringColumn& texts_;
    SiblingColumns& siblings_;
    std::shared_ptr<TemplateColumn> column_;
    std::vector<std::unique_ptr<LineShape>> shapes_; // by number
    std::vector<std::vector<std::string_view>> text_lanes_;
    std::vector<SlotValue> values_;
};

} // namespace

TextCompactor::TextCompactor(Header header, const std::vector<bool>& may)
    : header_(std::move(header)), columns_(header_.size())
{
    for (size_t i = 0; i < columns_.size(); ++i)
    {
        columns_[i].may = may[i] && header_[i].type->is(TypeId::String);
        columns_[i].list = std::make_shared<TemplateList>();
    }
}

TextCompactor::~TextCompactor() = default;

Block TextCompactor::compact(const Block& block)
{
    BASALT_ASSERT(block.width() == columns_.size());
    if (block.rows() < kLeastRows)
        return block;
    Block made = block;
    for (size_t i = 0; i < columns_.size(); ++i)
        if (columns_[i].may && block[i].column->form() == ColumnForm::String)
            made[i].column = compact_column(i, block);
    return made;
}

ColumnPtr TextCompactor::compact_column(size_t number, const Block& block)
{
    Kind kind;
    {
        std::lock_guard lock(mutex_);
        Column& column = columns_[number];
        if (++column.blocks % kBlocksOfKind == 0)
            column.kind = Kind::Unknown;
        kind = column.kind;
    }
    const ColumnPtr& original = block[number].column;
    const auto& texts = column_as<StringColumn>(*original);
    ColumnPtr made;
    const auto attempt = [&](Kind wanted, auto&& make)
    {
        if (!made && (kind == wanted || kind == Kind::Unknown) && (made = make()))
            kind = wanted;
    };
    attempt(Kind::Dictionary, [&] { return as_dictionary(number, texts); });
    attempt(Kind::Digits, [&] { return as_digits(texts); });
    attempt(Kind::Lines, [&] { return as_lines(static_cast<uint32_t>(number), block); });
    std::lock_guard lock(mutex_);
    if (made)
        columns_[number].kind = kind;
    else if (kind != Kind::Other)
        columns_[number].kind = kind == Kind::Unknown ? Kind::Other : Kind::Unknown;
    return made ? made : original;
}

ColumnPtr TextCompactor::as_dictionary(size_t column, const StringColumn& texts) const
{
    DistinctValues distinct(header_[column].type);
    PodVector<uint32_t> codes;
    codes.reserve(texts.size());
    const size_t most = std::min(kMostDictionaryValues, texts.size() / 8);
    if (!distinct.add(texts, 0, texts.size(), most, codes))
        return nullptr;
    return std::make_shared<DictionaryColumn>(distinct.values(), std::move(codes));
}

ColumnPtr TextCompactor::as_digits(const StringColumn& texts) const
{
    auto digits = HexColumn::of(texts);
    if (!digits)
        return nullptr;
    constexpr size_t kRowsAtOnce = 256;
    const HexForm& form = digits->hex_form();
    std::string written(kRowsAtOnce * form.length(), 0);
    for (size_t row = 0; row < texts.size(); row += kRowsAtOnce)
    {
        const size_t rows = std::min(kRowsAtOnce, texts.size() - row);
        form.to_texts(digits->binary().data() + row * form.width(), rows, written.data());
        if (std::memcmp(written.data(), texts.chars().data() + row * form.length(),
                        rows * form.length()) != 0)
            return nullptr;
    }
    return digits;
}

void TextCompactor::update(TemplateMatcher& matcher, const TemplateList& list) const
{
    const auto templates = list.all();
    for (size_t i = matcher.size(); i < templates.size(); ++i)
    {
        const uint32_t number = matcher.add(*templates[i]);
        BASALT_ASSERT(number == i);
    }
}

std::unique_ptr<TemplateMatcher> TextCompactor::take_matcher(uint32_t number)
{
    std::lock_guard lock(mutex_);
    auto& idle = columns_[number].idle;
    if (idle.empty())
        return std::make_unique<TemplateMatcher>();
    auto matcher = std::move(idle.back());
    idle.pop_back();
    return matcher;
}

ColumnPtr TextCompactor::as_lines(uint32_t number, const Block& block)
{
    const auto& texts = column_as<StringColumn>(*block[number].column);
    const size_t rows = texts.size();
    SiblingColumns siblings(block, others_than(number, block.width()));
    auto matcher = take_matcher(number);
    const TemplateListPtr& list = columns_[number].list;
    update(*matcher, *list);
    matcher->set_block(&siblings);
    Lines lines(texts, siblings, list);
    RowIndexes misses = all_rows(rows);
    if (matcher->size() > 0)
        misses = lines.match(*matcher, misses);
    for (size_t round = 0; round < kLearningRounds; ++round)
    {
        if (misses.size() < kLeastMisses || misses.size() * 200 < rows)
            break;
        const size_t before = matcher->size();
        learn(number, block, misses);
        update(*matcher, *list);
        if (matcher->size() == before)
            break;
        const size_t missed = misses.size();
        misses = lines.match(*matcher, misses);
        if (misses.size() * 10 > missed * 9)
            break;
    }
    matcher->set_block(nullptr);
    {
        std::lock_guard lock(mutex_);
        columns_[number].idle.push_back(std::move(matcher));
    }
    if (misses.size() * 2 >= rows)
        return nullptr;
    auto made = lines.finish(misses);
    return made->byte_size() < texts.byte_size() ? made : nullptr;
}

void TextCompactor::learn(uint32_t number, const Block& block, const RowIndexes& from)
{
    const auto& texts = column_as<StringColumn>(*block[number].column);
    std::lock_guard lock(mutex_);
    std::vector<uint32_t> allowed;
    if (!columns_[number].is_referred_to)
        for (uint32_t other = 0; other < columns_.size(); ++other)
            if (other != number && !columns_[other].refers)
                allowed.push_back(other);
    SiblingColumns siblings(block, std::move(allowed));
    const RowIndexes sample = template_sample(from, kTemplateSampleRows);
    for (const auto& parts : learn_templates(texts, sample, siblings))
    {
        if (columns_[number].list->add(parts) == TemplateList::kFull)
            return;
        for (const auto& part : parts)
            if (is_sibling(part.kind))
            {
                columns_[number].refers = true;
                columns_[part.sibling].is_referred_to = true;
            }
    }
}

} // namespace basalt::encodings
