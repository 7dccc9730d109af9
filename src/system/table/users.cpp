#include "system/access_rows.h"

namespace basalt
{

namespace
{

void fill(Engine& engine, const QueryContext&, RowBuilder& rows)
{
    const auto state = engine.access().state();
    for (const auto& [name, user] : state->users)
    {
        rows.add_row();
        rows.set("name", name);
        if (!user.uuid.empty())
            rows.set("id", user.uuid);
        rows.set("storage", storage_name(user));
        ArrayValue types, until;
        std::vector<std::string> parameters;
        for (const auto& credential : user.credentials)
        {
            types.items.push_back(Value(credential.type_name()));
            until.items.push_back(
                Value(static_cast<uint64_t>(credential.valid_until_unix_s.value_or(0))));
            std::string names;
            for (const auto& one : credential.names)
                names += (names.empty() ? "\"" : ",\"") + one.substr(one.find(':') + 1) + "\"";
            parameters.push_back(names.empty() ? "{}" : "{\"common_names\":[" + names + "]}");
        }
        rows.set_value("auth_type", Value(std::move(types)));
        rows.set_texts("auth_params", parameters);
        rows.set_value("valid_until", Value(std::move(until)));
        std::vector<std::string> ips, names, likes;
        for (const auto& rule : user.hosts)
        {
            if (rule.kind == "IP")
                ips.push_back(rule.value);
            else if (rule.kind == "NAME")
                names.push_back(rule.value);
            else if (rule.kind == "LOCAL")
                names.push_back("localhost");
            else if (rule.kind == "LIKE")
                likes.push_back(rule.value);
        }
        if (user.hosts.empty())
            ips.push_back("::/0");
        rows.set_texts("host_ip", ips);
        rows.set_texts("host_names", names);
        rows.set_texts("host_names_like", likes);
        rows.set_uint("default_roles_all", user.default_roles.all);
        rows.set_texts("default_roles_list", user.default_roles.names);
        rows.set_texts("default_roles_except", user.default_roles.except_names);
        rows.set_uint("grantees_any", user.grantees.any || user.grantees.all);
        rows.set_texts("grantees_list", user.grantees.names);
        rows.set_texts("grantees_except", user.grantees.except_names);
        rows.set("default_database", user.default_database);
    }
}


} // namespace

void register_users(SystemTables& tables)
{
    tables.add({"users",
                parse_header(
                    "name String, id UUID, storage String, auth_type Array(Enum8('no_password' = "
                    "0, 'plaintext_password' = 1, 'sha256_password' = 2, 'double_sha1_password' "
                    "= 3, 'ldap' = 4, 'kerberos' = 5, 'ssl_certificate' = 6, 'bcrypt_password' = "
                    "7, 'ssh_key' = 8, 'http' = 9, 'jwt' = 10, 'scram_sha256_password' = 11, "
                    "'no_authentication' = 12)), auth_params Array(String), valid_until "
                    "Array(DateTime), host_ip Array(String), host_names Array(String), "
                    "host_names_regexp Array(String), host_names_like Array(String), "
                    "default_roles_all UInt8, default_roles_list Array(String), "
                    "default_roles_except Array(String), grantees_any UInt8, grantees_list "
                    "Array(String), grantees_except Array(String), default_database String"),
                fill, ""});
}

} // namespace basalt
