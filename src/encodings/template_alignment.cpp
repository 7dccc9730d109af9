#include "encodings/template_alignment.h"

namespace basalt::inline encodings
{

namespace
{

constexpr size_t kMaxWays = 32;
constexpr size_t kMaxSteps = 20000;

class Aligner
{
public:
    Aligner(const std::vector<TemplatePage::Part>& parts, const std::vector<ByteSet>& sets,
            std::string_view text, bool at_end)
        : parts_(parts), sets_(sets), text_(text), at_end_(at_end)
    {
    }

    Alignments run(bool at_begin)
    {
        if (at_begin)
            extend(0, 0);
        else
            for (size_t part = 0; part < parts_.size(); ++part)
                begin_in(part);
        return std::move(found_);
    }

private:
    void emit()
    {
        if (found_.ways.size() >= kMaxWays)
            found_.too_many = true;
        else
            found_.ways.push_back(current_);
    }

    bool may_be_empty(size_t part) const
    {
        return parts_[part].texts || parts_[part].kind == SlotKind::SiblingText ||
               parts_[part].kind == SlotKind::SiblingNumber;
    }

    void with(SlotCondition::Kind kind, size_t part, size_t begin, size_t end, size_t next_part)
    {
        auto& condition = current_.emplace_back();
        condition.kind = kind;
        condition.part = part;
        condition.text = text_.substr(begin, end - begin);
        if (next_part == SIZE_MAX)
            emit();
        else
            extend(next_part, end);
        current_.pop_back();
    }

    // The text from `at` on stands from the begin of the part on.
    void extend(size_t part, size_t at)
    {
        if (++steps_ > kMaxSteps)
            found_.too_many = true;
        if (found_.too_many)
            return;
        if (at == text_.size() && (!at_end_ || part == parts_.size()))
            return emit();
        if (part == parts_.size())
            return;
        const std::string_view rest = text_.substr(at);
        if (parts_[part].kind == SlotKind::Literal)
        {
            const std::string& literal = parts_[part].text;
            if (rest.size() >= literal.size())
            {
                if (rest.starts_with(literal))
                    extend(part + 1, at + literal.size());
            }
            else if (!at_end_ && std::string_view(literal).starts_with(rest))
                emit();
            return;
        }
        for (size_t end = at; end <= text_.size(); ++end)
        {
            if (end > at && !sets_[part][static_cast<unsigned char>(text_[end - 1])])
                break;
            if (end == at && !may_be_empty(part))
                continue;
            if (end == text_.size() && !at_end_)
                with(SlotCondition::Kind::StartsWith, part, at, end, SIZE_MAX);
            else
                with(SlotCondition::Kind::Equals, part, at, end, part + 1);
        }
    }

    void begin_in(size_t part)
    {
        if (parts_[part].kind == SlotKind::Literal)
        {
            const std::string_view literal = parts_[part].text;
            for (size_t at = literal.find(text_[0]); at != std::string_view::npos;
                 at = literal.find(text_[0], at + 1))
            {
                const std::string_view tail = literal.substr(at);
                if (text_.size() >= tail.size())
                {
                    if (text_.starts_with(tail))
                        extend(part + 1, tail.size());
                }
                else if (!at_end_ && tail.starts_with(text_))
                    emit();
            }
            return;
        }
        for (size_t end = 1; end <= text_.size(); ++end)
        {
            if (!sets_[part][static_cast<unsigned char>(text_[end - 1])])
                break;
            if (end == text_.size() && !at_end_)
                with(SlotCondition::Kind::Contains, part, 0, end, SIZE_MAX);
            else
                with(SlotCondition::Kind::EndsWith, part, 0, end, part + 1);
        }
    }

    const std::vector<TemplatePage::Part>& parts_;
    const std::vector<ByteSet>& sets_;
    std::string_view text_;
    bool at_end_;
    Alignment current_;
    Alignments found_;
    size_t steps_ = 0;
};

} // namespace

Alignments align_text(const std::vector<TemplatePage::Part>& parts,
                      const std::vector<ByteSet>& sets, std::string_view text, bool at_begin,
                      bool at_end)
{
    return Aligner(parts, sets, text, at_end).run(at_begin);
}

} // namespace basalt::encodings
