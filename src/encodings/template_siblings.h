#pragma once

// The other columns of a block as a text column's templates see them: texts to compare with, and
// numbers by their shortest decimal text.

#include "base/pod_vector.h"
#include "encodings/byte_reader.h"
#include "encodings/page.h"

#include <memory>
#include <vector>

namespace basalt::inline encodings
{

// The numbers of a column as mantissa / 10^scale.
struct SiblingNumbers
{
    static constexpr int64_t kNone = INT64_MIN; // no such text: NaN, more decimals, too large

    unsigned scale = 0;
    uint64_t power = 1;
    PodVector<int64_t> mantissas;
};

// A number of a column's row at a given scale, or kNone. This is what reading computes.
int64_t sibling_mantissa(float value, double power);
int64_t sibling_mantissa(double value, double power);

// Whether templates may refer to a column of this type; is_text: to its texts.
bool may_be_sibling(const TypePtr& type, bool& is_text);

// mantissas[i] of rows [begin, begin + count) of a flat number column at a scale.
void read_sibling_mantissas(const Column& column, size_t begin, size_t count, unsigned scale,
                            int64_t* mantissas);

// What all texts of a column in a page have in common, so that conditions on them can be decided
// before the column is read. Numbers on disk.
enum class TextAlphabet : uint8_t
{
    Any = 0,
    HexLower = 1,  // 0-9a-f
    HexUpper = 2,  // 0-9A-F
    HexDashes = 3, // 0-9a-f-
};
// Empty for Any.
std::string_view alphabet_bytes(TextAlphabet alphabet);

struct TextFacts
{
    TextAlphabet alphabet = TextAlphabet::Any;
    uint32_t length = 0; // of each text; 0: they differ

    static TextFacts of(const StringColumn& texts);
    void append_to(std::string& out) const;
    // Throws CORRUPTED_DATA.
    static TextFacts read(ByteReader& reader);
};

class HexColumn;

class SiblingColumns
{
public:
    // Column numbers are those of the part. The block outlives this.
    SiblingColumns(const Block& block, std::vector<uint32_t> allowed);

    const std::vector<uint32_t>& texts() const { return texts_; }
    const std::vector<uint32_t>& numbers() const { return number_columns_; }
    bool is_allowed(uint32_t column) const { return column < allowed_.size() && allowed_[column]; }
    const StringColumn& text(uint32_t column) const; // compact ones are written at the first use
    const HexColumn* hex(uint32_t column) const; // null when it is in another form
    const SiblingNumbers& number(uint32_t column); // made at the first use
    TextFacts facts(uint32_t column) const; // of a number: nothing
    // The column as a page, for reading back what refers to it. Any column of the block.
    EncodedPagePtr page_of(uint32_t column) const;

private:
    const Block& block_;
    std::vector<uint32_t> texts_, number_columns_;
    std::vector<bool> allowed_;                            // by column
    std::vector<std::unique_ptr<SiblingNumbers>> numbers_; // by column
    mutable std::vector<ColumnPtr> flat_;                  // by column; of compact ones
};

} // namespace basalt::encodings
