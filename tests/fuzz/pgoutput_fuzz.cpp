// libFuzzer entry of the parser of PostgreSQL's replication messages: any bytes give messages or
// an Error, and texts stay inside the payload. The input is a row of messages, each behind its
// length in two bytes.

#include "base/error.h"
#include "postgres/pgoutput.h"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    using namespace basalt;
    pg::PgOutputParser parser;
    std::string_view left(reinterpret_cast<const char*>(data), size);
    size_t seen = 0;
    while (left.size() >= 2)
    {
        const size_t wanted = static_cast<unsigned char>(left[0]) << 8 |
                              static_cast<unsigned char>(left[1]);
        left.remove_prefix(2);
        // A copy of its own, so that a read past its end is noticed.
        const std::string payload(left.substr(0, std::min(wanted, left.size())));
        left.remove_prefix(payload.size());
        try
        {
            const auto message = parser.parse(payload);
            if (const auto* insert = std::get_if<pg::InsertMessage>(&message))
                for (const auto& value : insert->row)
                    for (const char byte : value.bytes)
                        seen += static_cast<unsigned char>(byte);
            if (const auto* relation = std::get_if<pg::RelationMessage>(&message))
                for (const auto& column : relation->columns)
                    seen += column.name.size();
        }
        catch (const Error&)
        {
            break;
        }
    }
    return seen == SIZE_MAX ? 1 : 0;
}
