#pragma once

// The head of every page; layout in docs/format/page.md. Numbers are never reused.

#include "base/error.h"
#include "base/unaligned.h"
#include "encodings/page.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace basalt::inline encodings
{

enum class PageEncoding : uint8_t
{
    Plain = 1,
    SharedDictionary = 2, // codes into the column's dictionary in the shared section
    PageDictionary = 3,   // the dictionary stands in the page
    Constant = 4,         // one value
    PackedIntegers = 5,
    DecimalFloats = 6,
    HexText = 7,
    Templates = 8,
    PackedSharedDictionary = 9, // as SharedDictionary, the codes as integers
    PackedPageDictionary = 10,  // as PageDictionary, the codes as integers
    NullableValues = 11,        // null map and a page of the values
};

// Begins a shared section that holds templates besides the dictionary.
inline constexpr uint32_t kTemplatesFollow = 0xFFFFFFFF;

inline constexpr size_t kPageHeadBytes = 16;
inline constexpr uint8_t kPageVersion = 1;

struct PageHead
{
    PageEncoding encoding = PageEncoding::Plain;
    uint8_t code_bytes = 0;       // of dictionary codes: 1, 2 or 4
    uint32_t rows = 0;
    uint32_t granule_rows = 0;
    uint32_t dictionary_bytes = 0; // PageDictionary: size of the dictionary after the head

    void append_to(std::string& out) const
    {
        char head[kPageHeadBytes] = {};
        head[0] = static_cast<char>(encoding);
        head[1] = kPageVersion;
        head[2] = static_cast<char>(code_bytes);
        store(head + 4, rows);
        store(head + 8, granule_rows);
        store(head + 12, dictionary_bytes);
        out.append(head, sizeof head);
    }

    static PageHead read(std::string_view page)
    {
        if (page.size() < kPageHeadBytes)
            throw Error(error_codes::CORRUPTED_DATA, "Damaged page: it is shorter than its head");
        if (static_cast<uint8_t>(page[1]) != kPageVersion)
            throw Error(error_codes::CORRUPTED_DATA,
                        "Page of an unknown version: it was written by a newer program or is "
                        "damaged");
        PageHead head;
        head.encoding = static_cast<PageEncoding>(page[0]);
        head.code_bytes = static_cast<uint8_t>(page[2]);
        head.rows = load<uint32_t>(page.data() + 4);
        head.granule_rows = load<uint32_t>(page.data() + 8);
        head.dictionary_bytes = load<uint32_t>(page.data() + 12);
        if (head.rows > kPageRows)
            throw Error(error_codes::CORRUPTED_DATA, "Damaged page: it has too many rows");
        if (head.granule_rows == 0)
            throw Error(error_codes::CORRUPTED_DATA, "Damaged page: granules without rows");
        return head;
    }

    size_t granules() const
    {
        return (static_cast<size_t>(rows) + granule_rows - 1) / granule_rows;
    }
};

} // namespace basalt::encodings
