#include "net/http/form.h"

#include "base/error.h"
#include "formats/format.h"
#include "net/http/multipart.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

constexpr size_t kExternalBlockRows = 65536;

std::vector<std::string> split_types(std::string_view text)
{
    // Commas inside brackets and quotes belong to a type.
    std::vector<std::string> types(1);
    size_t depth = 0;
    bool quoted = false;
    for (const char c : text)
    {
        quoted = quoted != (c == '\'');
        depth += !quoted && c == '(';
        depth -= !quoted && c == ')' && depth > 0;
        if (c == ',' && depth == 0 && !quoted)
            types.emplace_back();
        else if (c != ' ' || !types.back().empty())
            types.back() += c;
    }
    return types;
}

// name_structure="a UInt8, b String", or name_types=UInt8,String for columns _1, _2 …
Header external_header(const HttpRequest& request, const std::string& name)
{
    if (const auto* structure = request.parameter(name + "_structure"))
        return parse_structure(*structure);
    const auto* types = request.parameter(name + "_types");
    if (!types)
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Of external table {} neither {}_structure nor {}_types is given", name,
                                name, name));
    Header header;
    for (const auto& type : split_types(*types))
        header.push_back({fmt::format("_{}", header.size() + 1), type_from_name(type)});
    return header;
}

} // namespace

bool describes_external(const std::string& parameter,
                        const std::vector<std::unique_ptr<ExternalTable>>& tables)
{
    for (const auto& table : tables)
        for (const char* suffix : {"_structure", "_types", "_format"})
            if (parameter == table->name() + suffix)
                return true;
    return false;
}

std::vector<std::unique_ptr<ExternalTable>> take_form(HttpRequest& request, InputBuffer& body,
                                                      Session& session,
                                                      const std::string& timezone)
{
    std::vector<std::unique_ptr<ExternalTable>> tables;
    MultipartReader reader(body, *multipart_boundary(*request.header("content-type")));
    size_t bytes = 0;
    while (const auto part = reader.next())
    {
        if (!part->filename)
        {
            std::string value;
            while (!reader.body().eof())
            {
                const auto piece = reader.body().available();
                if (value.size() + piece.size() > kMaxHttpHeadBytes)
                    throw Error(error_codes::BAD_ARGUMENTS,
                                fmt::format("Field {} has more than {} bytes", part->name,
                                            kMaxHttpHeadBytes));
                value += piece;
                reader.body().consume(piece.size());
            }
            request.parameters.emplace_back(part->name, std::move(value));
            continue;
        }
        if (tables.size() >= kMaxExternalTables)
            throw Error(error_codes::LIMIT_EXCEEDED,
                        fmt::format("More than {} external tables", kMaxExternalTables));
        const Header header = external_header(request, part->name);
        const auto* format = request.parameter(part->name + "_format");
        InputFormatContext context;
        context.header = header;
        context.options = FormatOptions::from(session.settings, timezone);
        const auto input = formats()
                               .get_input(format ? *format : "TabSeparated")
                               .input(reader.body(), std::move(context));
        std::vector<Block> blocks;
        for (;;)
        {
            Block block = input->read(kExternalBlockRows).block;
            if (block.rows() == 0)
                break;
            bytes += block.byte_size();
            if (bytes > kMaxExternalTableBytes)
                throw Error(error_codes::LIMIT_EXCEEDED,
                            fmt::format("External tables of more than {} bytes",
                                        kMaxExternalTableBytes));
            blocks.push_back(std::move(block));
        }
        tables.push_back(std::make_unique<ExternalTable>(session, part->name, header,
                                                         std::move(blocks)));
    }
    return tables;
}

} // namespace basalt
