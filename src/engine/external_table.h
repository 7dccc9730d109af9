#pragma once

// Tables that a client sends along with one query ("external data").

#include "engine/session.h"

namespace basalt
{

// While it lives, the session has the temporary table `name` of these rows in front of one of its
// own with that name.
class ExternalTable
{
public:
    ExternalTable(Session& session, std::string name, Header header, std::vector<Block> blocks);
    ~ExternalTable();
    ExternalTable(const ExternalTable&) = delete;
    ExternalTable& operator=(const ExternalTable&) = delete;

private:
    Session& session_;
    std::string name_;
    TablePtr hidden_; // the session's own
};

} // namespace basalt
