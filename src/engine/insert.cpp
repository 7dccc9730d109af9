#include "engine/insert.h"

#include "base/error.h"
#include "codecs/hash.h"
#include "columns/absent_value.h"
#include "binder/binder.h"
#include "engine/select.h"
#include "sql/formatter.h"
#include "storage/block_bytes.h"

#include <fmt/format.h>
#include <set>

namespace basalt
{

namespace
{

// What a materialised view's query reads in place of its source: the rows just inserted.
class InsertedRows : public Table
{
public:
    InsertedRows(TablePtr source, Block block) : source_(std::move(source)), block_(std::move(block))
    {
    }
    std::string engine_name() const override { return "Memory"; }
    TableMetadataPtr metadata() const override { return source_->metadata(); }
    TableName table_name() const override { return source_->table_name(); }
    std::string uuid() const override { return ""; }
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override
    {
        return scan_blocks({block_}, block_.header(), request, std::move(context));
    }

private:
    TablePtr source_;
    Block block_;
};

} // namespace

struct InsertLane::ViewTarget
{
    MaterializedViewInfo info;
    TablePtr target;
    std::unique_ptr<InsertLane> lane; // made with the first result's header
};

InsertLane::InsertLane(Engine& engine, TablePtr table, Header given, Transaction& transaction,
                       QueryContextPtr context, size_t depth)
    : engine_(engine), table_(std::move(table)), metadata_(table_->metadata()),
      given_(std::move(given)), transaction_(transaction), context_(std::move(context)),
      depth_(depth), sink_(table_->write(transaction, context_))
{
    if (depth_ > kMaxViewDepth)
        throw Error(error_codes::TOO_DEEP_RECURSION,
                    fmt::format("Materialized views of {} lead to each other more than {} deep",
                                table_->table_name().full(), kMaxViewDepth));
    for (const auto& view : engine_.catalog().views_of(table_->table_name()))
    {
        auto target = std::make_unique<ViewTarget>();
        target->info = view;
        target->target = engine_.catalog().get_table(view.target);
        views_.push_back(std::move(target));
    }
    for (const auto& condition : metadata_->constraint_expressions)
        constraints_.push_back(
            std::make_unique<ExpressionProgram>(Expressions{condition}, *context_));
}

InsertLane::~InsertLane() = default;

Block InsertLane::complete(const Block& block, const std::vector<Mask>& omitted) const
{
    const size_t rows = block.rows();
    Block known; // columns computed so far, ephemeral ones among them
    known.set_rows(rows);
    std::vector<const ColumnDescription*> missing;
    for (const auto& column : metadata_->columns)
    {
        int at = -1;
        for (size_t i = 0; i < given_.size(); ++i)
            if (given_[i].name == column.name)
                at = static_cast<int>(i);
        if (at >= 0)
        {
            ColumnPtr data = block[at].column;
            if (!same_type(given_[at].type, column.type))
            {
                const auto cast =
                    cast_to(Expression::input(column.name, given_[at].type), column.type, *context_);
                data = ExpressionProgram({cast}, *context_)
                           .run(Block({{data, given_[at].type, column.name}}, rows))[0];
            }
            known.add({data, column.type, column.name});
        }
        else if (column.default_kind != DefaultKind::Alias)
            missing.push_back(&column);
    }
    known.set_rows(rows);

    // Rows that left a column out take its DEFAULT.
    for (size_t i = 0; i < given_.size() && i < omitted.size(); ++i)
    {
        if (omitted[i].empty())
            continue;
        const auto* column = metadata_->find_column(given_[i].name);
        if (!column->default_expression)
            continue;
        const ColumnPtr defaults = to_flat(
            ExpressionProgram({column->default_expression}, *context_).run(known)[0]);
        const int at = known.find(column->name);
        const ColumnPtr given = to_flat(known[at].column);
        auto merged = column->type->create_column();
        for (size_t r = 0; r < rows; ++r)
            merged->append_from(omitted[i][r] ? *defaults : *given, r);
        known[at].column = merged;
    }

    // Defaults may refer to each other: each is computed when its inputs are known.
    while (!missing.empty())
    {
        std::vector<const ColumnDescription*> later;
        for (const auto* column : missing)
        {
            if (!column->default_expression)
            {
                known.add({make_constant(column->type, absent_value(*column->type), rows),
                           column->type, column->name});
                continue;
            }
            bool ready = true;
            for (const auto& name : inputs_of({column->default_expression}))
                ready = ready && known.find(name) >= 0;
            if (!ready)
            {
                later.push_back(column);
                continue;
            }
            known.add({ExpressionProgram({column->default_expression}, *context_).run(known)[0],
                       column->type, column->name});
        }
        if (later.size() == missing.size())
            throw Error(error_codes::CYCLIC_ALIASES,
                        fmt::format("Cyclic DEFAULT expressions of column {}", later[0]->name));
        missing = std::move(later);
    }

    std::vector<NamedColumn> columns;
    for (const auto& column : metadata_->physical_header())
    {
        const int at = known.find(column.name);
        BASALT_ASSERT(at >= 0);
        columns.push_back(known[at]);
    }
    return Block(std::move(columns), rows);
}

void InsertLane::check_constraints(const Block& block) const
{
    for (size_t c = 0; c < constraints_.size(); ++c)
    {
        const auto& condition = metadata_->constraint_expressions[c];
        Mask mask;
        const size_t kept =
            column_to_mask(constraints_[c]->run(block)[0], condition->type(), mask);
        if (kept == block.rows())
            continue;
        size_t row = 0;
        while (mask[row])
            ++row;
        const auto& [name, text] = metadata_->constraints[c];
        throw Error(error_codes::VIOLATED_CONSTRAINT,
                    fmt::format("Constraint `{}` for table {} is violated at row {}. Expression: "
                                "({})",
                                name, table_->table_name().full(), row + 1, text));
    }
}

void InsertLane::write(Block block, const std::vector<Mask>& omitted)
{
    if (block.rows() == 0)
        return;
    has_rows_ = true;
    context_->check_alive();
    Block complete_block = complete(block, omitted);
    check_constraints(complete_block);
    if (depth_ == 0)
    {
        context_->written_rows += complete_block.rows();
        context_->written_bytes += complete_block.byte_size();
        context_->counters.add(ProfileEvent::InsertedRows, complete_block.rows());
        context_->counters.add(ProfileEvent::InsertedBytes, complete_block.byte_size());
    }
    if (hashes_content_)
    {
        const std::string bytes = content_hash_ + encode_block(complete_block.flattened());
        const Hash128 hash = sip_hash128(bytes.data(), bytes.size());
        content_hash_ = fmt::format("{:016x}{:016x}", hash.low, hash.high);
    }
    if (!views_.empty())
        feed_views(complete_block);
    sink_->write(std::move(complete_block));
}

void InsertLane::feed_views(const Block& block)
{
    for (auto& view : views_)
    {
        auto rows = std::make_shared<InsertedRows>(table_, block.flattened());
        const TableName source = table_->table_name();
        AnalyzerContext analyzer{engine_.catalog(), context_, {}, {}, {}, {}, {}};
        analyzer.run_subquery = [this](QueryPlan&& plan)
        { return run_plan(std::move(plan), context_); };
        analyzer.replace_table = [&](const TableName& name) -> TablePtr
        { return name == source ? rows : nullptr; };
        analyzer.database = view->info.database;
        QueryExecution execution(analyze(view->info.query, analyzer), context_);
        if (!view->lane)
        {
            Header header;
            const auto metadata = view->target->metadata();
            const Header& result = execution.header();
            for (size_t i = 0; i < result.size(); ++i)
            {
                if (!metadata->find_column(result[i].name))
                    throw Error(error_codes::THERE_IS_NO_COLUMN,
                                fmt::format("Column {} of materialized view {} is not in its "
                                            "target table {}",
                                            result[i].name,
                                            view->info.view->table_name().full(),
                                            view->info.target.full()));
                header.push_back(result[i]);
            }
            view->lane = std::make_unique<InsertLane>(engine_, view->target, std::move(header),
                                                      transaction_, context_, depth_ + 1);
        }
        for (Block out = execution.next(); out.rows() > 0; out = execution.next())
            view->lane->write(std::move(out));
    }
}

void InsertLane::finish()
{
    sink_->finish();
    for (auto& view : views_)
        if (view->lane)
            view->lane->finish();
}

bool takes_blocks_of(const AstInsert& insert, const std::string& text)
{
    if (insert.select || insert.infile)
        return false;
    return !insert.has_inline_data || insert.data_offset >= text.size() ||
           text.find_first_not_of(" \t\r\n;", insert.data_offset) == std::string::npos;
}

std::string describe_columns(const TableMetadata& metadata)
{
    std::string text = fmt::format("columns format version: 1\n{} columns:\n",
                                   metadata.columns.size());
    const auto add_escaped = [&](std::string_view part)
    {
        for (const char c : part)
        {
            const size_t special = std::string_view("\\\t\n\r\b\f'").find(c);
            if (special == std::string_view::npos)
                text += c;
            else
            {
                text += '\\';
                text += "\\tnrbf'"[special];
            }
        }
    };
    for (const auto& column : metadata.columns)
    {
        text += quote_identifier(column.name) + " ";
        add_escaped(column.type->name());
        std::string_view kind;
        switch (column.default_kind)
        {
        case DefaultKind::None:
            break;
        case DefaultKind::Default:
            kind = "DEFAULT";
            break;
        case DefaultKind::Materialized:
            kind = "MATERIALIZED";
            break;
        case DefaultKind::Ephemeral:
            kind = "EPHEMERAL";
            break;
        case DefaultKind::Alias:
            kind = "ALIAS";
            break;
        }
        if (!kind.empty())
        {
            text += fmt::format("\t{}\t", kind);
            add_escaped(column.default_text);
        }
        text += '\n';
    }
    return text;
}

Header insert_header(const AstInsert& insert, const TableMetadata& metadata)
{
    Header all;
    for (const auto& column : metadata.columns)
        if (column.default_kind == DefaultKind::None ||
            column.default_kind == DefaultKind::Default)
            all.push_back({column.name, column.type});
    if (!insert.has_columns)
        return all;
    Header header;
    std::set<std::string> seen;
    auto add = [&](const std::string& name, const TypePtr& type)
    {
        if (!seen.insert(name).second)
            throw Error(error_codes::DUPLICATE_COLUMN,
                        fmt::format("Column {} specified more than once", name));
        header.push_back({name, type});
    };
    for (const auto& item : insert.columns)
    {
        if (const auto* identifier = item->as<AstIdentifier>())
        {
            const auto* column = metadata.find_column(identifier->full_name());
            if (!column)
                throw Error(error_codes::NO_SUCH_COLUMN_IN_TABLE,
                            fmt::format("No such column {} in table", identifier->full_name()));
            if (column->default_kind == DefaultKind::Alias ||
                column->default_kind == DefaultKind::Materialized)
                throw Error(error_codes::ILLEGAL_COLUMN,
                            fmt::format("Cannot insert column {}, because it is {} column",
                                        column->name,
                                        column->default_kind == DefaultKind::Alias
                                            ? "ALIAS"
                                            : "MATERIALIZED"));
            add(column->name, column->type);
            continue;
        }
        std::set<std::string> except;
        const AstList* transformers = nullptr;
        if (const auto* asterisk = item->as<AstAsterisk>())
            transformers = &asterisk->transformers;
        if (!transformers)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "COLUMNS() in the column list of INSERT is not implemented");
        for (const auto& transformer : *transformers)
        {
            const auto* t = transformer->as<AstColumnsTransformer>();
            if (t->transformer != TransformerKind::Except || t->is_regex)
                throw Error(error_codes::NOT_IMPLEMENTED,
                            "Only EXCEPT is implemented in the column list of INSERT");
            except.insert(t->names.begin(), t->names.end());
        }
        for (const auto& column : all)
            if (!except.contains(column.name))
                add(column.name, column.type);
    }
    return header;
}

} // namespace basalt
