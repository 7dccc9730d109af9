#pragma once

// What a table is to the rooms above: its description, scans and sinks. Engines implement it.
// Threads: all methods may be called from any thread; a scan sees one state of the table from its
// creation to its end.

#include "base/query_context.h"
#include "columns/sort.h"
#include "functions/expression.h"
#include "storage/transaction.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace basalt
{

enum class DefaultKind : uint8_t
{
    None,
    Default,
    Materialized,
    Ephemeral,
    Alias,
};

// Texts are SQL; expressions next to them are bound over the table's columns.
struct ColumnDescription
{
    std::string name;
    TypePtr type;
    DefaultKind default_kind = DefaultKind::None;
    std::string default_text;
    ExpressionPtr default_expression; // converted to `type`
    std::string codec;                // without CODEC(); empty = the table's default
    std::string ttl_text;
    std::string comment;
};

struct IndexDescription // a skip index
{
    std::string name;
    std::string expression_text;
    ExpressionPtr expression;
    std::string type;  // minmax, set, bloom_filter, …
    Values arguments;  // set(100) -> 100
    size_t granularity = 1; // granules per index entry
};

struct KeyDescription
{
    std::string text; // "namespace, timestamp"; empty when there is none
    Expressions expressions;
    std::vector<bool> descending;
};

// What merges, FINAL and optimize_on_insert make of rows that have the same sorting key.
struct MergingDescription
{
    enum class Kind : uint8_t
    {
        Ordinary, // they stay
        Replacing,
        Summing,
        Aggregating,
        Collapsing,
        VersionedCollapsing, // the version is the last of the sorting key
        Coalescing,
    } kind = Kind::Ordinary;
    // Names of columns; empty: there is none.
    std::string sign;
    std::string version;
    std::string is_deleted;
    std::vector<std::string> columns; // to sum or coalesce; empty: all that can be

    bool combines() const { return kind != Kind::Ordinary; }
};

// Immutable; ALTER makes a new one.
struct TableMetadata
{
    std::vector<ColumnDescription> columns;
    KeyDescription partition_key;
    KeyDescription sorting_key;
    KeyDescription primary_key; // a prefix of sorting_key
    std::string sampling_key_text;
    std::string ttl_text;
    std::vector<IndexDescription> indexes;
    std::vector<std::pair<std::string, std::string>> constraints; // name, CHECK text
    std::vector<ExpressionPtr> constraint_expressions;
    std::vector<std::pair<std::string, std::string>> settings; // of the engine
    std::vector<std::string> engine_arguments;
    MergingDescription merging;
    std::string comment;

    const ColumnDescription* find_column(std::string_view name) const;
    Header physical_header() const; // columns that are stored: not ALIAS, not EPHEMERAL
    Header insertable_header() const; // None, Default, Ephemeral
    // Value of an engine setting; nullptr when it is not given.
    const std::string* find_setting(std::string_view name) const;
};
using TableMetadataPtr = std::shared_ptr<const TableMetadata>;

struct TableName
{
    std::string database;
    std::string table;
    std::string full() const { return database + "." + table; }
    bool operator==(const TableName&) const = default;
};

// Set by ORDER BY … LIMIT n while it runs: rows that sort after the n-th best so far need not be
// read. Scans may ignore it.
struct TopBound
{
    std::string column; // a stored column of the table, first sort key
    bool descending = false;
    // Not nullable columns only. Values that sort strictly after `value` are not needed.
    std::atomic<bool> is_set{false};
    std::mutex mutex;
    Value value;
};

struct ScanRequest
{
    // Names of columns to return, in order; may be empty: then blocks have rows but no columns.
    // Virtual columns of the engine may be named (_part, _partition_id, _part_offset, _table …).
    std::vector<std::string> columns;
    // By column: only so many first bytes of its texts are needed, 0: all. Empty: all of all. A
    // hint: scans may return more.
    std::vector<size_t> prefix_bytes;
    // Applied completely by the scan: every returned row satisfies it. Reads only stored and
    // virtual columns. May be null.
    ExpressionPtr filter;
    ExpressionPtr prewhere; // explicit PREWHERE, applied before filter; may be null
    size_t max_streams = 1;
    size_t block_rows = 65536; // upper bound of a block's rows
    // The query needs no more than this many rows in total (LIMIT without ORDER BY); 0 = all.
    uint64_t limit = 0;
    // Each stream must return rows ordered by this prefix of the sorting key.
    size_t order_prefix = 0;
    bool order_descending = false;
    std::shared_ptr<TopBound> top_bound;
    bool with_row_ids = false; // append a UInt64 column kRowIdColumn for Scan::fetch
    bool final = false;        // FINAL
    double sample = 0;         // SAMPLE ratio; 0 = none
};
inline constexpr const char* kRowIdColumn = "_basalt_row_id";

// One line group of EXPLAIN indexes = 1.
struct IndexUse
{
    std::string type; // MinMax, Partition, PrimaryKey, Skip
    std::string name;        // of a skip index
    std::string description; // "bloom_filter GRANULARITY 4"
    std::vector<std::string> keys;
    std::string condition;
    size_t parts_before = 0, parts_after = 0;
    size_t granules_before = 0, granules_after = 0;
};

class Scan
{
public:
    virtual ~Scan() = default;
    virtual const Header& header() const = 0; // as requested, plus kRowIdColumn when asked
    virtual size_t stream_count() const = 0;  // at least 1, at most max_streams
    // The next block of a stream; zero rows at its end. Different streams may be read from
    // different threads; streams share work, so one stream read alone may return all rows
    // (not when order_prefix is set). Counts what it reads into the context.
    virtual Block next(size_t stream) = 0;
    // Columns of rows by the ids that with_row_ids gave, in that order.
    virtual Block fetch(const PodVector<uint64_t>& row_ids,
                        const std::vector<std::string>& columns);
    virtual std::vector<IndexUse> index_use() const { return {}; }
    // Parts, rows and marks that will be read, for EXPLAIN ESTIMATE and the progress bar.
    struct Estimate
    {
        uint64_t parts = 0, rows = 0, marks = 0;
    };
    virtual Estimate estimate() const { return {}; }
};

class TableSink
{
public:
    virtual ~TableSink() = default;
    // Header: physical_header() of the table at the sink's creation, any order of rows. May be
    // called from one thread at a time.
    virtual void write(Block block) = 0;
    // Adds what was written to the transaction. Nothing is visible before it commits.
    virtual void finish() = 0;
};

struct TtlRollup; // storage/mergetree/ttl_rollup.h

// What ALTER does to parts; expressions are bound. The kinds …Column of alter() come in the order
// in which they apply; those of mutate() stand in system.mutations.
struct MutationCommand
{
    enum class Kind : uint8_t
    {
        AddColumn,    // alter()
        DropColumn,   // alter()
        RenameColumn, // alter(): name becomes new_name
        ModifyColumn, // alter(): stored values get another type
        Delete,
        Update,
        MaterializeIndex,
        DropIndex, // alter(): of the description; mutate(): CLEAR, of parts only
        MaterializeColumn,
        ClearColumn,
        MaterializeTtl,
        // By TTL: columns without a codec of their own get codec `name`. The only update is the
        // moment: of several that have come the latest wins.
        Recompress,
        Rollup,     // by TTL: rows of one group become one
    } kind = Kind::Delete;
    ExpressionPtr predicate; // Delete, Update, Recompress, Rollup: nullptr is every row
    std::shared_ptr<const TtlRollup> rollup;
    std::vector<std::pair<std::string, ExpressionPtr>> updates;   // Update
    std::string name;                                             // column or index
    std::string new_name;                                         // RenameColumn
    std::string partition_id;                                     // empty = all
    std::string text;                                             // for system.mutations
};

struct OptimizeCommand
{
    std::string partition_id; // empty: all
    bool final = false;       // also parts that stand alone
    bool deduplicate = false;
    // What makes rows the same; empty: all stored columns.
    std::vector<std::string> deduplicate_by;
    bool cleanup = false; // rows marked as deleted go for good
};

struct PartitionCommand
{
    enum class Kind : uint8_t
    {
        Drop,
        Detach,
        Attach,
        DropDetached,
        Freeze,
        Replace,
        Move,
        Clear,
        Unfreeze,
    } kind = Kind::Drop;
    bool is_part = false;     // name is a part name, not a partition
    bool all = false;         // PARTITION ALL
    std::string partition_id; // or the part's name
    std::string backup_name;  // Freeze, Unfreeze: WITH NAME
};

// Rows of system.parts, system.parts_columns, system.merges, system.mutations, described where
// the engine keeps them.
class MergeTreeTable;

class Table : public std::enable_shared_from_this<Table>
{
public:
    virtual ~Table() = default;

    virtual std::string engine_name() const = 0;
    virtual TableMetadataPtr metadata() const = 0;
    virtual TableName table_name() const = 0;
    virtual std::string uuid() const = 0;

    virtual std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) = 0;
    // Throws NOT_IMPLEMENTED for engines that cannot be written.
    virtual std::unique_ptr<TableSink> write(Transaction& transaction, QueryContextPtr context);

    virtual Header virtual_columns() const { return {}; }
    virtual std::optional<uint64_t> total_rows() const { return std::nullopt; }
    virtual std::optional<uint64_t> total_bytes() const { return std::nullopt; }
    virtual bool supports_final() const { return false; }
    virtual bool supports_prewhere() const { return false; }
    // Whether the scan can return rows in sorting-key order (ScanRequest::order_prefix).
    virtual bool supports_order() const { return false; }
    virtual bool supports_row_ids() const { return false; }
    // Whether deduplication tokens of INSERTs into it are honoured.
    virtual bool keeps_tokens() const { return false; }

    // ALTER … COLUMN / INDEX / MODIFY: the new metadata is given whole; `commands` say what parts
    // need (dropped columns and indexes). Throws NOT_IMPLEMENTED by default.
    virtual void alter(TableMetadataPtr metadata, const std::vector<MutationCommand>& commands,
                       QueryContextPtr context);
    // Returns when done if `wait`.
    virtual void mutate(const std::vector<MutationCommand>& commands, bool wait,
                        QueryContextPtr context);
    virtual void change_partition(const PartitionCommand& command, QueryContextPtr context);
    virtual void optimize(const OptimizeCommand& command, QueryContextPtr context);
    virtual void truncate(QueryContextPtr context);
    virtual void rename(const TableName& name);
    virtual void flush(QueryContextPtr context) {} // live buffer to a part, for statements that name parts
    virtual void shutdown() {}                      // stops background work; called before drop
    virtual void drop() {}                          // removes the data
};
using TablePtr = std::shared_ptr<Table>;

// A scan over ready blocks with filter, columns and limit applied: for small engines and system
// tables. Blocks hold at least the columns that request.columns and request.filter name.
std::unique_ptr<Scan> scan_blocks(std::vector<Block> blocks, Header header,
                                  const ScanRequest& request, QueryContextPtr context);
// The same where blocks are produced on demand; produce() returns zero rows at the end and is
// called from one thread at a time.
std::unique_ptr<Scan> scan_generated(std::function<Block()> produce, Header header,
                                     const ScanRequest& request, QueryContextPtr context);

} // namespace basalt
