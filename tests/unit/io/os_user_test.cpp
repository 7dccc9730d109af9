#include "io/os_user.h"

#include "base/error.h"
#include "io/file_system.h"
#include "tests/unit/io/test_directory.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace basalt
{
namespace
{

TEST(OsUser, KnowsTheCurrentOne)
{
    EXPECT_EQ(current_os_user().uid, ::geteuid());
    ASSERT_TRUE(find_os_user("root"));
    EXPECT_EQ(find_os_user("root")->uid, 0u);
    EXPECT_FALSE(find_os_user("no such user"));
}

TEST(OsUser, RunsJobsAsAnother)
{
    EXPECT_EQ(run_as_user(current_os_user(), [] { return 7; }), 7);
    if (::geteuid() != 0)
        return;
    const auto nobody = find_os_user("nobody");
    ASSERT_TRUE(nobody);
    // EXPECT_ in the child would be lost: its exit code tells.
    EXPECT_EQ(run_as_user(*nobody,
                          [&]
                          {
                              const bool gone = ::setuid(0) != 0;
                              return gone && ::geteuid() == nobody->uid ? 3 : 4;
                          }),
              3);
    EXPECT_EQ(run_as_user(*nobody, []() -> int { throw Error(60, "for the test"); }), 60);
    EXPECT_EQ(::geteuid(), 0u);
}

TEST(OsUser, NamesTheFolderThatCannotBeEntered)
{
    TestDirectory directory;
    const std::string path = directory.path() + "/a/b/c";
    real_file_system().create_directories(path);
    EXPECT_EQ(unreachable_folder(path), std::nullopt);
    EXPECT_EQ(unreachable_folder(directory.path() + "/none/at/all"), std::nullopt);
    if (::geteuid() != 0)
        return;
    set_file_mode(directory.path(), 0755);
    set_file_mode(directory.path() + "/a/b", 0700);
    EXPECT_EQ(run_as_user(*find_os_user("nobody"),
                          [&]
                          { return unreachable_folder(path) == directory.path() + "/a/b" ? 0 : 1; }),
              0);
}

TEST(OsUser, DetachedProcessesRunAndEnd)
{
    TestDirectory directory;
    const std::string log = directory.path() + "/log";
    const std::string done = directory.path() + "/done";
    const int pid = start_detached(current_os_user(), log,
                                   [&]
                                   {
                                       std::puts("hello");
                                       std::fflush(stdout);
                                       real_file_system().replace_whole(done, "x");
                                       return 0;
                                   });
    EXPECT_GT(pid, 0);
    for (int i = 0; i < 1000 && !real_file_system().exists(done); ++i)
        ::usleep(10000);
    EXPECT_EQ(real_file_system().read_whole(log), "hello\n");
    EXPECT_TRUE(process_exists(::getpid()));
    EXPECT_FALSE(process_exists(0));
    const int child = ::fork();
    if (child == 0)
        ::_exit(0);
    for (int i = 0; i < 1000 && process_exists(child); ++i)
        ::usleep(1000);
    EXPECT_FALSE(process_exists(child)) << "it has ended, though nobody waited for it";
    ::waitpid(child, nullptr, 0);
}

} // namespace
} // namespace basalt
