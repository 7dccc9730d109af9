#include "catalog/access/access_rights.h"

namespace basalt
{

namespace
{

constexpr size_t kLevels = 4; // everything, database, table, column

const PrivilegeSet& of_level(size_t level)
{
    switch (level)
    {
    case 0:
        return all_privileges();
    case 1:
        return database_privileges();
    case 2:
        return table_privileges();
    default:
        return column_privileges();
    }
}

// The names of the place from the left, as many as it has.
std::vector<std::string_view> names_of(const AccessPlace& place)
{
    std::vector<std::string_view> names;
    for (const std::string* name : {&place.database, &place.table, &place.column})
    {
        if (name->empty())
            break;
        names.push_back(*name);
    }
    return names;
}

template <class Node>
bool all_below(const Node& node, const PrivilegeSet& privileges, size_t level, bool option)
{
    const PrivilegeSet wanted = privileges & of_level(level);
    if ((wanted & ~(option ? node.option : node.granted)).any())
        return false;
    for (const auto& [name, child] : node.children)
        if (!all_below(child, wanted, level + 1, option))
            return false;
    return true;
}

template <class Node>
bool some_below(const Node& node, const PrivilegeSet& privileges)
{
    if ((node.granted & privileges).any())
        return true;
    for (const auto& [name, child] : node.children)
        if (some_below(child, privileges))
            return true;
    return false;
}

} // namespace

const PrivilegeSet& grantable_on(const AccessPlace& place)
{
    return of_level(names_of(place).size());
}

AccessRights::Node& AccessRights::make(const AccessPlace& place)
{
    Node* node = &root_;
    size_t level = 0;
    for (const std::string_view name : names_of(place))
    {
        ++level;
        auto it = node->children.find(name);
        if (it == node->children.end())
        {
            Node child;
            child.granted = node->granted & of_level(level);
            child.option = node->option & of_level(level);
            it = node->children.emplace(std::string(name), std::move(child)).first;
        }
        node = &it->second;
    }
    return *node;
}

void AccessRights::change(Node& node, const PrivilegeSet& set, const PrivilegeSet& clear_granted,
                          const PrivilegeSet& set_option, const PrivilegeSet& clear_option)
{
    node.granted = (node.granted | set) & ~clear_granted;
    node.option = (node.option | set_option) & ~clear_option;
    for (auto& [name, child] : node.children)
        change(child, set, clear_granted, set_option, clear_option);
}

// Bits that mean nothing on their level, and nodes that say what the node above says, go.
void AccessRights::trim(Node& node, size_t level)
{
    node.granted &= of_level(level);
    node.option &= of_level(level);
    for (auto it = node.children.begin(); it != node.children.end();)
    {
        Node& child = it->second;
        trim(child, level + 1);
        const auto& mask = of_level(level + 1);
        const bool same = child.children.empty() && child.granted == (node.granted & mask) &&
                          child.option == (node.option & mask);
        it = same ? node.children.erase(it) : std::next(it);
    }
}

void AccessRights::grant(const PrivilegeSet& privileges, const AccessPlace& place,
                         bool grant_option)
{
    change(make(place), privileges, {}, grant_option ? privileges : PrivilegeSet(), {});
    trim(root_, 0);
}

void AccessRights::revoke(const PrivilegeSet& privileges, const AccessPlace& place,
                          bool only_option)
{
    change(make(place), {}, only_option ? PrivilegeSet() : privileges, {}, privileges);
    trim(root_, 0);
}

bool AccessRights::holds(const PrivilegeSet& privileges, const AccessPlace& place,
                         bool option) const
{
    const Node* node = &root_;
    size_t level = 0;
    for (const std::string_view name : names_of(place))
    {
        // A privilege that is not for such small places counts where it can be granted.
        if ((privileges & of_level(level + 1)) != privileges)
            break;
        const auto it = node->children.find(name);
        if (it == node->children.end())
            return ((option ? node->option : node->granted) & privileges) == privileges;
        node = &it->second;
        ++level;
    }
    return (privileges & ~of_level(level)).none() && all_below(*node, privileges, level, option);
}

bool AccessRights::granted(const PrivilegeSet& privileges, const AccessPlace& place) const
{
    return holds(privileges, place, false);
}

bool AccessRights::with_option(const PrivilegeSet& privileges, const AccessPlace& place) const
{
    return holds(privileges, place, true);
}

bool AccessRights::granted_on_some(const PrivilegeSet& privileges, const AccessPlace& place) const
{
    const Node* node = &root_;
    for (const std::string_view name : names_of(place))
    {
        const auto it = node->children.find(name);
        if (it == node->children.end())
            return (node->granted & privileges).any();
        node = &it->second;
    }
    return some_below(*node, privileges);
}

void AccessRights::unite(Node& node, const Node& other)
{
    // First every child that either has, so that each keeps its own rights and gains the other's.
    for (const auto& [name, child] : other.children)
        if (!node.children.contains(name))
        {
            Node added;
            added.granted = node.granted;
            added.option = node.option;
            node.children.emplace(name, std::move(added));
        }
    node.granted |= other.granted;
    node.option |= other.option;
    for (auto& [name, child] : node.children)
    {
        const auto it = other.children.find(name);
        if (it != other.children.end())
            unite(child, it->second);
        else
            change(child, other.granted, {}, other.option, {});
    }
}

void AccessRights::add(const AccessRights& other)
{
    unite(root_, other.root_);
    trim(root_, 0);
}

bool AccessRights::empty() const
{
    return root_.granted.none() && root_.children.empty();
}

void AccessRights::collect(const Node& node, const Node* parent, size_t level, AccessPlace place,
                           std::vector<GrantElement>& found)
{
    const PrivilegeSet above = parent ? parent->granted & of_level(level) : PrivilegeSet();
    const PrivilegeSet above_option = parent ? parent->option & of_level(level) : PrivilegeSet();
    const auto say = [&](bool revoke, bool option, const PrivilegeSet& privileges)
    {
        if (privileges.none())
            return;
        GrantElement element;
        element.revoke = revoke;
        element.grant_option = option;
        element.privileges = privileges;
        element.place = place;
        element.place.column.clear();
        if (level == kLevels - 1)
        {
            element.columns.push_back(place.column);
            // Columns with the same change share a line.
            for (auto& earlier : found)
                if (!earlier.columns.empty() && earlier.revoke == revoke &&
                    earlier.grant_option == option && earlier.privileges == privileges &&
                    earlier.place.database == place.database &&
                    earlier.place.table == place.table)
                {
                    earlier.columns.push_back(place.column);
                    return;
                }
        }
        found.push_back(std::move(element));
    };
    say(true, false, above & ~node.granted);
    say(true, true, above_option & ~node.option & node.granted);
    say(false, false, node.granted & ~above & ~(node.option & ~above_option));
    say(false, true, node.option & ~above_option);
    for (const auto& [name, child] : node.children)
    {
        AccessPlace below = place;
        (level == 0 ? below.database : level == 1 ? below.table : below.column) = name;
        collect(child, &node, level + 1, std::move(below), found);
    }
}

std::vector<GrantElement> AccessRights::elements() const
{
    std::vector<GrantElement> found;
    collect(root_, nullptr, 0, {}, found);
    return found;
}

} // namespace basalt
