#include "storage/mergetree/row_work.h"

namespace basalt
{

bool changes_rows(const MutationCommand& command)
{
    using Kind = MutationCommand::Kind;
    return command.kind == Kind::Delete || command.kind == Kind::Update ||
           command.kind == Kind::ClearColumn || command.kind == Kind::MaterializeColumn;
}

RowWork::RowWork(const std::vector<MutationCommand>& commands, const TableMetadataPtr& metadata,
                 const QueryContext& context)
{
    std::vector<MutationCommand> changes;
    for (const auto& command : commands)
        if (changes_rows(command))
            changes.push_back(command);
        else if (command.kind == MutationCommand::Kind::Rollup)
            rollups_.push_back(std::make_unique<RowRollup>(command, *metadata, context));
    if (!changes.empty())
        changes_ = std::make_unique<RowMutation>(std::move(changes), metadata, context);
}

void RowWork::add(Block block, const Emit& emit)
{
    if (changes_)
        block = changes_->apply(std::move(block));
    pass(std::move(block), 0, emit);
}

void RowWork::pass(Block block, size_t rollup, const Emit& emit)
{
    if (block.rows() == 0)
        return;
    if (rollup == rollups_.size())
        return emit(std::move(block));
    rollups_[rollup]->add(block, [&](Block rows) { pass(std::move(rows), rollup + 1, emit); });
}

void RowWork::finish(const Emit& emit)
{
    for (size_t i = 0; i < rollups_.size(); ++i)
        rollups_[i]->finish([&](Block rows) { pass(std::move(rows), i + 1, emit); });
}

} // namespace basalt
