// CHECK TABLE: whether parts are what was written.

#include "storage/mergetree/merge_tree_table.h"
#include "storage/mergetree/page_reader.h"

#include "base/error.h"

#include <fmt/format.h>

namespace basalt
{

void Part::check(const std::function<void()>& before_page) const
{
    const std::string path = directory();
    const PartManifest now = read_part_manifest(files_, path);
    if (now.rows != manifest_.rows || now.columns.size() != manifest_.columns.size())
        throw Error(error_codes::CORRUPTED_DATA,
                    fmt::format("The manifest of part {} is not the one it was opened with",
                                name_text_));
    // Nothing that an earlier query has read and kept.
    const auto fresh = std::make_shared<Part>(files_, path, name_, now);
    fresh->read_section(now.primary_index);
    for (const auto& index : now.indexes)
        fresh->read_section(index.section);
    PageReader reader(fresh, PageUse::Once, nullptr);
    for (size_t page = 0; page < now.pages(); ++page)
        for (size_t column = 0; column < now.columns.size(); ++column)
        {
            before_page();
            const auto& encoded = reader.page(column, page);
            const size_t rows = encoded->decode(0, encoded->rows())->size();
            if (rows != fresh->page_table(column).entries[page].rows)
                throw Error(error_codes::CORRUPTED_DATA,
                            fmt::format("Column {} of part {} has {} rows in page {}",
                                        now.columns[column].name, name_text_, rows, page));
        }
}

std::vector<CheckedPart> MergeTreeTable::check_parts(const std::string& partition_id,
                                                     const std::string& part_name,
                                                     const QueryContext& context)
{
    check_is_there(error_codes::NO_SUCH_DATA_PART);
    std::vector<CheckedPart> checked;
    for (const auto& part : snapshot().parts)
    {
        if (part_name.empty() ? !partition_id.empty() && part->name().partition_id != partition_id
                              : part->name_text() != part_name)
            continue;
        CheckedPart result{part->name_text(), ""};
        try
        {
            part->check([&] { context.check_alive(); });
        }
        catch (const Error& error)
        {
            context.check_alive();
            result.problem = error.full_text();
        }
        checked.push_back(std::move(result));
    }
    if (checked.empty() && !part_name.empty())
        throw Error(error_codes::NO_SUCH_DATA_PART,
                    fmt::format("No part {} in committed state.", part_name));
    return checked;
}

} // namespace basalt
