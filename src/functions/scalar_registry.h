#pragma once

// Names to scalar functions. Filled once at start, then read by any thread.

#include "functions/function.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace basalt
{

// A new object per use, because some functions keep what they learn of their arguments; given the
// context so that now(), timezone defaults and the like are bound once per query.
using ScalarFactory = ScalarFunctionPtr (*)(const QueryContext& context);

class ScalarRegistry
{
public:
    // alias_of: the canonical name when this is another name for it.
    void add(std::string name, ScalarFactory factory, bool case_insensitive = false);
    void add_alias(std::string name, std::string alias_of, bool case_insensitive = false);

    // Null when there is none.
    ScalarFunctionPtr find(std::string_view name, const QueryContext& context) const;
    // Throws UNKNOWN_FUNCTION with near names.
    ScalarFunctionPtr get(std::string_view name, const QueryContext& context) const;
    bool exists(std::string_view name) const;

    struct Entry
    {
        std::string name;
        std::string alias_of; // empty for a function of its own
        bool case_insensitive;
        ScalarFactory factory;
    };
    std::vector<Entry> entries() const; // by name; for system.functions and tests

private:
    const Entry* find_entry(std::string_view name) const;

    std::map<std::string, Entry, std::less<>> by_name_;
    std::map<std::string, std::string, std::less<>> by_lower_name_;
};

// Every function of the folder scalar/, registered on first use.
const ScalarRegistry& scalar_functions();

// Defined by the build: calls register_<name>(registry) of each file.
void register_all_scalar(ScalarRegistry& registry);

} // namespace basalt
