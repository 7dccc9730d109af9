#pragma once

// Sample lines of a text column as tokens, and what each has in common with others, as hashes.

#include "encodings/template_siblings.h"
#include "encodings/template_tokens.h"

#include <unordered_map>

namespace basalt::inline encodings
{

class SampleLines
{
public:
    // A token of a line that is in no other, with the tokens that it consists of.
    struct Element
    {
        uint32_t token = 0;
        uint64_t shape = 0;   // equal for delimiters that are equal, and for values of one kind
        uint64_t content = 0; // of words and units: also what words they are or hold
    };

    // rows: ascending. Lines that are too long or of too many tokens are left out.
    SampleLines(const StringColumn& column, const RowIndexes& rows, SiblingColumns& siblings);

    size_t size() const { return lines_.size(); }
    uint32_t row(uint32_t line) const { return lines_[line].row; }
    std::string_view text(uint32_t line) const { return column_.at(lines_[line].row); }
    // Lines of one skeleton have as many elements, of the same shapes.
    uint32_t skeleton(uint32_t line) const { return lines_[line].skeleton; }
    bool uses_sibling_texts() const { return !sibling_texts_.empty(); }

    size_t elements(uint32_t line) const { return lines_[line].elements; }
    const Element& element(uint32_t line, size_t number) const
    {
        return elements_[lines_[line].first_element + number];
    }
    // inner: 0 for the element itself, from 1 on what it consists of.
    const Token& token(uint32_t line, size_t number, size_t inner = 0) const
    {
        return tokens_[element(line, number).token + inner];
    }
    size_t inner_tokens(uint32_t line, size_t number) const
    {
        const Token& outer = token(line, number);
        return outer.is_unit() ? outer.detail : 0;
    }
    std::string_view token_text(uint32_t line, size_t number, size_t inner = 0) const
    {
        const Token& one = token(line, number, inner);
        return text(line).substr(one.begin, one.size);
    }

private:
    struct Line
    {
        uint32_t row = 0;
        uint32_t skeleton = 0;
        uint32_t first_element = 0;
        uint32_t elements = 0;
    };

    size_t find_sibling(std::string_view line, uint32_t column, uint32_t row) const;
    void choose_sibling_texts(const RowIndexes& rows);
    void find_spans(std::string_view line, uint32_t row, std::vector<SiblingSpan>& spans) const;
    void add_line(uint32_t row, std::string_view text, const std::vector<Token>& tokens);
    bool has_shape_of(const Line& a, const Line& b) const;

    const StringColumn& column_;
    const SiblingColumns& siblings_;
    std::vector<uint32_t> sibling_texts_;
    std::vector<Line> lines_;
    std::vector<Element> elements_;
    std::vector<Token> tokens_;
    struct Skeleton
    {
        uint32_t number = 0;
        uint32_t line = 0;
    };
    std::unordered_map<uint64_t, Skeleton> skeletons_; // by hash
};

} // namespace basalt::encodings
