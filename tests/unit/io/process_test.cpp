#include "io/process.h"

#include "io/file_system.h"
#include "tests/unit/io/error_code_of.h"
#include "tests/unit/io/test_directory.h"

#include <csignal>
#include <gtest/gtest.h>
#include <thread>

namespace basalt
{
namespace
{

ProcessOptions shell(const std::string& script)
{
    ProcessOptions options;
    options.arguments = {"/bin/sh", "-c", script};
    return options;
}

TEST(Process, OutputsAndExitCode)
{
    const auto result = run_process(shell("echo out; echo err >&2; exit 7"));
    EXPECT_EQ(result.output, "out\n");
    EXPECT_EQ(result.errors, "err\n");
    EXPECT_EQ(result.status.code, 7);
    EXPECT_EQ(result.status.text(), "exit code 7");
    EXPECT_FALSE(result.status.ok());
}

TEST(Process, MuchInputAndOutputAtOnce)
{
    const std::string input = pattern(3'000'000);
    ProcessOptions cat;
    cat.arguments = {"cat"};
    const auto result = run_process(cat, input);
    EXPECT_TRUE(result.status.ok());
    EXPECT_EQ(result.output, input);
}

TEST(Process, InputNobodyReads)
{
    const auto result = run_process(shell("exec 0<&-; echo done"), std::string(1'000'000, 'x'));
    EXPECT_EQ(result.output, "done\n");
    EXPECT_TRUE(result.status.ok());
}

TEST(Process, EnvironmentAndDirectory)
{
    TestDirectory dir;
    ProcessOptions options = shell("pwd; echo $BASALT_X-$HOME-$BASALT_GONE");
    ::setenv("BASALT_GONE", "here", 1);
    options.environment = {{"BASALT_X", "a b"}, {"HOME", "/h"}, {"BASALT_GONE", ""}};
    options.working_directory = dir.path();
    EXPECT_EQ(run_process(options).output, dir.path() + "\na b-/h-\n");
    options.clear_environment = true;
    options.environment.clear();
    EXPECT_EQ(run_process(options).output, dir.path() + "\n--\n");
}

TEST(Process, TimeoutKills)
{
    ProcessOptions options = shell("echo begun; sleep 100");
    options.new_group = true;
    const auto result = run_process(options, {}, 200);
    EXPECT_TRUE(result.timed_out);
    EXPECT_EQ(result.output, "begun\n");
    EXPECT_EQ(result.status.signal, SIGKILL);
    EXPECT_EQ(result.status.text(), "signal 9");
}

TEST(Process, StreamsToFiles)
{
    TestDirectory dir;
    real_file_system().replace_whole(dir.file("in"), "text");
    ProcessOptions options = shell("cat; echo error >&2");
    options.stdin_stream = {StreamOptions::Kind::File, dir.file("in")};
    options.stdout_stream = {StreamOptions::Kind::File, dir.file("out")};
    options.stderr_stream = {StreamOptions::Kind::ToStdout, {}};
    Process process(options);
    EXPECT_TRUE(process.wait()->ok());
    EXPECT_EQ(real_file_system().read_whole(dir.file("out")), "texterror\n");
}

TEST(Process, PipesStepByStep)
{
    ProcessOptions options = shell("read a; echo got $a; read b; echo got $b");
    options.stdin_stream.kind = StreamOptions::Kind::Pipe;
    options.stdout_stream.kind = StreamOptions::Kind::Pipe;
    Process process(options);
    char buffer[64];
    for (const std::string word : {"one", "two"})
    {
        process.write_stdin(word + "\n");
        const size_t n = process.read_stdout(buffer, sizeof(buffer));
        EXPECT_EQ(std::string_view(buffer, n), "got " + word + "\n");
    }
    EXPECT_EQ(process.read_stdout(buffer, sizeof(buffer)), 0u);
    EXPECT_TRUE(process.wait()->ok());
    EXPECT_FALSE(process.is_running());
    EXPECT_FALSE(process.send_signal(SIGTERM));
    EXPECT_NE(error_code_of([&] { process.read_stderr(buffer, 1); }), 0);
}

TEST(Process, TerminateAndDestructor)
{
    Process polite(shell("exec sleep 100"));
    EXPECT_TRUE(polite.is_running());
    EXPECT_FALSE(polite.wait(1).has_value());
    EXPECT_EQ(polite.terminate(5000).signal, SIGTERM);

    ProcessOptions options = shell("trap '' TERM; echo ready; while :; do sleep 1; done");
    options.stdout_stream.kind = StreamOptions::Kind::Pipe;
    options.new_group = true;
    Process stubborn(options);
    char buffer[16];
    EXPECT_GT(stubborn.read_stdout(buffer, sizeof(buffer)), 0u);
    EXPECT_EQ(stubborn.terminate(50).signal, SIGKILL);
    stubborn.kill_group(SIGKILL);

    int pid = 0;
    {
        Process forgotten(shell("exec sleep 100"));
        pid = forgotten.pid();
    }
    EXPECT_EQ(::kill(pid, 0), -1);
}

TEST(Process, DiesWithTheThreadThatStartedIt)
{
    std::unique_ptr<Process> child;
    std::thread starter([&] {
        ProcessOptions options = shell("exec sleep 100");
        options.die_with_parent = true;
        child = std::make_unique<Process>(options);
    });
    starter.join();
    const auto status = child->wait(5000);
    ASSERT_TRUE(status.has_value());
    EXPECT_EQ(status->signal, SIGKILL);
}

TEST(Process, CannotStart)
{
    ProcessOptions options;
    options.arguments = {"/no/such/program"};
    EXPECT_EQ(error_code_of([&] { Process process(options); }),
              error_codes::CANNOT_CREATE_CHILD_PROCESS);
    options.arguments = {"no-such-program-anywhere"};
    EXPECT_EQ(error_code_of([&] { Process process(options); }),
              error_codes::CANNOT_CREATE_CHILD_PROCESS);
    options = shell("true");
    options.working_directory = "/no/such/directory";
    EXPECT_EQ(error_code_of([&] { Process process(options); }),
              error_codes::CANNOT_CREATE_CHILD_PROCESS);
    options = shell("true");
    options.stdin_stream = {StreamOptions::Kind::File, "/no/such/file"};
    EXPECT_EQ(error_code_of([&] { Process process(options); }),
              error_codes::CANNOT_CREATE_CHILD_PROCESS);
    options.arguments.clear();
    EXPECT_EQ(error_code_of([&] { Process process(options); }),
              error_codes::CANNOT_CREATE_CHILD_PROCESS);
}

} // namespace
} // namespace basalt
