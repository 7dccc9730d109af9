#include "storage/mergetree/page_cache.h"

#include "table_fixture.h"

namespace basalt::test
{
namespace
{

std::string text_of(const PageCache::Bytes& bytes)
{
    return bytes ? std::string(bytes->data(), bytes->size()) : "none";
}

TEST(PageCache, GivesBackWhatItTook)
{
    PageCache cache(1 << 20);
    const int parts[2] = {};
    cache.offer(&parts[0], 1, 2, "a page");
    cache.offer(&parts[0], 1, 2, "another");
    cache.offer(&parts[1], 1, 2, "of another part");
    cache.offer(&parts[0], 2, 1, std::string(1 << 17, 'x')); // too large for any shard
    EXPECT_EQ(text_of(cache.find(&parts[0], 1, 2)), "a page");
    EXPECT_EQ(text_of(cache.find(&parts[1], 1, 2)), "of another part");
    EXPECT_EQ(text_of(cache.find(&parts[0], 2, 1)), "none");
    EXPECT_EQ(text_of(cache.find(&parts[0], 2, 2)), "none");
    const auto held = cache.find(&parts[0], 1, 2);
    cache.forget(&parts[0]);
    EXPECT_EQ(text_of(held), "a page");
    EXPECT_EQ(text_of(cache.find(&parts[0], 1, 2)), "none");
    EXPECT_EQ(text_of(cache.find(&parts[1], 1, 2)), "of another part");
    cache.forget(&parts[1]);
    EXPECT_EQ(cache.held_bytes(), 0u);
}

TEST(PageCache, StaysBelowItsBoundAndKeepsWhatIsAskedForAgain)
{
    constexpr size_t kMost = 1 << 20;
    PageCache cache(kMost);
    const int parts[3] = {};
    const std::string bytes(1000, 'x');
    for (size_t page = 0; page < 200; ++page)
        cache.offer(&parts[0], 0, page, bytes);
    for (size_t round = 0; round < 200; ++round)
    {
        for (size_t page = 0; page < 200; ++page)
            cache.find(&parts[0], 0, page);
        for (size_t page = 0; page < 100; ++page)
            cache.offer(&parts[1 + round % 2], round, page, bytes);
        EXPECT_LE(cache.held_bytes(), kMost);
    }
    size_t kept = 0;
    for (size_t page = 0; page < 200; ++page)
        kept += cache.find(&parts[0], 0, page) != nullptr;
    EXPECT_GT(kept, 150u);
    size_t late = 0;
    for (size_t page = 0; page < 100; ++page)
        late += cache.find(&parts[2], 199, page) != nullptr;
    EXPECT_GT(late, 0u); // new pages do come in
    for (const int& part : parts)
        cache.forget(&part);
    EXPECT_EQ(cache.held_bytes(), 0u);
}

// The second read of a part comes from the cache, with the same rows; a merge's result is a new part.
TEST(PageCache, ScansReadTheSameWithAndWithoutIt)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    for (int i = 0; i < 3; ++i)
        tables.insert(events(static_cast<uint64_t>(i) * 3000, 3000));
    tables.table->flush(nullptr);
    const auto read = [&](const char* cached, uint64_t& bytes_read)
    {
        const auto context = tables.service->make_context();
        context->settings.set("basalt_page_cache", cached);
        ScanRequest request;
        request.columns = {"host", "id", "text"};
        const auto scan = tables.table->scan(request, context);
        std::vector<std::string> rows;
        for (Block block = scan->next(0); block.rows(); block = scan->next(0))
            for (size_t row = 0; row < block.rows(); ++row)
                rows.push_back(block[0].column->value_at(row).to_text() + "|" +
                               block[1].column->value_at(row).to_text() + "|" +
                               block[2].column->value_at(row).to_text());
        std::sort(rows.begin(), rows.end());
        bytes_read = context->counters.get(ProfileEvent::ReadCompressedBytes);
        return rows;
    };
    uint64_t bytes = 0;
    const auto rows = read("0", bytes);
    EXPECT_EQ(rows.size(), 9000u);
    EXPECT_GT(bytes, 0u);
    EXPECT_EQ(read("1", bytes), rows);
    EXPECT_EQ(read("1", bytes), rows);
    EXPECT_EQ(bytes, 0u);
    tables.table->optimize({.final = true}, tables.service->make_context());
    // A merge reads each page once and leaves none in the cache.
    read("0", bytes);
    uint64_t of_merged_part = 0;
    EXPECT_EQ(read("1", of_merged_part), rows);
    EXPECT_EQ(of_merged_part, bytes);
}

TEST(PageCache, MergesFillItWithNothing)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    for (int i = 0; i < 3; ++i)
        tables.insert(events(static_cast<uint64_t>(i) * 3000, 3000));
    // Their parts stay while a reader holds them, and so would their pages.
    const auto held = tables.table->scan({}, tables.service->make_context());
    const size_t before = page_cache().held_bytes();
    tables.table->optimize({.final = true}, tables.service->make_context());
    EXPECT_EQ(page_cache().held_bytes(), before);
}

} // namespace
} // namespace basalt::test
