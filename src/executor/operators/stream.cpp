// Operators that pass blocks on one by one: read, ready blocks, project, filter, union,
// ARRAY JOIN.

#include "executor/build.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

class ReadOperator : public Operator
{
public:
    ReadOperator(ReadNode& node, BuildState& state) : Operator(node.output)
    {
        ScanRequest request = node.request;
        if (request.max_streams == 0 || request.max_streams > state.max_threads)
            request.max_streams = state.max_threads;
        request.block_rows = state.block_rows;
        scan_ = node.table->scan(request, state.context);
        node.running_scan = scan_.get();
        if (scan_->header().size() != header().size())
            throw Error(error_codes::LOGICAL_ERROR,
                        fmt::format("A scan of {} returns {} columns, the plan has {}",
                                    node.table->table_name().full(), scan_->header().size(),
                                    header().size()));
        state.context->total_rows_to_read += scan_->estimate().rows;
    }

    size_t stream_count() const override { return scan_->stream_count(); }

    Block next(size_t stream) override
    {
        Block block = scan_->next(stream);
        for (size_t i = 0; i < block.width(); ++i)
        {
            block[i].name = header()[i].name;
            block[i].type = header()[i].type;
        }
        return block;
    }

private:
    std::unique_ptr<Scan> scan_;
};

class BlocksOperator : public Operator
{
public:
    explicit BlocksOperator(BlocksNode& node) : Operator(node.output), blocks_(node.blocks) {}

    size_t stream_count() const override { return 1; }
    Block next(size_t) override
    {
        while (at_ < blocks_.size())
        {
            Block block = std::move(blocks_[at_++]);
            if (block.rows() > 0)
                return block;
        }
        return {};
    }

private:
    std::vector<Block> blocks_;
    size_t at_ = 0;
};

class ProjectOperator : public Operator
{
public:
    ProjectOperator(ProjectNode& node, OperatorPtr input, BuildState& state)
        : Operator(node.output), input_(std::move(input)),
          program_(node.expressions, *state.context), context_(state.context)
    {
    }

    size_t stream_count() const override { return input_->stream_count(); }
    Block next(size_t stream) override
    {
        Block block = input_->next(stream);
        return block.rows() == 0 ? Block{} : apply(block);
    }
    std::optional<Block> totals() override
    {
        auto totals = input_->totals();
        if (totals)
            totals = apply(*totals);
        return totals;
    }

private:
    Block apply(const Block& block) const
    {
        Columns columns = program_.run(block);
        std::vector<NamedColumn> named;
        named.reserve(columns.size());
        for (size_t i = 0; i < columns.size(); ++i)
            named.push_back({std::move(columns[i]), header()[i].type, header()[i].name});
        return Block(std::move(named), block.rows());
    }

    OperatorPtr input_;
    ExpressionProgram program_;
    QueryContextPtr context_; // the program refers to it
};

class FilterOperator : public Operator
{
public:
    FilterOperator(FilterNode& node, OperatorPtr input, BuildState& state)
        : Operator(node.output), input_(std::move(input)),
          program_({node.condition}, *state.context), type_(node.condition->type()),
          context_(state.context)
    {
    }

    size_t stream_count() const override { return input_->stream_count(); }
    Block next(size_t stream) override
    {
        for (;;)
        {
            Block block = input_->next(stream);
            if (block.rows() == 0)
                return block;
            context_->check_alive();
            Mask mask;
            const size_t kept = column_to_mask(program_.run(block)[0], type_, mask);
            if (kept == block.rows())
                return block;
            if (kept > 0)
                return block.filter(mask, kept);
        }
    }
    std::optional<Block> totals() override { return input_->totals(); }

private:
    OperatorPtr input_;
    ExpressionProgram program_;
    TypePtr type_;
    QueryContextPtr context_;
};

class UnionOperator : public Operator
{
public:
    UnionOperator(UnionNode& node, std::vector<OperatorPtr> inputs, size_t max_streams)
        : Operator(node.output), inputs_(std::move(inputs))
    {
        for (size_t i = 0; i < inputs_.size(); ++i)
            for (size_t s = 0; s < inputs_[i]->stream_count(); ++s)
                sources_.push_back({i, s});
        streams_ = std::max<size_t>(1, std::min(max_streams, sources_.size()));
        at_.assign(streams_, 0);
        for (size_t s = 0; s < streams_; ++s)
            at_[s] = s;
    }

