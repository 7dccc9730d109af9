#pragma once

// Finds the template of a line and its slot values: a trie of literals and slots, walked
// literals first, longest first; the first path that reaches the end of the line is taken.

#include "encodings/slot_text.h"
#include "encodings/slot_time.h"
#include "encodings/template_siblings.h"
#include "encodings/text_template.h"

#include <unordered_map>

namespace basalt::inline encodings
{

// What one slot of a matched line holds.
struct SlotValue
{
    SlotNumber number;        // of number slots
    const char* text = nullptr; // of text slots
    uint32_t size = 0;
};

class TemplateMatcher
{
public:
    static constexpr uint32_t kNoTemplate = UINT32_MAX;

    // Returns its number; that of an equal template when there is one. kNoTemplate when there
    // are kMaxTemplates.
    uint32_t add(const TextTemplate& parts);
    size_t size() const { return templates_.size(); }
    const TextTemplate& at(uint32_t number) const { return templates_[number]; }

    // Of the slots of a template that are no siblings: 1 for text slots.
    const std::vector<uint8_t>& slot_is_text(uint32_t number) const
    {
        return slot_is_text_[number];
    }

    // Columns that templates refer to.
    const std::vector<uint32_t>& siblings() const { return siblings_; }
    // Where sibling values come from in the lines that follow.
    void set_block(SiblingColumns* block);

    // values: one for each slot of the template that is no sibling, in order. The line must have
    // kPodPadding readable bytes after it.
    uint32_t match(std::string_view line, size_t row, SlotValue* values);

private:
    // The first eight bytes of a literal, or all of fewer: most differ there.
    struct LiteralHead
    {
        uint64_t bytes = 0;
        uint64_t mask = 0;
        bool may_stand_at(const char* at) const { return (load<uint64_t>(at) & mask) == bytes; }
    };
    struct LiteralEdge
    {
        std::string text; // and 16 bytes more
        uint32_t size = 0;
        uint32_t node = 0;
    };
    struct SlotEdge
    {
        TemplatePart part;
        TimeShape time; // of a Time
        uint32_t node = 0;
    };
    struct Node
    {
        uint32_t end = kNoTemplate;        // a line may end here
        std::vector<LiteralEdge> literals; // longest first
        std::vector<SlotEdge> slots;
        bool indexed = false; // what follows is of these literals
        std::vector<LiteralHead> heads; // of all, or of those that are not hashed
        // For many literals: those with a given window of eight bytes; others are tried always.
        bool hashed = false;
        uint32_t window_at = 0;
        uint32_t shift = 0;
        std::vector<uint32_t> buckets;     // by hash, indexes into chain
        std::vector<uint32_t> chain;       // lists of literals, each ended by UINT32_MAX
        std::vector<uint32_t> unhashed;
    };

    static LiteralHead head_of(const LiteralEdge& edge);
    bool walk(uint32_t node, const char* at, size_t depth);
    bool try_literal(const LiteralEdge& edge, const char* at, size_t depth);
    bool try_slot(const SlotEdge& edge, const char* at, size_t depth);
    const char* sibling_number_end(uint32_t column, const char* at) const;
    void index(Node& node);

    std::vector<TextTemplate> templates_;
    std::vector<std::vector<uint8_t>> slot_is_text_;
    std::unordered_map<std::string, uint32_t> known_;
    std::vector<Node> nodes_ = std::vector<Node>(1);
    std::vector<uint32_t> siblings_;
    SiblingColumns* block_ = nullptr;
    // By column; of the current block.
    std::vector<const StringColumn*> texts_;
    std::vector<const SiblingNumbers*> numbers_;
    bool indexed_ = true;

    // Of the current line.
    const char* end_ = nullptr;
    size_t row_ = 0;
    SlotValue* values_ = nullptr;
    uint32_t found_ = kNoTemplate;
    size_t steps_ = 0;
};

} // namespace basalt::encodings
