#pragma once

// Rows on their way into a table: missing columns computed, constraints checked, views fed, all in
// one transaction.

#include "engine/statement.h"
#include "storage/transaction.h"

#include <memory>
#include <vector>

namespace basalt
{

// Views of views of … deeper than this are refused.
inline constexpr size_t kMaxViewDepth = 32;

// One lane of an insert: several may write at once, each from one thread. finish() of all lanes,
// one after another, then the transaction's commit().
class InsertLane
{
public:
    // given: names and types of the blocks that write() gets; names are columns of the table.
    InsertLane(Engine& engine, TablePtr table, Header given, Transaction& transaction,
               QueryContextPtr context, size_t depth = 0);
    ~InsertLane();

    // omitted: as in InputBlock; may be empty.
    void write(Block block, const std::vector<Mask>& omitted = {});
    void finish();
    bool has_rows() const { return has_rows_; } // write() got some

    // From now on a hash of the rows is kept; of all rows in their order, however they come.
    void hash_content() { hashes_content_ = true; }
    std::string content_hash() const { return content_hash_; }

private:
    struct ViewTarget;

    Block complete(const Block& block, const std::vector<Mask>& omitted) const;
    void check_constraints(const Block& block) const;
    void feed_views(const Block& block);

    Engine& engine_;
    TablePtr table_;
    TableMetadataPtr metadata_;
    Header given_;
    Transaction& transaction_;
    QueryContextPtr context_;
    size_t depth_;
    std::unique_ptr<TableSink> sink_;
    bool has_rows_ = false;
    std::vector<std::unique_ptr<ViewTarget>> views_;
    std::vector<std::unique_ptr<ExpressionProgram>> constraints_;
    bool hashes_content_ = false;
    std::string content_hash_;
};

// Whether the rows of an INSERT are neither a SELECT's nor in the text behind its head.
bool takes_blocks_of(const AstInsert& insert, const std::string& text);

// A table's columns as the native protocol tells clients of them: "columns format version: 1", the
// number of columns, a line for each with its type and its default.
std::string describe_columns(const TableMetadata& metadata);

// The columns that an INSERT names, in its order (all insertable ones when it names none).
Header insert_header(const AstInsert& insert, const TableMetadata& metadata);

} // namespace basalt
