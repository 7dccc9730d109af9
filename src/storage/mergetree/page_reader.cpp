#include "storage/mergetree/page_reader.h"

#include "base/error.h"
#include "codecs/hash.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

PageReader::PageReader(PartPtr part, bool direct, const QueryContext* context)
    : part_(std::move(part)), direct_(direct), context_(context),
      columns_(part_->manifest().columns.size())
{
}

std::string_view PageReader::bytes_of(size_t column, const PageTable& table, size_t page)
{
    ColumnState& state = columns_[column];
    const PageEntry& entry = table.entries[page];
    const uint64_t end = entry.offset + entry.size;
    const bool inside = state.buffer && entry.offset >= state.buffer_offset &&
                        end <= state.buffer_offset + state.buffer->size();
    if (!inside)
    {
        // Twice as much after each page that followed the one before.
        const bool follows = state.page != SIZE_MAX && page == state.page + 1;
        state.read_ahead =
            follows ? std::clamp<uint64_t>(state.read_ahead * 2, entry.size, kMaxReadAheadBytes)
                    : 0;
        uint64_t read_end = end;
        for (size_t next = page + 1; next < table.entries.size(); ++next)
        {
            const PageEntry& ahead = table.entries[next];
            if (ahead.offset != read_end ||
                ahead.offset + ahead.size - entry.offset > std::max<uint64_t>(state.read_ahead,
                                                                              entry.size))
                break;
            read_end = ahead.offset + ahead.size;
        }
        // A page may still be held by columns that were decoded from it: a buffer is never reused.
        auto buffer = std::make_shared<PodVector<char>>();
        buffer->resize_exact(read_end - entry.offset);
        if (!state.file)
            state.file = part_->file(part_->manifest().columns[column].file, direct_);
        state.file->read_exact(buffer->data(), buffer->size(), entry.offset);
        if (context_)
        {
            context_->counters.add(ProfileEvent::ReadCompressedBytes, buffer->size());
            context_->counters.add(ProfileEvent::ReadBufferFromFileDescriptorReadBytes,
                                   buffer->size());
        }
        state.buffer = std::move(buffer);
        state.buffer_offset = entry.offset;
    }
    return {state.buffer->data() + (entry.offset - state.buffer_offset), entry.size};
}

const EncodedPagePtr& PageReader::page(size_t column, size_t page)
{
    ColumnState& state = columns_[column];
    if (state.page == page)
        return state.encoded;
    const PageTable& table = part_->page_table(column);
    BASALT_ASSERT(page < table.entries.size());
    try
    {
        const std::string_view bytes = bytes_of(column, table, page);
        if (xxh3_64(bytes.data(), bytes.size()) != table.entries[page].checksum)
            throw Error(error_codes::CHECKSUM_DOESNT_MATCH, "Checksum of a page does not match");
        std::vector<EncodedPagePtr> siblings;
        for (const size_t sibling : part_->decoder().siblings(column))
            siblings.push_back(this->page(sibling, page));
        state.encoded =
            part_->decoder().open_page(column, PageBytes{bytes, state.buffer}, siblings);
        if (state.encoded->rows() != table.entries[page].rows)
            throw Error(error_codes::CORRUPTED_DATA, "A page has the wrong number of rows");
    }
    catch (Error& error)
    {
        error.add_context(fmt::format("While reading part {}, column {}, page {}",
                                      part_->name_text(), part_->manifest().columns[column].name,
                                      page));
        throw;
    }
    state.page = page;
    if (context_)
    {
        context_->counters.add(ProfileEvent::PagesDecoded);
        context_->counters.add(ProfileEvent::CompressedReadBufferBlocks);
        context_->counters.add(ProfileEvent::CompressedReadBufferBytes,
                               table.entries[page].uncompressed_bytes);
    }
    return state.encoded;
}

} // namespace basalt
