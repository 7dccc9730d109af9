#include "storage/table.h"

#include <algorithm>

namespace basalt
{

namespace
{

// Streams take whole blocks from the source under one lock and work on them outside of it.
class GeneratedScan final : public Scan
{
public:
    GeneratedScan(std::function<Block()> produce, const Header& source_header,
                  const ScanRequest& request, QueryContextPtr context)
        : produce_(std::move(produce)), context_(std::move(context)),
          columns_(request.columns), block_rows_(std::max<size_t>(request.block_rows, 1)),
          has_limit_(request.limit != 0), rows_left_(request.limit)
    {
        for (const auto& name : columns_)
            header_.push_back(find_type(source_header, name));
        for (const auto& condition : {request.prewhere, request.filter})
            if (condition)
                conditions_.push_back(
                    {condition->type(),
                     std::make_unique<ExpressionProgram>(Expressions{condition}, *context_)});
        pending_.resize(std::max<size_t>(request.max_streams, 1));
    }

    const Header& header() const override { return header_; }
    size_t stream_count() const override { return pending_.size(); }

    Block next(size_t stream) override
    {
        Block& pending = pending_[stream];
        while (pending.rows() == 0)
        {
            Block source = take_source();
            if (source.rows() == 0)
                return Block::empty_of(header_);
            pending = work(std::move(source));
        }
        if (pending.rows() <= block_rows_)
            return std::exchange(pending, Block());
        Block head = pending.slice(0, block_rows_);
        pending = pending.slice(block_rows_, pending.rows() - block_rows_);
        return head;
    }

private:
    struct Condition
    {
        TypePtr type;
        std::unique_ptr<ExpressionProgram> program;
    };

    static NamedType find_type(const Header& header, const std::string& name)
    {
        for (const auto& column : header)
            if (column.name == name)
                return column;
        throw Error(error_codes::NOT_FOUND_COLUMN_IN_BLOCK, "There is no column " + name);
    }

    Block take_source()
    {
        std::lock_guard lock(mutex_);
        context_->check_alive();
        if (ended_ || (has_limit_ && rows_left_ == 0))
            return {};
        Block block = produce_();
        if (block.rows() == 0)
            ended_ = true;
        return block;
    }

    Block work(Block source)
    {
        context_->add_read(source.rows(), source.byte_size());
        for (const auto& condition : conditions_)
        {
            Mask mask;
            const size_t rows = source.rows();
            const auto result = condition.program->run(source);
            const size_t kept = column_to_mask(result[0], condition.type, mask);
            if (kept == 0)
                return {};
            if (kept < rows)
                source = source.filter(mask, kept);
        }
        Block result;
        for (const auto& name : columns_)
        {
            const int at = source.find(name);
            BASALT_ASSERT(at >= 0);
            result.add(source[static_cast<size_t>(at)]);
        }
        result.set_rows(source.rows());
        return has_limit_ ? cut_to_limit(std::move(result)) : result;
    }

    Block cut_to_limit(Block block)
    {
        std::lock_guard lock(mutex_);
        const auto rows = static_cast<size_t>(std::min<uint64_t>(rows_left_, block.rows()));
        rows_left_ -= rows;
        return rows == block.rows() ? std::move(block) : block.slice(0, rows);
    }

    std::function<Block()> produce_;
    QueryContextPtr context_;
    std::vector<std::string> columns_;
    Header header_;
    std::vector<Condition> conditions_;
    size_t block_rows_;
    std::vector<Block> pending_; // by stream

    std::mutex mutex_; // of what follows and of produce_
    bool ended_ = false;
    bool has_limit_;
    uint64_t rows_left_;
};

} // namespace

std::unique_ptr<Scan> scan_generated(std::function<Block()> produce, Header header,
                                     const ScanRequest& request, QueryContextPtr context)
{
    return std::make_unique<GeneratedScan>(std::move(produce), header, request,
                                           std::move(context));
}

std::unique_ptr<Scan> scan_blocks(std::vector<Block> blocks, Header header,
                                  const ScanRequest& request, QueryContextPtr context)
{
    auto produce = [blocks = std::move(blocks), at = size_t{0}]() mutable
    {
        while (at < blocks.size() && blocks[at].rows() == 0)
            ++at;
        return at < blocks.size() ? std::exchange(blocks[at++], Block()) : Block();
    };
    return std::make_unique<GeneratedScan>(std::move(produce), header, request,
                                           std::move(context));
}

} // namespace basalt
