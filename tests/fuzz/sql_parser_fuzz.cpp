// libFuzzer entry of the SQL parser: whatever parses can be written and parses to the same tree.

#include "base/error.h"
#include "sql/ast.h"
#include "sql/formatter.h"
#include "sql/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    using namespace basalt;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    AstPtr ast;
    try
    {
        ast = parse_query(text);
    }
    catch (const Error&)
    {
        return 0;
    }
    AstPtr again;
    try
    {
        again = parse_query(format_query(*ast));
    }
    catch (const Error& error)
    {
        // Brackets that writing adds may pass a limit.
        BASALT_ASSERT(error.code() != error_codes::SYNTAX_ERROR);
        return 0;
    }
    BASALT_ASSERT(same_tree(*ast, *again));
    return 0;
}
