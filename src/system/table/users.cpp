#include "system/system_tables.h"

namespace basalt
{

namespace
{

void fill(Engine&, const QueryContext&, RowBuilder& rows)
{
    rows.add_row();
    rows.set("name", "default");
    rows.set("storage", "users_xml");
    rows.set_value("auth_type", Value(ArrayValue{{Value(std::string("no_password"))}}));
    rows.set_texts("auth_params", {"{}"});
    rows.set_texts("host_ip", {"::/0"});
    rows.set_uint("default_roles_all", 1);
    rows.set_uint("grantees_any", 1);
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
