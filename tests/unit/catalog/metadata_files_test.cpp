// Changes that fail half way are taken back, also when the disk fails for some time.

#include "base/error.h"
#include "catalog/metadata_files.h"
#include "io/faulty_file_system.h"
#include "io/memory_file_system.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

std::string all_of(FileSystem& files)
{
    MetadataFiles metadata(files, "/data");
    metadata.recover();
    std::string text;
    for (const auto& database : metadata.read_all())
    {
        if (database.tables.empty())
            continue; // an empty folder says nothing
        text += database.name + ":";
        for (const auto& [name, create] : database.tables)
            text += " " + name + "=" + create;
        text += "\n";
    }
    return text;
}

enum class Change
{
    Create,
    Replace,
    Remove,
};

void change(MetadataFiles& metadata, Change what)
{
    const std::string old = metadata.table_file("d", "old"), fresh = metadata.table_file("d", "new");
    if (what == Change::Create)
        metadata.apply({{fresh, false, "new text"}});
    else if (what == Change::Replace)
        metadata.apply({{old, false, "other text"}});
    else
        metadata.apply({{old, true, {}}});
}

TEST(MetadataFiles, AFailedChangeIsTakenBack)
{
    size_t failures = 0;
    for (const Change what : {Change::Create, Change::Replace, Change::Remove})
        for (const FileOperation operation :
             {FileOperation::OpenForRead, FileOperation::Read, FileOperation::Status,
              FileOperation::OpenForWrite, FileOperation::Append, FileOperation::Sync,
              FileOperation::Close, FileOperation::CreateDirectories, FileOperation::Rename,
              FileOperation::RemoveFile, FileOperation::SyncDirectory})
            for (uint64_t nth = 1; nth < 5; ++nth)
                for (const uint64_t count : {1u, 2u, 4u, 6u})
                    for (const bool cut : {false, true})
                    {
                        MemoryFileSystem disk;
                        disk.create_directories("/data");
                        disk.sync_directory("/");
                        FaultyFileSystem files(disk, system_random());
                        MetadataFiles metadata(files, "/data");
                        // Without anything there, CREATE makes the folders, too.
                        if (what != Change::Create || nth % 2)
                            metadata.apply({{metadata.table_file("d", "old"), false, "old text"}});
                        const std::string before = all_of(disk);
                        FaultPlan plan;
                        plan.failures.push_back({operation, nth, count, 0, {}});
                        files.set_plan(plan);
                        bool failed = false;
                        try
                        {
                            change(metadata, what);
                        }
                        catch (const Error&)
                        {
                            failed = true;
                        }
                        files.set_plan({});
                        failures += failed;
                        // What comes next is not held up.
                        metadata.settle();
                        if (cut)
                            disk.power_cut();
                        ASSERT_EQ(all_of(disk) == before, failed)
                            << "change " << static_cast<int>(what) << ", operation "
                            << static_cast<int>(operation) << ", number " << nth << ", " << count
                            << " times" << (cut ? ", then a power cut" : "");
                    }
    EXPECT_GT(failures, 100u);
}

} // namespace
} // namespace basalt
