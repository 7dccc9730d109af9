#pragma once

// Rows of an INSERT as its text or a stream has them, in the INSERT's format. Used where they are
// parsed: in the server, or in a client that sends blocks. One thread.

#include "base/query_context.h"
#include "engine/insert.h"
#include "formats/format.h"

#include <memory>

namespace basalt
{

class InsertRows
{
public:
    // source: what stands behind the INSERT's head; outlives this. header: the columns wanted.
    InsertRows(const std::string& format, InputBuffer& source, Header header,
               QueryContextPtr context);
    ~InsertRows();

    InputBlock next(); // zero rows at the end

private:
    QueryContextPtr context_;
    std::unique_ptr<InputFormat> format_;
};

// DEFAULT expressions of a table, from describe_columns(): for a client, whose rows may leave
// columns out that its blocks must have.
class DescribedDefaults
{
public:
    // Throws INCORRECT_DATA for a description that is none.
    DescribedDefaults(const std::string& description, const Header& header,
                      QueryContextPtr context);
    ~DescribedDefaults();

    // The block with DEFAULTs in place of what was left out.
    Block fill(InputBlock rows) const;

private:
    struct Entry;
    QueryContextPtr context_;
    std::vector<std::unique_ptr<Entry>> entries_; // one per column of the header, perhaps null
};

} // namespace basalt
