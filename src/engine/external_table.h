#pragma once

// Tables that a client sends along with one query ("external data").

#include "engine/session.h"

#include <string_view>

namespace basalt
{

inline constexpr uint64_t kMaxExternalTables = 1000;              // of one query
inline constexpr uint64_t kMaxExternalTableBytes = 1ull << 30; // of one query, decoded

// "a UInt8, b Array(String)". SYNTAX_ERROR, UNKNOWN_TYPE.
Header parse_structure(std::string_view text);

// While it lives, the session has the temporary table `name` of these rows in front of one of its
// own with that name.
class ExternalTable
{
public:
    ExternalTable(Session& session, std::string name, Header header, std::vector<Block> blocks);
    ~ExternalTable();
    const std::string& name() const { return name_; }
    ExternalTable(const ExternalTable&) = delete;
    ExternalTable& operator=(const ExternalTable&) = delete;

private:
    Session& session_;
    std::string name_;
    TablePtr hidden_; // the session's own
};

} // namespace basalt
