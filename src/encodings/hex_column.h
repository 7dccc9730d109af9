#pragma once

// Texts that are hexadecimal digits or UUIDs, all alike, kept as the bytes they stand for.

#include "columns/compact_column.h"
#include "encodings/hex_text.h"

#include <memory>
#include <optional>

namespace basalt::inline encodings
{

inline constexpr size_t kMaxHexDigits = 1024;
inline constexpr size_t kUuidDigits = 32;
inline constexpr size_t kUuidLength = 36;
inline constexpr size_t kUuidDashes[] = {8, 13, 18, 23};

// How the texts of a page or column look.
struct HexForm
{
    HexCase letters = HexCase::Lower;
    bool dashes = false; // a UUID: 8-4-4-4-12
    uint32_t digits = 0; // a text, even

    bool operator==(const HexForm&) const = default;
    size_t length() const { return dashes ? kUuidLength : digits; }
    size_t width() const { return digits / 2; }

    // What the first texts look like; nullopt when they are no such texts, or are better kept as
    // numbers.
    static std::optional<HexForm> of(const StringColumn& column);
    // `count` texts back to back to width() bytes each; false when one is not of this form.
    bool to_binary(const char* texts, size_t count, char* out) const;
    void to_texts(const char* binary, size_t count, char* out) const;
    std::shared_ptr<StringColumn> new_texts(size_t count) const; // with offsets, chars not set
};

class HexColumn final : public CompactColumn
{
public:
    // binary: width() bytes a row.
    HexColumn(const HexForm& form, PodVector<char> binary)
        : hex_form_(form), binary_(std::move(binary))
    {
    }
    // Null when not all texts are of one form.
    static std::shared_ptr<const HexColumn> of(const StringColumn& texts);

    const HexForm& hex_form() const { return hex_form_; }
    const PodVector<char>& binary() const { return binary_; }

    size_t size() const override { return binary_.size() / hex_form_.width(); }
    size_t byte_size() const override { return binary_.capacity_bytes(); }
    ColumnPtr join(const Columns& sources, const std::vector<MergeRun>& runs,
                   size_t rows) const override;
    bool joins_with(const Column& other) const override;
    ColumnPtr to_flat() const override; // the texts

private:
    HexForm hex_form_;
    PodVector<char> binary_;
};

} // namespace basalt::encodings
