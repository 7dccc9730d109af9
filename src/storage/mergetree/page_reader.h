#pragma once

// Reads pages of one part for one stream: keeps the last page of each column and reads ahead
// where pages are asked for one after the other. One thread.

#include "base/query_context.h"
#include "storage/mergetree/part.h"

namespace basalt
{

// Most that is read ahead of one column.
inline constexpr uint64_t kMaxReadAheadBytes = 2 << 20;

// Cached: through the page cache when the query wants it. Direct: past all caches. Once: pages that
// nobody will ask for again, of parts that are merged or rewritten, must not fill the page cache.
enum class PageUse : uint8_t
{
    Cached,
    Direct,
    Once,
};

class PageReader
{
public:
    // context may be null: nothing is counted.
    PageReader(PartPtr part, PageUse use, const QueryContext* context);

    // Throws CORRUPTED_DATA or CHECKSUM_DOESNT_MATCH, naming part, column and page. The page may
    // read others of its row range from this reader when it is used.
    const EncodedPagePtr& page(size_t column, size_t page);
    const Part& part() const { return *part_; }

private:
    struct ColumnState
    {
        std::shared_ptr<const ReadableFile> file;
        size_t page = SIZE_MAX;
        EncodedPagePtr encoded;
        std::shared_ptr<PodVector<char>> buffer;
        uint64_t buffer_offset = 0;
        uint64_t read_ahead = 0;
    };

    // page_before: the column's last page that was read, or SIZE_MAX.
    std::string_view bytes_of(size_t column, const PageTable& table, size_t page,
                              size_t page_before);

    PartPtr part_;
    PageUse use_;
    const QueryContext* context_;
    std::vector<ColumnState> columns_;
};

} // namespace basalt
