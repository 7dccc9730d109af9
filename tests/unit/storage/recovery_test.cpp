// What the simulator found, each as a life of one table.

#include "table_fixture.h"

#include "base/error.h"
#include "base/failpoint.h"
#include "io/faulty_file_system.h"

namespace basalt::test
{
namespace
{

PartitionCommand partition_command(PartitionCommand::Kind kind)
{
    PartitionCommand command;
    command.kind = kind;
    command.all = true;
    return command;
}

using Kind = PartitionCommand::Kind;

TEST(Recovery, DroppedDetachedPartsStayDropped)
{
    MemoryFileSystem files;
    {
        Tables tables(files);
        tables.open(events_metadata());
        tables.insert(events(0, 3000));
        tables.table->change_partition(partition_command(Kind::Detach), nullptr);
        EXPECT_EQ(tables.table->detached_part_infos().size(), 2u);
        tables.table->change_partition(partition_command(Kind::DropDetached), nullptr);
        files.power_cut();
    }
    Tables tables(files);
    tables.open(events_metadata(), true);
    EXPECT_TRUE(tables.table->detached_part_infos().empty());
    tables.table->change_partition(partition_command(Kind::Attach), nullptr);
    EXPECT_EQ(tables.count(), 0u);
}

TEST(Recovery, FailpointsStopWorkAndLetItGoOn)
{
    MemoryFileSystem files;
    Tables tables(files);
    tables.open(events_metadata());
    for (const auto& info : failpoints())
        EXPECT_FALSE(info.enabled);
    set_failpoint("basalt_log_before_sync", true);
    EXPECT_THROW(tables.insert(events(0, 10)), Error);
    set_failpoint("basalt_log_before_sync", false);
    tables.insert(events(10, 10));
    set_failpoint("basalt_flush_before_commit", true);
    EXPECT_THROW(tables.table->flush(nullptr), Error);
    set_failpoint("basalt_flush_before_commit", false);
    tables.table->flush(nullptr);
    EXPECT_EQ(tables.rows(all_columns()), lines_of(events(10, 10)));
    EXPECT_THROW(set_failpoint("no_such_place", true), Error);
}

} // namespace
} // namespace basalt::test
