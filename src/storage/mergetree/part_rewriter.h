#pragma once

// New versions of one part for mutations: rewritten row by row, or with everything but its indexes
// shared with the old one through hard links.

#include "storage/mergetree/part_writer.h"
#include "storage/mergetree/row_source.h"

namespace basalt
{

// What a mutation does to the rows of a block, command by command.
class RowMutation
{
public:
    // Commands of kinds Delete, Update, MaterializeColumn and ClearColumn.
    RowMutation(std::vector<MutationCommand> commands, TableMetadataPtr metadata,
                const QueryContext& context);

    // Blocks of the table's physical columns; may come back with fewer rows.
    Block apply(Block block) const;
    // Whether any row of the block would change.
    bool touches(const Block& block) const;
    // Columns that touches() reads; all rows are touched when it is empty.
    std::vector<std::string> predicate_inputs() const;

private:
    struct Step
    {
        MutationCommand::Kind kind;
        TypePtr predicate_type;
        std::unique_ptr<ExpressionProgram> predicate; // null: every row
        std::vector<std::string> names;               // of changed columns
        std::unique_ptr<ExpressionProgram> values;    // their new values
    };
    Step update_step(const MutationCommand& command) const;

    TableMetadataPtr metadata_;
    const QueryContext& context_;
    std::vector<Step> steps_;
};

// The part's files under a new folder; indexes named in `drop` go, those in `build` are made anew.
// Pages are not read but for the columns that new indexes need.
PartManifest relink_part(FileSystem& files, const PartPtr& part, const TableMetadata& metadata,
                         const ColumnHistory& history, const std::string& directory,
                         const std::vector<const IndexDescription*>& build,
                         const std::vector<std::string>& drop, int64_t now_unix_s,
                         const std::function<void(uint64_t)>& before_block,
                         const QueryContext& context);

// A folder whose files are hard links to another's.
void link_folder(FileSystem& files, const std::string& from, const std::string& to);

} // namespace basalt
