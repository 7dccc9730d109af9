#pragma once

// Applies what happened to the rows of one table in PostgreSQL: gathers changes of one or several
// transactions, then finds the rows that died and adds everything to one transaction of the log.
// Several changes of one row between two commits cost one row.
//
// Memory: the gathered rows (spill() bounds them) and kMaxKnownRows places of recently written rows.
// Errors: CANNOT_PARSE_TEXT for values that have no form here; OutOfStep below. After an
// error abandon() is what is left. Threads: one.

#include "integrations/postgres/replica_table.h"
#include "postgres/copy_text.h"
#include "postgres/pgoutput.h"
#include "postgres/source_table.h"
#include "postgres/value_reader.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace basalt::pg
{

// Places of rows by key that are remembered, so that a row changed often is not looked up.
inline constexpr size_t kMaxKnownRows = 256 << 10;

// A row that PostgreSQL changed is not here, or a NULL came for a column without NULLs: the table
// has to be copied again.
class OutOfStep : public Error
{
public:
    explicit OutOfStep(std::string text) : Error(error_codes::INCORRECT_DATA, std::move(text)) {}
};

class TableWriter
{
public:
    // The table has the columns of `source`, in its order.
    TableWriter(std::shared_ptr<ReplicaTable> table, SourceTable source);

    const SourceTable& source() const { return source_; }
    const std::shared_ptr<ReplicaTable>& table() const { return table_; }

    void insert(const Tuple& row);
    void update(const UpdateMessage& update);
    void remove(const DeleteMessage& removal);
    void truncate();

    // For copies: fields in the order of columns. No key is looked at.
    void append_copied(const std::vector<CopyField>& fields);

    size_t gathered_rows() const { return alive_.size(); }
    size_t gathered_bytes() const { return bytes_; }
    bool has_changes() const { return changed_; }
    uint64_t written_rows() const { return inserted_; } // since the last commit

    // Finds what died; throws before anything is added to a transaction.
    void resolve();
    // Writes gathered rows now, invisible, in a transaction of their own.
    void spill();
    // Adds everything since the last commit; resolve() comes first.
    void stage(Transaction& transaction);
    void committed();
    void abandon();

private:
    struct Entry // of a key, or of a hash where there is no key
    {
        uint32_t kills = 0;            // stored rows that die
        std::vector<uint32_t> pending; // gathered rows that live
    };
    struct Fill // a value that PostgreSQL did not send, since the update did not touch it
    {
        uint32_t row = 0;
        uint32_t column = 0;
        std::string key; // of the stored row that has it
    };

    void append_value(size_t column, const TupleValue& value);
    void append_row(const Tuple& row, const UpdateMessage* update, const std::string& old_key);
    std::string key_of_last_row() const;
    std::string key_of(const Tuple& tuple);
    std::string key_from(const Columns& columns, size_t row) const;
    void kill_one(const std::string& key);
    void keep_last_row(const std::string& key);
    bool is_alive(uint64_t number) const;
    void look_up(const std::unordered_map<std::string, uint32_t>& wanted);
    ExpressionPtr condition_of(const std::unordered_map<std::string, uint32_t>& wanted,
                               const QueryContext& context) const;
    void fill_values(const std::unordered_map<std::string, std::pair<Columns, size_t>>& found);
    void write_gathered(Transaction& transaction);
    void clear_gathered();

    std::shared_ptr<ReplicaTable> table_;
    SourceTable source_;
    TableMetadataPtr metadata_;
    std::vector<ValueReader> readers_;
    std::vector<bool> key_times_; // dates and times in the key
    QueryContextPtr context_;

    std::vector<MutableColumnPtr> columns_;
    std::vector<MutableColumnPtr> scratch_; // one row for keys
    Mask alive_;                            // of gathered rows
    size_t bytes_ = 0;
    std::unordered_map<std::string, Entry> entries_;
    std::unordered_map<uint64_t, Fill> fills_; // by row and column
    bool resolved_ = true;

    // Since the last commit, spilled or not.
    std::vector<uint64_t> killed_;
    std::unordered_set<uint64_t> killed_set_;
    uint64_t inserted_ = 0;
    uint64_t dead_below_ = 0;
    std::optional<uint64_t> first_number_; // of rows of this commit
    bool changed_ = false;

    std::unordered_map<std::string, uint64_t> known_; // key -> number of the row that lives
};

} // namespace basalt::pg
