#include "executor/operator.h"

#include "base/threads.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <thread>

namespace basalt
{

void drain(Operator& input, const QueryContext& context,
           const std::function<void(size_t, Block&&)>& consume)
{
    run_parallel(input.stream_count(),
                 [&](size_t stream)
                 {
                     for (;;)
                     {
                         context.check_alive();
                         Block block = input.next(stream);
                         if (block.rows() == 0)
                             return;
                         consume(stream, std::move(block));
                     }
                 });
}

namespace
{

class Gather : public Operator
{
public:
    Gather(OperatorPtr input, QueryContextPtr context)
        : Operator(input->header()), input_(std::move(input)), context_(std::move(context))
    {
    }

    ~Gather() override
    {
        {
            std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        if (runner_.joinable())
            runner_.join();
    }

    size_t stream_count() const override { return 1; }

    Block next(size_t) override
    {
        if (!runner_.joinable())
            runner_ = std::thread([this] { run(); });
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !queue_.empty() || done_ || error_; });
        if (error_)
            std::rethrow_exception(error_);
        if (queue_.empty())
            return {};
        Block block = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        changed_.notify_all();
        return block;
    }

    std::optional<Block> totals() override { return input_->totals(); }

private:
    void run()
    {
        run_parallel(input_->stream_count(),
                     [&](size_t stream)
                     {
                         try
                         {
                             read(stream);
                         }
                         catch (...)
                         {
                             fail(std::current_exception());
                         }
                     });
        {
            std::lock_guard lock(mutex_);
            done_ = true;
        }
        changed_.notify_all();
    }

    // The first error is the result; the other streams end at their next block.
    void fail(std::exception_ptr error)
    {
        {
            std::lock_guard lock(mutex_);
            if (!error_)
                error_ = std::move(error);
            stopping_ = true;
        }
        changed_.notify_all();
    }

    void read(size_t stream)
    {
        while (!stopping_)
        {
            context_->check_alive();
            Block block = input_->next(stream);
            if (block.rows() == 0)
                return;
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return stopping_ || queue_.size() < kMaxQueuedBlocks; });
            if (stopping_)
                return;
            queue_.push_back(std::move(block));
            lock.unlock();
            changed_.notify_all();
        }
    }

    static constexpr size_t kMaxQueuedBlocks = 8;

    OperatorPtr input_;
    QueryContextPtr context_;
    std::thread runner_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Block> queue_;
    std::exception_ptr error_;
    bool done_ = false;
    std::atomic<bool> stopping_{false};
};

} // namespace

OperatorPtr gather(OperatorPtr input, QueryContextPtr context)
{
    if (input->stream_count() == 1)
        return input;
    return std::make_unique<Gather>(std::move(input), std::move(context));
}

} // namespace basalt
