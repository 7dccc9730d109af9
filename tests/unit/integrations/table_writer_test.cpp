// Replica tables against a map: random changes in batches, spilled, abandoned, cut off by power
// failures, merged.

#include "integrations/postgres/table_writer.h"
#include "io/memory_file_system.h"
#include "storage/storage_service.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace basalt::pg
{
namespace
{

constexpr const char* kTableUuid = "12345678-1234-4234-8234-123456789012";

struct World
{
    explicit World(MemoryFileSystem& files, bool keyed, bool attach) : keyed(keyed)
    {
        StorageOptions options;
        options.path = "/data";
        options.background = false;
        service = std::make_unique<StorageService>(files, options);
        auto metadata = std::make_shared<TableMetadata>();
        for (const auto& [name, type] : {std::pair("id", "Int32"), std::pair("t", "Nullable(String)"),
                                         std::pair("long", "Nullable(String)")})
        {
            ColumnDescription column;
            column.name = name;
            column.type = type_from_name(type);
            metadata->columns.push_back(std::move(column));
            SourceColumn source_column;
            source_column.name = name;
            source.columns.push_back(std::move(source_column));
        }
        if (keyed)
        {
            metadata->sorting_key.text = "id";
            metadata->sorting_key.expressions = {
                Expression::input("id", metadata->columns[0].type)};
            metadata->sorting_key.descending = {false};
            metadata->primary_key = metadata->sorting_key;
            source.key = {0};
            source.has_primary_key = true;
        }
        else
            source.identity = ReplicaIdentity::Full;
        table = std::make_shared<ReplicaTable>(*service, TableName{"shop", "t"}, kTableUuid,
                                               metadata, attach);
        writer = std::make_unique<TableWriter>(table, source);
        service->start();
    }
    ~World()
    {
        writer.reset();
        table->shutdown();
        table.reset();
    }

    void commit()
    {
        writer->resolve();
        const auto transaction = service->begin();
        writer->stage(*transaction);
        transaction->commit();
        writer->committed();
    }

    std::multiset<std::string> rows() const
    {
        ScanRequest request;
        request.columns = {"id", "t", "long"};
        const auto context = service->make_context();
        const auto scan = table->scan(request, context);
        std::multiset<std::string> result;
        for (Block block = scan->next(0); block.rows(); block = scan->next(0))
            for (size_t row = 0; row < block.rows(); ++row)
            {
                std::string line;
                for (const auto& column : block.columns())
                    line += column.column->value_at(row).to_text() + " ";
                result.insert(line);
            }
        return result;
    }

    bool keyed;
    std::unique_ptr<StorageService> service;
    SourceTable source;
    std::shared_ptr<ReplicaTable> table;
    std::unique_ptr<TableWriter> writer;
};

struct ModelRow
{
    int id = 0;
    std::string t, long_text;

    std::string line() const
    {
        return std::to_string(id) + " '" + t + "' '" + long_text + "' ";
    }
};
using Model = std::multimap<int, ModelRow>;

std::multiset<std::string> lines_of(const Model& model)
{
    std::multiset<std::string> lines;
    for (const auto& [id, row] : model)
        lines.insert(row.line());
    return lines;
}

TupleValue text(const std::string& value)
{
    return {TupleValue::Kind::Text, value};
}

// Texts of a row's values, which tuples point to.
struct RowTexts
{
    explicit RowTexts(const ModelRow& row) : id(std::to_string(row.id)), t(row.t), l(row.long_text)
    {
    }
    Tuple tuple() const { return {text(id), text(t), text(l)}; }
    std::string id, t, l;
};

class Changes
{
public:
    Changes(World& world, Model& model, std::mt19937& random)
        : world_(world), model_(model), random_(random)
    {
    }

    void one()
    {
        const int choice = static_cast<int>(random_() % 100);
        if (choice == 0 && random_() % 4 == 0)
        {
            world_.writer->truncate();
            model_.clear();
        }
        else if (choice < 35 || model_.empty())
            insert();
        else if (choice < 60)
            update(false);
        else if (choice < 75)
            update(true);
        else
            remove();
    }

private:
    int free_id()
    {
        for (;;)
        {
            const int id = static_cast<int>(random_() % 3000);
            if (!world_.keyed || !model_.contains(id))
                return world_.keyed ? id : id % 40;
        }
    }
    Model::iterator any_row()
    {
        auto it = model_.lower_bound(static_cast<int>(random_() % 3000));
        return it == model_.end() ? model_.begin() : it;
    }
    std::string word() { return "w" + std::to_string(random_() % 5); }

    void insert()
    {
        ModelRow row{free_id(), word(), word()};
        const RowTexts texts(row);
        world_.writer->insert(texts.tuple());
        model_.emplace(row.id, row);
    }

    void update(bool moves)
    {
        const auto it = any_row();
        const ModelRow before = it->second;
        ModelRow after = before;
        after.t = word();
        if (moves)
            after.id = free_id();
        const bool touches_long = random_() % 2 == 0;
        if (touches_long)
            after.long_text = word() + "new";
        const RowTexts old_texts(before), new_texts(after);
        UpdateMessage message;
        message.row = new_texts.tuple();
        if (!touches_long)
            message.row[2] = {TupleValue::Kind::Unchanged, {}};
        if (!world_.keyed)
        {
            message.before = old_texts.tuple();
            message.before_is_whole_row = true;
        }
        else if (moves)
            message.before = Tuple{text(old_texts.id), TupleValue{}, TupleValue{}};
        world_.writer->update(message);
        model_.erase(it);
        model_.emplace(after.id, after);
    }

    void remove()
    {
        const auto it = any_row();
        const RowTexts texts(it->second);
        DeleteMessage message;
        message.before = texts.tuple();
        message.before_is_whole_row = !world_.keyed;
        if (world_.keyed)
            message.before = Tuple{text(texts.id), TupleValue{}, TupleValue{}};
        world_.writer->remove(message);
        model_.erase(it);
    }

    World& world_;
    Model& model_;
    std::mt19937& random_;
};

void live_through(bool keyed, uint32_t seed)
{
    MemoryFileSystem files;
    std::mt19937 random(seed);
    Model committed;
    bool attach = false;
    for (int life = 0; life < 4; ++life)
    {
        World world(files, keyed, attach);
        attach = true;
        ASSERT_EQ(world.rows(), lines_of(committed)) << "life " << life;
        for (int batch = 0; batch < 25; ++batch)
        {
            Model model = committed;
            Changes changes(world, model, random);
            const int count = static_cast<int>(random() % 120);
            for (int i = 0; i < count; ++i)
            {
                changes.one();
                if (random() % 60 == 0)
                    world.writer->spill();
            }
            // Nothing of it is seen before it commits.
            ASSERT_EQ(world.rows(), lines_of(committed));
            const bool abandons = random() % 6 == 0;
            if (abandons)
                world.writer->abandon();
            else
            {
                world.commit();
                committed = model;
            }
            ASSERT_EQ(world.rows(), lines_of(committed)) << "batch " << batch;
            ASSERT_EQ(*world.table->total_rows(), committed.size());
            if (random() % 8 == 0)
                world.table->flush(world.service->make_context());
            if (random() % 20 == 0)
            {
                OptimizeCommand command;
                command.final = true;
                world.table->optimize(command, world.service->make_context());
                ASSERT_EQ(world.rows(), lines_of(committed));
                // Merged whole, only living rows are left; abandoned ones die with the next batch.
                if (!abandons)
                {
                    ASSERT_EQ(*world.table->inner().total_rows(), committed.size());
                }
            }
            if (random() % 5 == 0)
            {
                world.table->inner().rewrite_parts(0.2);
                ASSERT_EQ(world.rows(), lines_of(committed));
            }
            if (random() % 10 == 0)
                world.service->log().checkpoint();
        }
        // Written, never committed.
        Model unused = committed;
        Changes(world, unused, random).one();
        world.writer->spill();
        files.power_cut();
    }
}

TEST(ReplicaTable, KeyedRowsAreThoseOfAMapThroughPowerCuts)
{
    for (uint32_t seed = 1; seed <= 6; ++seed)
        live_through(true, seed);
}

TEST(ReplicaTable, EqualRowsAreCountedThroughPowerCuts)
{
    for (uint32_t seed = 1; seed <= 6; ++seed)
        live_through(false, seed);
}

TEST(ReplicaTable, SaysThatItIsOutOfStep)
{
    MemoryFileSystem files;
    World world(files, true, false);
    DeleteMessage removal;
    const std::string id = "7";
    removal.before = Tuple{text(id), TupleValue{}, TupleValue{}};
    world.writer->remove(removal);
    EXPECT_THROW(world.writer->resolve(), OutOfStep);
    world.writer->abandon();
    // A NULL where none was expected.
    EXPECT_THROW(world.writer->insert(Tuple{TupleValue{}, text(id), text(id)}), OutOfStep);
    world.writer->abandon();
    world.writer->insert(Tuple{text(id), text(id), text(id)});
    EXPECT_THROW(world.writer->insert(Tuple{text(id), text(id), text(id)}), OutOfStep);
    world.writer->abandon();
    EXPECT_TRUE(world.rows().empty());
}

} // namespace
} // namespace basalt::pg
