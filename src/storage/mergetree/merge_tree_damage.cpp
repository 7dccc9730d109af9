// What is not what was written: parts are set aside or, when all are away, waited for.

#include "storage/mergetree/merge_tree_table.h"

#include "base/error.h"
#include "base/threads.h"
#include "codecs/hash.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>

namespace basalt
{

// Reads the part again, twice: only what is wrong both times is damage, and only bytes that are
// other than they were written, never what this program makes of them.
bool MergeTreeTable::confirm_damage(const Part& part, std::string& problem)
{
    constexpr int kReadings = 2;
    for (int reading = 0; reading < kReadings; ++reading)
    {
        try
        {
            part.check([] {});
            return false;
        }
        catch (const Error& error)
        {
            if (!is_damage(error.code()))
                return false;
            problem = error.full_text();
        }
    }
    return true;
}

// Parts whose reading met damage become detached/broken_<name>: the rest of the table is served.
bool MergeTreeTable::set_aside_suspects()
{
    constexpr int64_t kLookEvery_s = 2;
    if (Part::suspects() == 0)
        return false;
    std::shared_ptr<Part> suspect;
    {
        std::lock_guard lock(mutex_);
        const int64_t now = service_.clock().unix_s();
        if (shut_down_ || std::abs(now - next_suspect_look_unix_s_) < kLookEvery_s)
            return false;
        for (const auto& [name, part] : parts_)
            if (part->is_suspect() && !busy_.contains(name))
            {
                suspect = part;
                busy_.insert(name);
                break;
            }
        if (!suspect)
        {
            next_suspect_look_unix_s_ = now;
            return false;
        }
    }
    std::string problem;
    if (!confirm_damage(*suspect, problem))
    {
        suspect->clear_suspicion();
        unlock_parts({suspect});
        return true;
    }
    try
    {
        const auto transaction = service_.begin();
        stage(*transaction, {}, {suspect}, 0, true, "broken_");
        transaction->commit();
    }
    catch (...)
    {
        std::lock_guard lock(mutex_);
        busy_.erase(suspect->name());
        next_suspect_look_unix_s_ = service_.clock().unix_s();
        throw;
    }
    suspect->clear_suspicion();
    service_.report(fmt::format("Part {} of table {} is damaged and was set aside as "
                                "detached/broken_{}: {}",
                                suspect->name_text(), table_name().full(), suspect->name_text(),
                                problem));
    return true;
}

void MergeTreeTable::check_is_there(int error_code) const
{
    if (absent_.empty())
        return;
    throw Error(error_code,
                fmt::format("The data of table {} is not there: the log lists {} parts, and no "
                            "folder of them is in {}. Is the volume mounted? The table is neither "
                            "read nor written until the server starts with it",
                            table_name().full(), absent_.size(), path_));
}

// Null when the folder is missing or damaged; then it was reported. Throws when it cannot be read
// now: nothing is set aside for that.
std::shared_ptr<Part> MergeTreeTable::open_listed_part(const std::string& name_text,
                                                       const PartName& name)
{
    constexpr int kReadings = 3;
    const std::string path = join_path(path_, name_text);
    for (int reading = 1;; ++reading)
    {
        try
        {
            return open_part(service_.files(), path, name);
        }
        catch (const Error& error)
        {
            if (reading < kReadings)
                continue;
            if (!is_damage(error.code()) &&
                error.code() != error_codes::CANNOT_READ_FROM_FILE_DESCRIPTOR)
                throw;
            service_.report(fmt::format("Part {} of table {} cannot be opened: {}", name_text,
                                        name_.full(), error.message()));
            return nullptr;
        }
    }
}

// Each costs some reads at random places, which a disk serves together sooner than one by one.
void MergeTreeTable::open_listed_parts(
    const std::vector<std::pair<std::string, PartName>>& listed)
{
    constexpr size_t kPartsForThreads = 256;
    constexpr size_t kThreads = 32;
    std::vector<std::shared_ptr<Part>> opened(listed.size());
    std::atomic<size_t> next{0};
    run_parallel(listed.size() < kPartsForThreads ? 1 : kThreads,
                 [&](size_t)
                 {
                     for (size_t i = next++; i < listed.size(); i = next++)
                         opened[i] = open_listed_part(listed[i].first, listed[i].second);
                 });
    for (size_t i = 0; i < listed.size(); ++i)
    {
        if (opened[i])
            parts_.emplace(listed[i].second, std::move(opened[i]));
        else
            set_aside(listed[i].first, "broken-on-start");
    }
}

// After damage of the log a merge or mutation may be on the disk whose record is lost. It holds what
// the listed parts that it covers hold, or what an acknowledged mutation made of them.
void MergeTreeTable::adopt_covering(const std::set<std::string>& folders)
{
    std::vector<PartName> listed;
    for (const auto& text : restored_.parts)
        if (const auto name = parse_part_name(text))
            listed.push_back(*name);
    for (const auto& folder : folders)
    {
        const auto name = parse_part_name(folder);
        if (!name || restored_.parts.contains(folder) || restored_.outdated.contains(folder) ||
            restored_.moved_out.contains(folder) ||
            std::none_of(listed.begin(), listed.end(),
                         [&](const PartName& part) { return name->contains(part); }))
            continue;
        try
        {
            open_part(service_.files(), join_path(path_, folder), *name);
        }
        catch (const Error&)
        {
            continue;
        }
        std::erase_if(restored_.parts,
                      [&](const std::string& text)
                      {
                          const auto part = parse_part_name(text);
                          return part && name->contains(*part);
                      });
        restored_.parts.insert(folder);
    }
}

} // namespace basalt
