#pragma once

// Makes text columns of blocks compact as they come, before they are sorted and written: few
// different texts become a dictionary, digits binary, lines templates and slots. Templates are
// learnt from the blocks and shared by all of them. Threads: compact() from any.

#include "columns/block.h"

#include <memory>
#include <mutex>
#include <vector>

namespace basalt::inline encodings
{

class TemplateList;
class TemplateMatcher;

class TextCompactor
{
public:
    // header: of the part that rows go to. may: which columns may become compact.
    TextCompactor(Header header, const std::vector<bool>& may);
    ~TextCompactor();

    // block: columns in the header's order, any forms. The same rows.
    Block compact(const Block& block);

private:
    enum class Kind : uint8_t // what a column was last found to be
    {
        Unknown,
        Dictionary,
        Digits,
        Lines,
        Other,
    };
    struct Column
    {
        bool may = false;
        Kind kind = Kind::Unknown;
        size_t blocks = 0; // since it was Unknown
        std::shared_ptr<TemplateList> list;
        bool refers = false; // to other columns; then none refers to it
        bool is_referred_to = false;
        std::vector<std::unique_ptr<TemplateMatcher>> idle;
    };
    // Blocks until a column's kind is asked for again.
    static constexpr size_t kBlocksOfKind = 64;

    ColumnPtr compact_column(size_t column, const Block& block);
    ColumnPtr as_dictionary(size_t column, const StringColumn& texts) const;
    ColumnPtr as_digits(const StringColumn& texts) const;
    ColumnPtr as_lines(uint32_t column, const Block& block);
    void learn(uint32_t column, const Block& block, const RowIndexes& from);
    std::unique_ptr<TemplateMatcher> take_matcher(uint32_t column);
    void update(TemplateMatcher& matcher, const TemplateList& list) const;

    Header header_;
    std::mutex mutex_;
    std::vector<Column> columns_;
};

} // namespace basalt::encodings
