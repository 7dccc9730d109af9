// libFuzzer entry of the PostgreSQL wire: the first message, the messages behind it, and texts of
// statements. Any bytes give messages or an Error; what is a statement can be written again.

#include "base/error.h"
#include "io/buffer.h"
#include "net/postgres/messages.h"
#include "net/postgres/text.h"
#include "sql/parser.h"
#include "tests/fuzz/seeds.h"

#include <string>

namespace
{

template <class F> void tolerate(F&& call)
{
    try
    {
        call();
    }
    catch (const basalt::Error&)
    {
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    using namespace basalt;
    const std::string bytes(reinterpret_cast<const char*>(data), size);
    tolerate(
        [&]
        {
            MemoryInputBuffer in(bytes);
            read_postgres_startup(in);
        });
    tolerate(
        [&]
        {
            MemoryInputBuffer in(bytes);
            while (const auto message = read_postgres_message(in))
            {
                tolerate([&] { parse_postgres_parse(message->body); });
                tolerate([&] { parse_postgres_bind(message->body); });
                tolerate([&] { parse_postgres_target(message->body); });
                tolerate([&] { parse_postgres_execute(message->body); });
                tolerate([&] { parse_postgres_text(message->body); });
            }
        });
    tolerate(
        [&]
        {
            ParserLimits limits;
            limits.postgres = true;
            limits.postgres_semantics = size % 2 == 1;
            for (const auto& statement : split_postgres_text(bytes))
                parse_query(statement.text_without_parameters(), limits);
        });
    return 0;
}

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    using namespace basalt;
    write_seeds(
        [](const SeedWriter& seed)
        {
            const auto sized = [](const std::string& body)
            {
                const size_t size = body.size() + 4;
                return std::string{'\0', '\0', static_cast<char>(size >> 8),
                                   static_cast<char>(size)} +
                       body;
            };
            seed(sized(std::string("\0\3\0\0user\0me\0database\0d\0\0", 25)));
            seed(sized(std::string("\x04\xD2\x16\x2E\0\0\0\x07\0\0\0\x09", 12)));
            seed("Q" + sized(std::string("SELECT 1; SELECT $$x$$\0", 23)) + "X" + sized(""));
            seed("P" + sized(std::string("s\0SELECT $1\0\0\1\0\0\0\x17", 18)) + "B" +
                 sized(std::string("p\0s\0\0\1\0\1\0\1\0\0\0\4\0\0\0\x2A\0\1\0\1", 22)) + "D" +
                 sized(std::string("Pp\0", 3)) + "E" + sized(std::string("p\0\0\0\0\x0A", 6)) + "S" +
                 sized(""));
            for (const char* statement :
                 {"SELECT a::text, E'x\\n', b = ANY('{1,\"two\",NULL}'::text[]) FROM pg_class c",
                  "SELECT c.oid FROM pg_catalog.pg_class c WHERE c.relname OPERATOR(pg_catalog.~) "
                  "'^(t)$' COLLATE pg_catalog.default AND pg_table_is_visible(c.oid)",
                  "SELECT count(*), sum(a / 2) FROM ((t r1 JOIN u r2 ON true) JOIN v r3 ON true) "
                  "WHERE length(s) > 1.5::numeric LIMIT 10::bigint",
                  "SELECT ARRAY(SELECT x FROM unnest(y) AS z(x)), 'a.b'::regclass, NULL::int4"})
                seed(statement);
        });
    return 0;
}
