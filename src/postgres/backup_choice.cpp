// What backups say about themselves, and which one serves a restore. Nothing here runs anything.

#include "postgres/backup.h"

#include "base/error.h"
#include "postgres/key_values.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <ctime>
#include <fmt/core.h>

namespace basalt::pg
{

using namespace error_codes;

namespace
{

// Digits at the front of `text`, as many as there are up to `most`; taken off.
std::optional<int> take_digits(std::string_view& text, size_t least, size_t most)
{
    size_t n = 0;
    int value = 0;
    while (n < most && n < text.size() && std::isdigit(static_cast<unsigned char>(text[n])))
        value = value * 10 + (text[n++] - '0');
    if (n < least)
        return std::nullopt;
    text.remove_prefix(n);
    return value;
}

bool take(std::string_view& text, std::string_view any_of)
{
    if (text.empty() || any_of.find(text[0]) == std::string_view::npos)
        return false;
    text.remove_prefix(1);
    return true;
}

std::optional<int64_t> take_zone_s(std::string_view& text)
{
    if (text.empty() || take(text, "zZ"))
        return 0;
    const bool minus = text[0] == '-';
    if (!take(text, "+-"))
        return std::nullopt;
    const auto hours = take_digits(text, 2, 2);
    if (!hours)
        return std::nullopt;
    int minutes = 0;
    if (!text.empty())
    {
        take(text, ":");
        const auto found = take_digits(text, 2, 2);
        if (!found)
            return std::nullopt;
        minutes = *found;
    }
    const int64_t offset = *hours * 3600 + minutes * 60;
    return minus ? -offset : offset;
}

// The text behind `"key":` up to the next ',' or '}', without quotes; from `at` on.
std::optional<std::string> json_field(std::string_view text, std::string_view key, size_t at)
{
    const std::string wanted = "\"" + std::string(key) + "\":";
    size_t from = text.find(wanted, at);
    if (from == std::string_view::npos)
        return std::nullopt;
    from += wanted.size();
    const size_t to = text.find_first_of(",}", from);
    if (to == std::string_view::npos)
        return std::nullopt;
    std::string out;
    for (const char c : text.substr(from, to - from))
        if (c != '"' && c != ' ' && c != '\n')
            out.push_back(c);
    return out;
}

std::string known_backups(const std::vector<BackupInfo>& backups)
{
    if (backups.empty())
        return "there is none; basalt pg backup makes one";
    std::string text = "there are:";
    for (const auto& backup : backups)
        text += fmt::format(" {} (usable from {} UTC, log position {})", backup.id,
                            time_text_us(backup.finished_unix_us), backup.stop_lsn.text());
    return text;
}

} // namespace

std::optional<int64_t> parse_time_us(std::string_view text)
{
    const auto year = take_digits(text, 4, 4);
    if (!year || !take(text, "-"))
        return std::nullopt;
    const auto month = take_digits(text, 2, 2);
    if (!month || *month < 1 || *month > 12 || !take(text, "-"))
        return std::nullopt;
    const auto day = take_digits(text, 2, 2);
    if (!day || *day < 1 || *day > 31 || !take(text, " T"))
        return std::nullopt;
    const auto hour = take_digits(text, 2, 2);
    if (!hour || *hour > 23 || !take(text, ":"))
        return std::nullopt;
    const auto minute = take_digits(text, 2, 2);
    if (!minute || *minute > 59)
        return std::nullopt;
    int second = 0;
    int64_t micros = 0;
    if (take(text, ":"))
    {
        const auto found = take_digits(text, 2, 2);
        if (!found || *found > 59)
            return std::nullopt;
        second = *found;
        if (take(text, "."))
        {
            const size_t before = text.size();
            const auto fraction = take_digits(text, 1, 6);
            if (!fraction)
                return std::nullopt;
            micros = *fraction;
            for (size_t digits = before - text.size(); digits < 6; ++digits)
                micros *= 10;
        }
    }
    const auto zone_s = take_zone_s(text);
    if (!zone_s || !text.empty())
        return std::nullopt;
    tm parts{};
    parts.tm_year = *year - 1900;
    parts.tm_mon = *month - 1;
    parts.tm_mday = *day;
    parts.tm_hour = *hour;
    parts.tm_min = *minute;
    parts.tm_sec = second;
    const int64_t seconds = ::timegm(&parts);
    if (parts.tm_mday != *day) // the 31st of February
        return std::nullopt;
    return (seconds - *zone_s) * 1000000 + micros;
}

std::string time_text_us(int64_t unix_us)
{
    return fmt::format("{}.{:06}", utc_text(unix_us / 1000000), unix_us % 1000000);
}

RestoreTarget RestoreTarget::parse(std::string_view text)
{
    RestoreTarget target;
    target.text = text;
    if (text == "latest")
        return target;
    if (const auto lsn = Lsn::parse(text))
    {
        target.kind = Kind::Position;
        target.lsn = *lsn;
        return target;
    }
    if (const auto time = parse_time_us(text))
    {
        target.kind = Kind::Time;
        target.unix_us = *time;
        return target;
    }
    throw Error(BAD_ARGUMENTS,
                fmt::format("'{}' is neither 'latest' nor a log position (16/B374D848) nor a time "
                            "(2026-11-30 22:55:01, UTC unless a zone such as +01:00 follows)",
                            text));
}

BackupInfo choose_backup(const std::vector<BackupInfo>& backups, const RestoreTarget& target,
                         const std::string& id)
{
    const auto serves = [&](const BackupInfo& backup)
    {
        switch (target.kind)
        {
        case RestoreTarget::Kind::Latest:
            return true;
        case RestoreTarget::Kind::Time:
            return backup.finished_unix_us <= target.unix_us;
        case RestoreTarget::Kind::Position:
            return backup.stop_lsn <= target.lsn;
        }
        return false;
    };
    const BackupInfo* best = nullptr;
    for (const auto& backup : backups)
        if ((id.empty() || backup.id == id) && serves(backup))
            best = &backup;
    if (best)
        return *best;
    const bool known = std::any_of(backups.begin(), backups.end(),
                                   [&](const auto& backup) { return backup.id == id; });
    throw Error(BACKUP_NOT_FOUND,
                id.empty() || known
                    ? fmt::format("No backup had finished by {}; {}", target.text,
                                  known_backups(backups))
                    : fmt::format("There is no backup {}; {}", id, known_backups(backups)));
}

std::optional<ManifestRange> range_of_manifest(std::string_view manifest)
{
    const size_t at = manifest.find("\"WAL-Ranges\"");
    if (at == std::string_view::npos)
        return std::nullopt;
    const auto timeline = json_field(manifest, "Timeline", at);
    const auto start = json_field(manifest, "Start-LSN", at);
    const auto end = json_field(manifest, "End-LSN", at);
    if (!timeline || !start || !end)
        return std::nullopt;
    ManifestRange range;
    const auto from = Lsn::parse(*start), to = Lsn::parse(*end);
    const auto [rest, error] = std::from_chars(
        timeline->data(), timeline->data() + timeline->size(), range.timeline, 10);
    if (!from || !to || error != std::errc() || rest != timeline->data() + timeline->size())
        return std::nullopt;
    range.start = *from;
    range.end = *to;
    return range;
}

void BackupInfo::save(FileSystem& files, const std::string& folder) const
{
    KeyValues values;
    values.set("id", id);
    values.set("version", version);
    values.set("started_us", started_unix_us);
    values.set("finished_us", finished_unix_us);
    values.set("timeline", timeline);
    values.set("start_lsn", start_lsn.text());
    values.set("stop_lsn", stop_lsn.text());
    values.set("bytes", static_cast<int64_t>(bytes));
    values.set("verified", verified_unix_s);
    files.replace_whole(folder + "/backup.conf", values.to_text());
}

BackupInfo BackupInfo::load(FileSystem& files, const std::string& folder)
{
    const std::string path = folder + "/backup.conf";
    const KeyValues values = KeyValues::parse(files.read_whole(path, kMaxKeyValueFileBytes), path);
    BackupInfo result;
    const auto start = Lsn::parse(values.text("start_lsn"));
    const auto stop = Lsn::parse(values.text("stop_lsn"));
    if (!start || !stop || values.text("id").empty())
        throw Error(BACKUP_DAMAGED, fmt::format("{} does not say id, start_lsn, stop_lsn", path));
    result.id = values.text("id");
    result.version = values.text("version");
    result.started_unix_us = values.number("started_us");
    result.finished_unix_us = values.number("finished_us");
    result.timeline = static_cast<uint32_t>(values.number("timeline", 1));
    result.start_lsn = *start;
    result.stop_lsn = *stop;
    result.bytes = static_cast<uint64_t>(std::max<int64_t>(0, values.number("bytes")));
    result.verified_unix_s = values.number("verified");
    return result;
}

} // namespace basalt::pg
