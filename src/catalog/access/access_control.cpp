#include "catalog/access/access_control.h"

#include "sql/formatter.h"
#include "sql/parser.h"

#include <algorithm>
#include <fmt/format.h>

namespace basalt
{

namespace
{

User default_user()
{
    User user;
    user.name = "default";
    user.rights.grant(all_privileges(), {}, true);
    return user;
}

constexpr std::string_view kFileHeader = "-- Basalt access, version 1\n";

std::string text_of(const AccessState& state)
{
    std::string text(kFileHeader);
    const auto add = [&](const AstPtr& ast) { text += format_query(*ast) + ";\n"; };
    // What is named by others comes first; profiles and those who have them name each other.
    for (const auto& [name, profile] : state.profiles)
        if (!profile.from_config)
            add(create_statement(Profile{{profile.name, {}, false, {}}, {}}));
    for (const auto& [name, role] : state.roles)
        if (!role.from_config)
            add(create_statement(role));
    for (const auto& [name, user] : state.users)
        if (!user.from_config)
            add(create_statement(user, true));
    const auto add_grants = [&](const Grantee& grantee)
    {
        if (!grantee.from_config)
            for (const auto& statement : grant_statements(grantee))
                add(statement);
    };
    for (const auto& [name, role] : state.roles)
        add_grants(role);
    for (const auto& [name, user] : state.users)
        add_grants(user);
    for (const auto& [name, profile] : state.profiles)
        if (!profile.from_config)
        {
            const AstPtr ast = create_statement(profile);
            auto& alter = *ast->as<AstCreateSettingsProfile>();
            alter.verb = AccessVerb::Alter;
            alter.settings.replace = true;
            if (alter.settings.present || !alter.to.empty())
                add(ast);
        }
    return text;
}

void run_statements(std::string_view text, const AccessStatementContext& context,
                    AccessState& state)
{
    for (size_t offset = 0; offset < text.size();)
    {
        const ParsedStatement parsed = parse_statement(text, offset);
        if (!parsed.ast)
            break;
        offset = parsed.next;
        const auto* query = parsed.ast->as<AstQuery>();
        run_access_statement(query ? *query->statement : *parsed.ast, context, state);
    }
}

} // namespace

const User& AccessState::user(std::string_view name) const
{
    const auto it = users.find(name);
    if (it == users.end())
        throw Error(error_codes::UNKNOWN_USER, fmt::format("There is no user `{}`", name));
    return it->second;
}

const Role& AccessState::role(std::string_view name) const
{
    const auto it = roles.find(name);
    if (it == roles.end())
        throw Error(error_codes::UNKNOWN_ROLE, fmt::format("There is no role `{}`", name));
    return it->second;
}

const Grantee& AccessState::grantee(std::string_view name) const
{
    if (const auto it = users.find(name); it != users.end())
        return it->second;
    if (const auto it = roles.find(name); it != roles.end())
        return it->second;
    throw Error(error_codes::UNKNOWN_USER, fmt::format("There is no user or role `{}`", name));
}

bool AccessState::contains(const RoleSet& set, std::string_view name)
{
    const auto has = [&](const std::vector<std::string>& names)
    { return std::find(names.begin(), names.end(), name) != names.end(); };
    return (set.all || set.any || has(set.names)) && !has(set.except_names);
}

AccessControl::AccessControl(FileSystem& files, std::string data_path)
    : files_(files), data_path_(std::move(data_path))
{
    AccessState state;
    state.users.emplace("default", default_user());
    publish(std::move(state));
}

std::shared_ptr<const AccessState> AccessControl::state() const
{
    std::lock_guard lock(mutex_);
    return state_;
}

void AccessControl::publish(AccessState state)
{
    if (state.users.size() + state.roles.size() + state.profiles.size() > kMaxAccessEntities)
        throw Error(error_codes::TOO_MANY_ROWS,
                    fmt::format("There are at most {} users, roles and settings profiles",
                                kMaxAccessEntities));
    state.version = version_.load() + 1;
    auto published = std::make_shared<const AccessState>(std::move(state));
    std::lock_guard lock(mutex_);
    state_ = std::move(published);
    version_.store(state_->version, std::memory_order_release);
}

void AccessControl::load()
{
    if (data_path_.empty() || !files_.status(path()))
        return;
    const std::string text = files_.read_whole(path(), kMaxAccessFileBytes);
    AccessState state;
    try
    {
        if (!text.starts_with(kFileHeader))
            throw Error(error_codes::CORRUPTED_DATA, "it does not begin as such a file does");
        run_statements(text, {}, state);
    }
    catch (const Error& error)
    {
        throw Error(error_codes::INCORRECT_ACCESS_ENTITY_DEFINITION,
                    fmt::format("Cannot read users from {}: {}", path(), error.message()));
    }
    publish(std::move(state));
}

void AccessControl::add_from_config(std::string_view statements)
{
    AccessStatementContext context;
    context.from_config = true;
    // Roles and profiles that are kept may be named.
    AccessState state = *this->state();
    for (size_t offset = 0; offset < statements.size();)
    {
        const ParsedStatement parsed = parse_statement(statements, offset);
        if (!parsed.ast)
            break;
        offset = parsed.next;
        // What was kept under a configured name is hidden.
        const auto hide = [&](auto& entities, const std::vector<std::string>& names)
        {
            for (const auto& name : names)
                if (const auto it = entities.find(name);
                    it != entities.end() && !it->second.from_config)
                    entities.erase(it);
        };
        const auto* query = parsed.ast->as<AstQuery>();
        const Ast& ast = query ? *query->statement : *parsed.ast;
        if (const auto* user = ast.as<AstCreateUser>(); user && user->verb == AccessVerb::Create)
            hide(state.users, user->names);
        else if (const auto* role = ast.as<AstCreateRole>();
                 role && role->verb == AccessVerb::Create)
            hide(state.roles, role->names);
        else if (const auto* profile = ast.as<AstCreateSettingsProfile>();
                 profile && profile->verb == AccessVerb::Create)
            hide(state.profiles, profile->names);
        run_access_statement(ast, context, state);
    }
    publish(std::move(state));
}

void AccessControl::set_default_password(std::string_view password)
{
    AccessState state = *this->state();
    auto it = state.users.find("default");
    if (it == state.users.end())
        it = state.users.emplace("default", default_user()).first;
    it->second.credentials = {
        credential_of_password(CredentialKind::ScramSha256, password, system_random())};
    it->second.from_config = true;
    publish(std::move(state));
}

void AccessControl::change(const std::function<void(AccessState&)>& change)
{
    std::lock_guard lock(change_mutex_);
    AccessState changed = *state();
    change(changed);
    write(changed);
    publish(std::move(changed));
}

void AccessControl::write(const AccessState& state)
{
    if (data_path_.empty())
        return;
    const std::string text = text_of(state);
    if (text.size() > kMaxAccessFileBytes)
        throw Error(error_codes::TOO_LARGE_STRING_SIZE,
                    fmt::format("{} has at most {} bytes", path(), kMaxAccessFileBytes));
    const std::string folder = data_path_ + "/access";
    files_.create_directories(folder);
    const std::string draft = path() + ".tmp";
    auto file = files_.open_for_write(draft, OpenMode::Truncate);
    file->append(text);
    file->sync();
    file->close();
    files_.rename(draft, path());
    files_.sync_directory(folder);
    files_.sync_directory(data_path_);
}

} // namespace basalt
