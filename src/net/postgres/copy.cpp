// COPY FROM STDIN and TO STDOUT.

#include "net/postgres/connection.h"

#include "base/error.h"
#include "formats/format.h"
#include "net/byte_queue.h"
#include "net/postgres/copy_statement.h"

#include <atomic>
#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr int64_t kTickMs = 10;

void write_copy_start(OutputBuffer& out, char letter)
{
    PostgresWriter message(letter);
    message.byte('\0'); // text
    message.i16(0);     // nothing to say of columns
    message.send(out);
}

} // namespace

bool PostgresConnection::run_copy(const PostgresStatement& statement)
{
    const auto copy = parse_copy(statement);
    if (!copy)
        return false;
    if (copy->from)
        copy_in(*copy);
    else
        copy_out(*copy);
    return true;
}

void PostgresConnection::copy_in(const CopyStatement& copy)
{
    std::unique_ptr<Running> running; // destroyed before the queue that it reads
    std::atomic<QueryTask*> task{nullptr};
    ByteQueue queue(
        [&task]
        {
            QueryTask* const known = task;
            if (const auto context = known ? known->context() : nullptr)
                context->check_alive();
        });
    struct Order
    {
        std::unique_ptr<Running>& running;
        ByteQueue& queue;
        ~Order()
        {
            queue.abandon();
            running.reset();
        }
    } order{running, queue};
    write_copy_start(out_, 'G');
    out_.flush();
    running = start(copy.text, copy.settings, &queue);
    task = running->task.get();

    bool ended = false;
    while (!ended)
    {
        auto message = read_postgres_message(in_);
        if (!message)
            throw Error(error_codes::NETWORK_ERROR, "The client left in the middle of COPY");
        switch (message->letter)
        {
        case 'd':
            while (!running->over && !queue.offer(message->body))
                if (auto event = running->task->wait(kTickMs))
                    note_copy_event(*running, *event);
            break;
        case 'c':
            ended = true;
            break;
        case 'f':
            throw Error(error_codes::QUERY_WAS_CANCELLED, "COPY was ended by its client");
        case 'H':
        case 'S':
            break;
        default:
            throw Error(error_codes::UNEXPECTED_PACKET_FROM_CLIENT,
                        fmt::format("Message '{}' in the middle of COPY", message->letter));
        }
        if (const auto event = running->task->wait(0))
            note_copy_event(*running, *event);
    }
    queue.finish();
    if (!running->over)
        wait_for_header(*running, {});
    write_postgres_complete(out_, fmt::format("COPY {}", written_rows(*running)));
}

void PostgresConnection::note_copy_event(Running& running, const QueryEvent& event)
{
    running.over = true;
    if (event.kind == QueryEvent::Kind::Failed)
        throw Error(*event.error);
}

void PostgresConnection::copy_out(const CopyStatement& copy)
{
    auto running = start(copy.text, copy.settings);
    if (!wait_for_header(*running, {}))
        throw Error(error_codes::BAD_ARGUMENTS, "The statement of COPY gives no rows");
    write_copy_start(out_, 'H');
    CallbackOutputBuffer text(
        [this](std::string_view bytes)
        {
            PostgresWriter data('d');
            data.bytes(bytes);
            data.send(out_);
        });
    const auto format = formats().get_output(copy.format).output(text, *running->options);
    uint64_t rows = 0;
    format->begin(running->header);
    while (next_block(*running))
    {
        rows += running->block.rows();
        format->write(running->block);
    }
    format->finish({});
    text.flush();
    write_postgres_letter(out_, 'c');
    write_postgres_complete(out_, fmt::format("COPY {}", rows));
}

} // namespace basalt