    size_t stream_count() const override { return streams_; }
    Block next(size_t stream) override
    {
        // Stream s reads the sources s, s + streams, s + 2 * streams … in turn.
        while (at_[stream] < sources_.size())
        {
            const auto [input, source] = sources_[at_[stream]];
            Block block = inputs_[input]->next(source);
            if (block.rows() == 0)
            {
                at_[stream] += streams_;
                continue;
            }
            return named(std::move(block));
        }
        return {};
    }
    // Of the first input that has some.
    std::optional<Block> totals() override
    {
        for (const auto& input : inputs_)
            if (auto totals = input->totals())
                return named(std::move(*totals));
        return std::nullopt;
    }

private:
    Block named(Block block) const
    {
        for (size_t i = 0; i < block.width(); ++i)
            block[i].name = header()[i].name;
        return block;
    }

    std::vector<OperatorPtr> inputs_;
    std::vector<std::pair<size_t, size_t>> sources_;
    size_t streams_ = 1;
    std::vector<size_t> at_;
};

class ArrayJoinOperator : public Operator
{
public:
    ArrayJoinOperator(ArrayJoinNode& node, OperatorPtr input, BuildState& state)
        : Operator(node.output), input_(std::move(input)), left_(node.left),
          unaligned_(state.context->settings.get_bool("enable_unaligned_array_join"))
    {
        for (const auto& name : node.columns)
            columns_.push_back(position_of(input_->header(), name));
    }

    size_t stream_count() const override { return input_->stream_count(); }
    Block next(size_t stream) override
    {
        for (;;)
        {
            const Block block = input_->next(stream);
            if (block.rows() == 0)
                return {};
            Block joined = apply(block, left_);
            if (joined.rows() > 0)
                return joined;
        }
    }
    // One row, with the first items.
    std::optional<Block> totals() override
    {
        auto totals = input_->totals();
        if (totals)
            totals = apply(*totals, true).slice(0, 1);
        return totals;
    }

private:
    Block apply(const Block& block, bool keep_empty) const
    {
        const size_t rows = block.rows();
        std::vector<ColumnPtr> flat; // keeps the arrays alive
        std::vector<const ArrayColumn*> arrays;
        for (size_t c : columns_)
        {
            flat.push_back(to_flat(block[c].column));
            arrays.push_back(&column_as<ArrayColumn>(*flat.back()));
        }
        PodVector<uint64_t> offsets(rows);
        uint64_t end = 0;
        for (size_t i = 0; i < rows; ++i)
        {
            size_t length = arrays[0]->length_of(i);
            for (const auto* array : arrays)
            {
                if (array->length_of(i) != length && !unaligned_)
                    throw Error(error_codes::SIZES_OF_ARRAYS_DONT_MATCH,
                                "Sizes of ARRAY-JOIN-ed arrays do not match");
                length = std::max(length, array->length_of(i));
            }
            end += keep_empty ? std::max<size_t>(length, 1) : length;
            offsets[i] = end;
        }
        std::vector<NamedColumn> out;
        for (size_t c = 0; c < block.width(); ++c)
        {
            ColumnPtr column;
            for (size_t k = 0; k < columns_.size(); ++k)
                if (columns_[k] == c)
                    column = unfold(*arrays[k], offsets);
            if (!column)
                column = block[c].column->replicate(offsets);
            out.push_back({column, header()[c].type, header()[c].name});
        }
        return Block(std::move(out), end);
    }

    static ColumnPtr unfold(const ArrayColumn& array, const PodVector<uint64_t>& offsets)
    {
        if (array.offsets().size() == offsets.size() &&
            std::equal(offsets.begin(), offsets.end(), array.offsets().begin()))
            return array.items()->slice(0, offsets.empty() ? 0 : offsets.back());
        auto out = array.items()->clone_empty();
        uint64_t begin = 0;
        for (size_t i = 0; i < offsets.size(); ++i)
        {
            const size_t want = offsets[i] - begin;
            const size_t have = array.length_of(i);
            out->append_range(*array.items(), array.begin_of(i), have);
            out->append_defaults(want - have);
            begin = offsets[i];
        }
        return out;
    }

    OperatorPtr input_;
    std::vector<size_t> columns_;
    bool left_;
    bool unaligned_;
};

} // namespace

OperatorPtr build_read(ReadNode& node, BuildState& state)
{
    return std::make_unique<ReadOperator>(node, state);
}

OperatorPtr build_blocks(BlocksNode& node, BuildState&)
{
    return std::make_unique<BlocksOperator>(node);
}

OperatorPtr build_project(ProjectNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<ProjectOperator>(node, std::move(input), state);
}

OperatorPtr build_filter(FilterNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<FilterOperator>(node, std::move(input), state);
}

OperatorPtr build_union(UnionNode& node, std::vector<OperatorPtr> inputs, BuildState& state)
{
    return std::make_unique<UnionOperator>(node, std::move(inputs), state.max_threads);
}

OperatorPtr build_array_join(ArrayJoinNode& node, OperatorPtr input, BuildState& state)
{
    return std::make_unique<ArrayJoinOperator>(node, std::move(input), state);
}

} // namespace basalt
