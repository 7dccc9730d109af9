#pragma once

// Analyzes queries over a few tables that hold no rows; subqueries answer what the test says.

#include "base/error.h"
#include "io/memory_file_system.h"
#include "planner/analyzer.h"
#include "sql/parser.h"

#include <gtest/gtest.h>

namespace basalt
{

class PlanTable : public Table
{
public:
    PlanTable(std::string name, const std::vector<std::pair<std::string, std::string>>& columns,
              const std::vector<std::string>& key = {})
        : name_(std::move(name))
    {
        auto metadata = std::make_shared<TableMetadata>();
        for (const auto& [column, type] : columns)
        {
            ColumnDescription description;
            description.name = column;
            description.type = type_from_name(type);
            metadata->columns.push_back(std::move(description));
        }
        for (const std::string& column : key)
        {
            metadata->sorting_key.expressions.push_back(
                Expression::input(column, metadata->find_column(column)->type));
            metadata->sorting_key.descending.push_back(false);
        }
        metadata_ = std::move(metadata);
    }
    std::string engine_name() const override { return "MergeTree"; }
    TableMetadataPtr metadata() const override { return metadata_; }
    TableName table_name() const override { return {"default", name_}; }
    std::string uuid() const override { return {}; }
    std::unique_ptr<Scan> scan(const ScanRequest&, QueryContextPtr) override { return nullptr; }
    std::optional<uint64_t> total_rows() const override { return 42; }
    Header virtual_columns() const override { return {{"_part", simple_type(TypeId::String)}}; }
    bool supports_order() const override { return true; }
    bool supports_row_ids() const override { return true; }
    bool supports_prewhere() const override { return true; }
    bool supports_final() const override { return true; }

private:
    std::string name_;
    TableMetadataPtr metadata_;
};

class PlanTest : public ::testing::Test
{
protected:
    PlanTest() : catalog_(files_, ""), context_(std::make_shared<QueryContext>())
    {
        context_->settings.set("max_threads", "2");
        catalog_.add_table(
            std::make_shared<PlanTable>("logs",
                                        std::vector<std::pair<std::string, std::string>>{
                                            {"ts", "UInt32"},
                                            {"pod", "String"},
                                            {"message", "String"},
                                            {"n", "Nullable(Int32)"},
                                            {"tags", "Array(String)"}},
                                        std::vector<std::string>{"pod", "ts"}),
            nullptr);
        catalog_.add_table(std::make_shared<PlanTable>(
                               "pods", std::vector<std::pair<std::string, std::string>>{
                                           {"pod", "String"}, {"node", "UInt64"}}),
                           nullptr);
    }

    QueryPlan plan(const std::string& query)
    {
        AnalyzerContext analyzer{catalog_, context_, {}, {}, {}, {}, {}};
        analyzer.run_subquery = [&](QueryPlan&& subquery)
        {
            ++subqueries_;
            Block block = Block::empty_of(subquery.root->output);
            for (size_t i = 0; i < block.width(); ++i)
            {
                auto column = block[i].type->create_column();
                for (size_t r = 0; r < subquery_rows_; ++r)
                    column->append_default();
                block[i].column = column;
                block[i].name = subquery.result_names[i];
            }
            block.set_rows(subquery_rows_);
            return block;
        };
        return analyze(parse_query(query), analyzer);
    }

    // The plan's steps, indented.
    std::string steps(const std::string& query)
    {
        ExplainOptions options;
        options.description = false;
        const QueryPlan analyzed = plan(query);
        std::string text;
        for (const std::string& line : explain_plan(analyzed, options, context_))
            text += line + "\n";
        return text;
    }

    std::string types(const std::string& query)
    {
        const QueryPlan analyzed = plan(query);
        std::string text;
        for (size_t i = 0; i < analyzed.result_names.size(); ++i)
            text += (i ? ", " : "") + analyzed.result_names[i] + " " +
                    analyzed.root->output[i].type->name();
        return text;
    }

    int error(const std::string& query)
    {
        try
        {
            plan(query);
        }
        catch (const Error& e)
        {
            return e.code();
        }
        return 0;
    }

    template <class Node> static Node* find(PlanNode& node, PlanKind kind)
    {
        if (node.kind == kind)
            return static_cast<Node*>(&node);
        for (PlanPtr& input : node.inputs)
            if (Node* found = find<Node>(*input, kind))
                return found;
        return nullptr;
    }
    static ReadNode* read_of(QueryPlan& plan) { return find<ReadNode>(*plan.root, PlanKind::Read); }

    MemoryFileSystem files_;
    Catalog catalog_;
    QueryContextPtr context_;
    size_t subqueries_ = 0;
    size_t subquery_rows_ = 1;
};

} // namespace basalt
