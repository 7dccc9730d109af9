#include "storage/mergetree/page_reader.h"

#include "base/error.h"
#include "codecs/hash.h"
#include "storage/mergetree/page_cache.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

// A page that another refers to, opened when that one needs it: most questions about texts are
// answered without the columns beside them.
class DeferredPage final : public EncodedPage
{
public:
    DeferredPage(PageReader& reader, size_t column, size_t page, size_t rows)
        : reader_(reader), column_(column), page_(page), rows_(rows)
    {
    }

    size_t rows() const override { return rows_; }
    ColumnPtr decode(size_t begin, size_t count) const override
    {
        return opened().decode(begin, count);
    }
    ColumnPtr decode_rows(const RowIndexes& rows) const override
    {
        return opened().decode_rows(rows);
    }
    ColumnPtr decode_prefix(size_t begin, size_t count, size_t bytes) const override
    {
        return opened().decode_prefix(begin, count, bytes);
    }
    bool as_dictionary(size_t begin, size_t count, ColumnPtr& dictionary,
                       PodVector<uint32_t>& codes) const override
    {
        return opened().as_dictionary(begin, count, dictionary, codes);
    }
    bool evaluate(const PagePredicate& predicate, size_t begin, size_t count,
                  uint8_t* mask) const override
    {
        return opened().evaluate(predicate, begin, count, mask);
    }
    std::optional<size_t> count_matching(const PagePredicate& predicate, size_t begin,
                                         size_t count) const override
    {
        return opened().count_matching(predicate, begin, count);
    }
    const EncodedPage& opened() const override
    {
        if (!encoded_)
            encoded_ = reader_.page(column_, page_);
        return *encoded_;
    }

private:
    PageReader& reader_;
    size_t column_;
    size_t page_;
    size_t rows_;
    mutable EncodedPagePtr encoded_;
};

} // namespace

PageReader::PageReader(PartPtr part, PageUse use, const QueryContext* context)
    : part_(std::move(part)), use_(use), context_(context),
      columns_(part_->manifest().columns.size())
{
}

std::string_view PageReader::bytes_of(size_t column, const PageTable& table, size_t page,
                                      size_t page_before)
{
    ColumnState& state = columns_[column];
    const PageEntry& entry = table.entries[page];
    const uint64_t end = entry.offset + entry.size;
    const bool inside = state.buffer && entry.offset >= state.buffer_offset &&
                        end <= state.buffer_offset + state.buffer->size();
    if (!inside)
    {
        // Twice as much after each page that followed the one before.
        const bool follows = page_before != SIZE_MAX && page == page_before + 1;
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
        // A page may still be held by columns that were decoded from it; then its buffer is kept.
        auto buffer = state.buffer.use_count() == 1 ? std::move(state.buffer)
                                                    : std::make_shared<PodVector<char>>();
        state.buffer = nullptr;
        buffer->resize_exact(read_end - entry.offset);
        if (!state.file)
            state.file = part_->file(part_->manifest().columns[column].file, use_ == PageUse::Direct);
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
    const size_t before = std::exchange(state.page, SIZE_MAX);
    state.encoded = nullptr;
    try
    {
        const bool cached = context_ && use_ == PageUse::Cached &&
                            context_->settings.get_bool("basalt_page_cache");
        const PageCache::Bytes held =
            cached ? page_cache().find(part_.get(), column, page) : nullptr;
        const std::string_view bytes = held ? std::string_view(held->data(), held->size())
                                            : bytes_of(column, table, page, before);
        if (!held && xxh3_64(bytes.data(), bytes.size()) != table.entries[page].checksum)
            throw Error(error_codes::CHECKSUM_DOESNT_MATCH, "Checksum of a page does not match");
        if (!held && cached)
            page_cache().offer(part_.get(), column, page, bytes);
        const std::shared_ptr<const void> owner =
            held ? std::shared_ptr<const void>(held) : state.buffer;
        std::vector<EncodedPagePtr> siblings;
        for (const size_t sibling : part_->decoder().siblings(column))
        {
            const PageTable& beside = part_->page_table(sibling);
            if (page >= beside.entries.size())
                throw Error(error_codes::CORRUPTED_DATA, "A column beside has fewer pages");
            siblings.push_back(std::make_shared<DeferredPage>(*this, sibling, page,
                                                              beside.entries[page].rows));
        }
        state.encoded =
            part_->decoder().open_page(column, PageBytes{bytes, owner}, siblings);
        if (state.encoded->rows() != table.entries[page].rows)
            throw Error(error_codes::CORRUPTED_DATA, "A page has the wrong number of rows");
    }
    catch (Error& error)
    {
        error.add_context(fmt::format("While reading part {}, column {}, page {}",
                                      part_->name_text(), part_->manifest().columns[column].name,
                                      page));
        part_->note_damage(error.code());
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
