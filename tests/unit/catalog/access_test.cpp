// Rights as a tree against a plain list of places, credentials, statements that make what was written.

#include "base/error.h"
#include "catalog/access/access_control.h"
#include "io/memory_file_system.h"
#include "sql/formatter.h"
#include "sql/parser.h"

#include <gtest/gtest.h>

#include <random>

namespace basalt
{
namespace
{

const char* const kDatabases[] = {"a", "b"};
const char* const kTables[] = {"x", "y"};
const char* const kColumns[] = {"i", "j"};
const char* const kPrivileges[] = {"SELECT", "INSERT", "ALTER UPDATE", "DROP TABLE", "SHOW DATABASES",
                                   "KILL QUERY"};

// Every place there is, each with what is granted on it, and nothing clever.
struct PlainRights
{
    struct Right
    {
        bool granted = false, option = false;
    };
    std::map<std::string, Right> rights; // "privilege db table column"

    static std::vector<AccessPlace> leaves()
    {
        std::vector<AccessPlace> all{{}};
        for (const char* database : {"a", "b", "other"})
        {
            all.push_back({database, {}, {}});
            for (const char* table : {"x", "y", "other"})
            {
                all.push_back({database, table, {}});
                for (const char* column : {"i", "j", "other"})
                    all.push_back({database, table, column});
            }
        }
        return all;
    }
    static std::string key(const char* privilege_name, const AccessPlace& place)
    {
        return std::string(privilege_name) + " " + place.database + " " + place.table + " " +
               place.column;
    }
    static bool inside(const AccessPlace& small, const AccessPlace& large)
    {
        return (large.database.empty() || large.database == small.database) &&
               (large.table.empty() || large.table == small.table) &&
               (large.column.empty() || large.column == small.column);
    }
    void change(const char* name, const AccessPlace& place, bool granted, bool option, bool revoke)
    {
        for (const auto& leaf : leaves())
        {
            if (!inside(leaf, place) || (privilege(name) & ~grantable_on(leaf)).any())
                continue;
            Right& right = rights[key(name, leaf)];
            if (!revoke)
            {
                right.granted = true;
                right.option = right.option || option;
            }
            else
            {
                right.option = false;
                right.granted = right.granted && option;
            }
        }
    }
    bool holds(const char* name, const AccessPlace& place, bool option)
    {
        // A privilege that is for larger places only counts where it can be granted.
        AccessPlace at = place;
        for (std::string* part : {&at.column, &at.table, &at.database})
            if ((privilege(name) & ~grantable_on(at)).any())
                part->clear();
        for (const auto& leaf : leaves())
            if (inside(leaf, at) && (privilege(name) & ~grantable_on(leaf)).none())
            {
                const Right& right = rights[key(name, leaf)];
                if (option ? !right.option : !right.granted)
                    return false;
            }
        return true;
    }
};

AccessPlace random_place(std::mt19937& random, const char* name)
{
    AccessPlace place;
    const auto pick = [&](const auto& list) { return list[random() % std::size(list)]; };
    if (random() % 4)
        place.database = pick(kDatabases);
    if (!place.database.empty() && random() % 4)
        place.table = pick(kTables);
    if (!place.table.empty() && random() % 2)
        place.column = pick(kColumns);
    for (std::string* part : {&place.column, &place.table, &place.database})
        if ((privilege(name) & ~grantable_on(place)).any())
            part->clear();
    return place;
}

void expect_same(PlainRights& plain, const AccessRights& rights, unsigned seed)
{
    for (const char* name : kPrivileges)
        for (const auto& place : PlainRights::leaves())
            for (const bool option : {false, true})
                ASSERT_EQ(option ? rights.with_option(privilege(name), place)
                                 : rights.granted(privilege(name), place),
                          plain.holds(name, place, option))
                    << "seed " << seed << ": " << PlainRights::key(name, place);
}

TEST(AccessRights, AgreeWithAPlainList)
{
    for (unsigned seed = 0; seed < 300; ++seed)
    {
        std::mt19937 random(seed);
        PlainRights plain;
        AccessRights rights;
        for (int step = 0; step < 12; ++step)
        {
            const char* name = kPrivileges[random() % std::size(kPrivileges)];
            const AccessPlace place = random_place(random, name);
            const bool revoke = random() % 3 == 0, option = random() % 2;
            if (revoke)
                rights.revoke(privilege(name), place, option);
            else
                rights.grant(privilege(name), place, option);
            plain.change(name, place, true, option, revoke);
        }
        expect_same(plain, rights, seed);
        // What SHOW GRANTS says makes the same rights again.
        AccessRights again;
        for (const auto& element : rights.elements())
        {
            std::vector<std::string> columns = element.columns;
            if (columns.empty())
                columns.emplace_back();
            for (const auto& column : columns)
            {
                AccessPlace place = element.place;
                place.column = column;
                if (element.revoke)
                    again.revoke(element.privileges, place, element.grant_option);
                else
                    again.grant(element.privileges, place, element.grant_option);
            }
        }
        expect_same(plain, again, seed);
    }
}

TEST(AccessRights, AddHoldsWhatEitherHolds)
{
    for (unsigned seed = 0; seed < 200; ++seed)
    {
        std::mt19937 random(seed);
        AccessRights both[2];
        for (int step = 0; step < 10; ++step)
        {
            const char* name = kPrivileges[random() % std::size(kPrivileges)];
            AccessRights& one = both[random() % 2];
            const AccessPlace place = random_place(random, name);
            if (random() % 3)
                one.grant(privilege(name), place, random() % 2);
            else
                one.revoke(privilege(name), place, random() % 2);
        }
        AccessRights sum = both[0];
        sum.add(both[1]);
        for (const char* name : kPrivileges)
            for (const auto& place : PlainRights::leaves())
            {
                // Only the smallest places of the privilege: of a larger one each may hold a part.
                AccessPlace inside = place;
                for (std::string* part : {&inside.database, &inside.table, &inside.column})
                    if (part->empty())
                    {
                        *part = "z";
                        break;
                    }
                if (place.column.empty() && (privilege(name) & ~grantable_on(inside)).none())
                    continue;
                if ((privilege(name) & ~grantable_on(place)).any())
                    continue;
                ASSERT_EQ(sum.granted(privilege(name), place),
                          both[0].granted(privilege(name), place) ||
                              both[1].granted(privilege(name), place))
                    << "seed " << seed << ": " << PlainRights::key(name, place);
            }
    }
}

TEST(Privileges, GroupsAndAliases)
{
    EXPECT_EQ(find_privileges("all"), all_privileges());
    EXPECT_EQ(find_privileges("UPDATE"), find_privileges("ALTER UPDATE"));
    EXPECT_EQ((find_privileges("ALTER COLUMN") & ~find_privileges("ALTER TABLE")).count(), 0u);
    EXPECT_EQ((find_privileges("ALTER TABLE") & ~find_privileges("ALTER")).count(), 0u);
    EXPECT_EQ(privilege_names(find_privileges("ALTER TABLE")),
              std::vector<std::string>{"ALTER TABLE"});
    EXPECT_EQ(privilege_names(find_privileges("SELECT") | find_privileges("INSERT")),
              (std::vector<std::string>{"SELECT", "INSERT"}));
    EXPECT_THROW(find_privileges("FLY"), Error);
    // Each name stands for something, and names of a set stand for the set.
    for (const auto& one : privilege_definitions())
    {
        PrivilegeSet again;
        for (const auto& name : privilege_names(find_privileges(one.name)))
            again |= find_privileges(name);
        EXPECT_EQ(again, find_privileges(one.name)) << one.name;
    }
}

TEST(Credentials, AcceptTheirPasswordOnly)
{
    for (const auto kind :
         {CredentialKind::Plaintext, CredentialKind::Sha256, CredentialKind::DoubleSha1,
          CredentialKind::ScramSha256, CredentialKind::Bcrypt})
        for (const std::string password : {"", "x", "a longer one, with spaces"})
        {
            const Credential made = credential_of_password(kind, password, system_random());
            EXPECT_TRUE(accepts_password(made, password)) << made.type_name();
            EXPECT_FALSE(accepts_password(made, password + "y")) << made.type_name();
        }
    EXPECT_FALSE(accepts_password(Credential{CredentialKind::SslCertificate, "", "", {}, {}}, ""));
    EXPECT_THROW(credential_of_password(CredentialKind::Bcrypt, std::string(73, 'x'),
                                        system_random()),
                 Error);
    EXPECT_THROW(credential_of_password(CredentialKind::Sha256,
                                        std::string(kMaxPasswordBytes + 1, 'x'), system_random()),
                 Error);
}

// The exchange of RFC 7677, section 3.
TEST(Credentials, ScramAsInTheRfc)
{
    std::string salt;
    for (const unsigned char c : {0x5b, 0x6d, 0x99, 0x68, 0x9d, 0x12, 0x35, 0x8e, 0xec, 0xa0, 0x4b,
                                  0x14, 0x12, 0x36, 0xfa, 0x81})
        salt += static_cast<char>(c);
    const std::string salted = scram_salted_password("pencil", salt, 4096);
    const std::string message =
        "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,"
        "s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF"
        "$k0";
    // dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=
    const auto proof =
        from_hex("747cdb65aa56224e2352137e52d7bdcad6a0f738df30782caa69a2cfb0277554");
    const auto signature = check_scram_proof(salted, message, *proof);
    ASSERT_TRUE(signature);
    // 6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=
    EXPECT_EQ(to_hex(*signature), "EABAE24D1062DB75A9451FF0B6EA7E98C8546549FF741E672D3251B2397DE46E");
    EXPECT_FALSE(check_scram_proof(salted, message + "x", *proof));
    EXPECT_FALSE(check_scram_proof(salted, message, ""));
}

TEST(AccessControl, KeepsWhatStatementsMade)
{
    MemoryFileSystem files;
    files.create_directories("/data");
    const char* const statements[] = {
        "CREATE ROLE inner_role SETTINGS max_threads = 3",
        "CREATE ROLE outer_role",
        "CREATE SETTINGS PROFILE p SETTINGS max_block_size = 100 MIN 10 MAX 1000 CONST",
        "CREATE SETTINGS PROFILE q SETTINGS PROFILE p, max_threads = 1 TO outer_role",
        "CREATE USER `odd name`, u@'10.%' IDENTIFIED WITH plaintext_password BY 'it''s \\\\ odd' HOST "
        "LOCAL, IP '10.0.0.0/8' DEFAULT DATABASE d SETTINGS PROFILE q",
        "CREATE USER v NOT IDENTIFIED HOST NONE VALID UNTIL '2040-01-02 03:04:05' GRANTEES NONE",
        "GRANT inner_role TO outer_role WITH ADMIN OPTION",
        "GRANT outer_role TO `odd name`, v",
        "SET DEFAULT ROLE NONE TO v",
        "GRANT SELECT(a, `b c`), INSERT ON d.t TO v WITH GRANT OPTION",
        "GRANT ALL ON d.* TO v",
        "REVOKE ALTER ON d.t FROM v",
        "GRANT KILL QUERY, SYSTEM ON *.* TO inner_role",
    };
    AccessControl access(files, "/data");
    for (const char* text : statements)
    {
        const AstPtr ast = parse_query(text);
        access.change([&](AccessState& state)
                      { run_access_statement(*ast, {"default", "default"}, state); });
    }
    const auto texts = [](const AccessControl& of)
    {
        std::vector<std::string> all;
        const auto state = of.state();
        for (const auto& [name, user] : state->users)
        {
            all.push_back(format_query(*create_statement(user, true)));
            for (const auto& grant : grant_statements(user))
                all.push_back(format_query(*grant));
        }
        for (const auto& [name, role] : state->roles)
        {
            all.push_back(format_query(*create_statement(role)));
            for (const auto& grant : grant_statements(role))
                all.push_back(format_query(*grant));
        }
        for (const auto& [name, profile] : state->profiles)
            all.push_back(format_query(*create_statement(profile)));
        return all;
    };
    AccessControl again(files, "/data");
    again.load();
    EXPECT_EQ(texts(access), texts(again));
    EXPECT_EQ(texts(access).size(), 17u);
}

TEST(AccessControl, AFailedChangeChangesNothing)
{
    MemoryFileSystem files;
    files.create_directories("/data");
    AccessControl access(files, "/data");
    const AstPtr ast = parse_query("GRANT SELECT ON *.* TO default, nobody");
    EXPECT_THROW(access.change([&](AccessState& state)
                               { run_access_statement(*ast, {"default", "default"}, state); }),
                 Error);
    EXPECT_FALSE(files.status("/data/access/access.sql"));
    const AstPtr drop = parse_query("DROP USER default, nobody");
    EXPECT_THROW(access.change([&](AccessState& state)
                               { run_access_statement(*drop, {"default", "default"}, state); }),
                 Error);
    EXPECT_TRUE(access.state()->users.contains("default"));
}

} // namespace
} // namespace basalt
