#include "storage/mergetree/part_rewriter.h"

#include "base/error.h"
#include "codecs/hash.h"
#include "columns/absent_value.h"
#include "storage/conversion.h"

#include <algorithm>

namespace basalt
{

namespace
{

using Kind = MutationCommand::Kind;

// Puts the column in the place of the one with its name.
void replace(Block& block, const std::string& name, ColumnPtr column)
{
    const int at = block.find(name);
    BASALT_ASSERT(at >= 0);
    block[static_cast<size_t>(at)].column = std::move(column);
}

// Columns that a column with a computed value is computed from.
bool depends_on(const ColumnDescription& column, const std::vector<std::string>& names)
{
    if (column.default_kind != DefaultKind::Materialized || !column.default_expression)
        return false;
    for (const auto& input : inputs_of({column.default_expression}))
        if (std::find(names.begin(), names.end(), input) != names.end())
            return true;
    return false;
}

ExpressionPtr as_type(const ExpressionPtr& expression, const TypePtr& type,
                      const QueryContext& context)
{
    if (same_type(expression->type(), type))
        return expression;
    return Expression::call("CAST",
                            {expression, Expression::constant(simple_type(TypeId::String),
                                                              type->name())},
                            context);
}

} // namespace

RowMutation::RowMutation(std::vector<MutationCommand> commands, TableMetadataPtr metadata,
                         const QueryContext& context)
    : metadata_(std::move(metadata)), context_(context)
{
    for (const auto& command : commands)
    {
        if (command.kind == Kind::Update)
        {
            steps_.push_back(update_step(command));
            continue;
        }
        Step step;
        step.kind = command.kind;
        if (command.predicate)
        {
            step.predicate_type = command.predicate->type();
            step.predicate = std::make_unique<ExpressionProgram>(
                Expressions{command.predicate}, context_);
        }
        if (command.kind == Kind::MaterializeColumn || command.kind == Kind::ClearColumn)
        {
            const ColumnDescription* column = metadata_->find_column(command.name);
            if (!column)
                continue; // dropped since
            const bool computed =
                column->default_expression && (command.kind == Kind::ClearColumn ||
                                               column->default_kind == DefaultKind::Materialized);
            if (computed)
                step.values = std::make_unique<ExpressionProgram>(
                    Expressions{column->default_expression}, context_);
            else if (command.kind == Kind::ClearColumn)
                step.values = std::make_unique<ExpressionProgram>(
                    Expressions{Expression::constant(column->type,
                                                     absent_value(*column->type))},
                    context_);
            step.names = {command.name};
        }
        steps_.push_back(std::move(step));
    }
}

RowMutation::Step RowMutation::update_step(const MutationCommand& command) const
{
    Step step;
    step.kind = Kind::Update;
    if (command.predicate)
    {
        step.predicate_type = command.predicate->type();
        step.predicate =
            std::make_unique<ExpressionProgram>(Expressions{command.predicate}, context_);
    }
    Expressions values;
    std::unordered_map<std::string, ExpressionPtr> updated;
    for (const auto& [name, expression] : command.updates)
    {
        const TypePtr type = metadata_->find_column(name)->type;
        ExpressionPtr value = as_type(expression, type, context_);
        if (command.predicate)
            value = as_type(Expression::call("if",
                                             {command.predicate, value,
                                              Expression::input(name, type)},
                                             context_),
                            type, context_);
        step.names.push_back(name);
        values.push_back(value);
        updated.emplace(name, value);
    }
    // What is computed from updated columns follows them.
    const auto named = step.names;
    for (const auto& column : metadata_->columns)
        if (depends_on(column, named) && !updated.contains(column.name))
        {
            step.names.push_back(column.name);
            values.push_back(as_type(
                replace_inputs(column.default_expression, updated, context_), column.type,
                context_));
        }
    step.values = std::make_unique<ExpressionProgram>(std::move(values), context_);
    return step;
}

Block RowMutation::apply(Block block) const
{
    for (const auto& step : steps_)
    {
        if (block.rows() == 0)
            return block;
        if (step.kind == Kind::Delete)
        {
            Mask mask;
            size_t matched = block.rows();
            if (step.predicate)
                matched = column_to_mask(step.predicate->run(block, context_)[0],
                                         step.predicate_type, mask);
            else
                mask.assign(block.rows(), 1);
            if (matched == 0)
                continue;
            for (auto& byte : mask)
                byte = byte == 0;
            block = block.filter(mask, block.rows() - matched);
            continue;
        }
        if (!step.values)
            continue;
        Columns values = step.values->run(block, context_);
        for (size_t i = 0; i < values.size(); ++i)
            replace(block, step.names[i], std::move(values[i]));
    }
    return block;
}

bool RowMutation::touches(const Block& block) const
{
    for (const auto& step : steps_)
    {
        if (!step.predicate)
            return true;
        Mask mask;
        if (column_to_mask(step.predicate->run(block, context_)[0], step.predicate_type, mask))
            return true;
    }
    return false;
}

std::vector<std::string> RowMutation::predicate_inputs() const
{
    std::vector<std::string> inputs;
    for (const auto& step : steps_)
    {
        if (!step.predicate)
            return {};
        for (const auto& name : step.predicate->inputs())
            if (std::find(inputs.begin(), inputs.end(), name) == inputs.end())
                inputs.push_back(name);
    }
    return inputs;
}

void link_folder(FileSystem& files, const std::string& from, const std::string& to)
{
    files.remove_directory_recursive(to);
    files.create_directories(to);
    for (const auto& entry : files.list(from))
        if (!entry.is_directory)
            files.hard_link(join_path(from, entry.name), join_path(to, entry.name));
    files.sync_directory(to);
}

namespace
{

// The bytes of an index over all rows of the part.
std::string build_index(const PartPtr& part, const IndexDescription& index,
                        const TableMetadata& metadata, const ColumnHistory& history,
                        const std::function<void(uint64_t)>& before_block,
                        const QueryContext& context)
{
    ColumnSlots slots;
    const ExpressionProgram program({index.expression}, context);
    for (const auto& input : program.inputs())
        slots.add(input, metadata.find_column(input)->type);
    const Header header = slots.header();
    const auto plan = std::make_shared<SourcePlan>(metadata, history, part, 0, TableName(), slots, context);
    RowReader reader(plan, PageUse::Once, context);
    const SkipIndexKind& kind = skip_index_kinds().get(index.type);
    const size_t entry_rows = part->manifest().granule_rows * kind.entry_granules(index);
    const auto builder = kind.make_builder(index, entry_rows);
    std::string bytes;
    auto waiting = remove_low_cardinality(index.expression->type())->create_column();
    for (size_t row = 0; row < part->rows();)
    {
        PageRows rows;
        rows.page = row / kPageRows;
        rows.begin = row % kPageRows;
        rows.count = std::min(kPageRows - rows.begin, part->rows() - row);
        before_block(rows.count);
        Block block;
        for (size_t i = 0; i < header.size(); ++i)
            block.add({reader.read(i, rows), header[i].type, header[i].name});
        block.set_rows(rows.count);
        add_entries(*to_flat(program.run(block, context)[0]), entry_rows, waiting, *builder);
        bytes += builder->take_bytes();
        row += rows.count;
    }
    if (waiting->size())
        builder->add_entry(*waiting, 0, waiting->size());
    return bytes + builder->take_bytes() + builder->finish();
}

void remove_index(PartManifest& manifest, const std::string& name)
{
    const auto found = std::find_if(manifest.indexes.begin(), manifest.indexes.end(),
                                    [&](const IndexManifest& one) { return one.name == name; });
    if (found == manifest.indexes.end())
        return;
    const uint32_t file = found->section.file;
    manifest.indexes.erase(found);
    if (file == 0)
        return; // its bytes stay in the packed file until the next merge
    manifest.files.erase(manifest.files.begin() + file);
    const auto shift = [&](uint32_t& number) { number -= number > file; };
    for (auto& column : manifest.columns)
        shift(column.file);
    for (auto& index : manifest.indexes)
        shift(index.section.file);
}

} // namespace

PartManifest relink_part(FileSystem& files, const PartPtr& part, const TableMetadata& metadata,
                         const ColumnHistory& history, const std::string& directory,
                         const std::vector<const IndexDescription*>& build,
                         const std::vector<std::string>& drop, int64_t now_unix_s,
                         const std::function<void(uint64_t)>& before_block,
                         const QueryContext& context)
{
    PartManifest manifest = part->manifest();
    manifest.created_unix_s = now_unix_s;
    for (const auto& name : drop)
        remove_index(manifest, name);
    for (const auto* index : build)
        remove_index(manifest, index->name);
    const std::string old = part->directory();
    files.remove_directory_recursive(directory);
    files.create_directories(directory);
    for (size_t i = 1; i < manifest.files.size(); ++i)
        files.hard_link(join_path(old, manifest.files[i].name),
                        join_path(directory, manifest.files[i].name));
    std::string sections(manifest.files[0].size, '\0');
    part->file(0, false)->read_exact(sections.data(), sections.size(), 0);
    const bool packed = part->manifest().packed();
    for (const auto* index : build)
    {
        const std::string bytes =
            build_index(part, *index, metadata, history, before_block, context);
        IndexManifest entry;
        entry.name = index->name;
        entry.type = index->type;
        entry.expression = index->expression_text;
        entry.arguments = Value(TupleValue{index->arguments}).to_text();
        entry.granularity =
            static_cast<uint32_t>(skip_index_kinds().get(index->type).entry_granules(*index));
        entry.uncompressed_bytes = entry.section.size = bytes.size();
        entry.section.checksum = xxh3_64(bytes.data(), bytes.size());
        if (packed)
        {
            entry.section.offset = sections.size();
            sections += bytes;
        }
        else
        {
            const std::string name = "skp_idx_" + file_name_of(index->name) + ".bin";
            const auto file =
                files.open_for_write(join_path(directory, name), OpenMode::Truncate);
            file->append(bytes);
            file->sync();
            file->close();
            entry.section.file = static_cast<uint32_t>(manifest.files.size());
            manifest.files.push_back({name, bytes.size()});
        }
        manifest.indexes.push_back(std::move(entry));
    }
    manifest.files[0].size = sections.size();
    const std::string end = part_file_end(manifest, sections.size());
    const auto file =
        files.open_for_write(join_path(directory, kPartFileName), OpenMode::Truncate);
    file->append(sections);
    file->append(end);
    file->sync();
    file->close();
    files.sync_directory(directory);
    manifest.bytes_on_disk = sections.size() + end.size();
    for (size_t i = 1; i < manifest.files.size(); ++i)
        manifest.bytes_on_disk += manifest.files[i].size;
    return manifest;
}

} // namespace basalt
