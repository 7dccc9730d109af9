#pragma once

// What is granted to one user or role: privileges on everything, on databases, tables and columns, less
// what was revoked below. A tree of names; a node says all that holds there, and what stands below a
// node without nodes of its own has what the node has. Not thread-safe.

#include "catalog/access/privilege.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

// The place that a privilege is granted on. Empty names from the right: all columns, all tables, all
// databases.
struct AccessPlace
{
    std::string database = {}, table = {}, column = {};
};

// One line of SHOW GRANTS.
struct GrantElement
{
    bool revoke = false;       // less than what the place above has
    bool grant_option = false; // may hand it on; with revoke: may not
    PrivilegeSet privileges;
    AccessPlace place; // without a column
    std::vector<std::string> columns;
};

class AccessRights
{
public:
    void grant(const PrivilegeSet& privileges, const AccessPlace& place, bool grant_option);
    // only_option: what was granted stays, but cannot be handed on.
    void revoke(const PrivilegeSet& privileges, const AccessPlace& place, bool only_option);

    // On the place and on everything below it.
    bool granted(const PrivilegeSet& privileges, const AccessPlace& place) const;
    bool with_option(const PrivilegeSet& privileges, const AccessPlace& place) const;
    // Any of them, on the place or on anything below it.
    bool granted_on_some(const PrivilegeSet& privileges, const AccessPlace& place) const;

    void add(const AccessRights& other); // all that is granted there
    bool empty() const;
    // What makes these rights out of none, in an order that can be replayed.
    std::vector<GrantElement> elements() const;

private:
    struct Node
    {
        PrivilegeSet granted, option;
        std::map<std::string, Node, std::less<>> children;
    };

    Node& make(const AccessPlace& place);
    static void change(Node& node, const PrivilegeSet& set, const PrivilegeSet& clear_granted,
                       const PrivilegeSet& set_option, const PrivilegeSet& clear_option);
    static void trim(Node& node, size_t level);
    static void unite(Node& node, const Node& other);
    static void collect(const Node& node, const Node* parent, size_t level, AccessPlace place,
                        std::vector<GrantElement>& found);
    bool holds(const PrivilegeSet& privileges, const AccessPlace& place, bool option) const;

    Node root_;
};

// What can be granted on such a place at all: a GLOBAL privilege only on everything.
const PrivilegeSet& grantable_on(const AccessPlace& place);

} // namespace basalt
