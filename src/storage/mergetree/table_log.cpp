#include "storage/mergetree/table_log.h"

#include "base/error.h"
#include "storage/log/record.h"

#include <algorithm>

namespace basalt
{

namespace
{

constexpr uint64_t kStateVersion = 2;

template <class List> void append_texts(std::string& out, const List& texts)
{
    append_varint(out, texts.size());
    for (const auto& text : texts)
        append_text(out, text);
}

std::vector<std::string> take_texts(std::string_view& bytes)
{
    std::vector<std::string> texts;
    for (uint64_t n = take_varint(bytes); n > 0; --n)
        texts.emplace_back(take_text(bytes));
    return texts;
}

} // namespace

std::string PartsEdit::encode() const
{
    std::string out;
    append_texts(out, added);
    append_texts(out, removed);
    append_varint(out, flushed_through);
    append_texts(out, moved_out);
    return out;
}

PartsEdit PartsEdit::decode(std::string_view bytes)
{
    PartsEdit edit;
    edit.added = take_texts(bytes);
    edit.removed = take_texts(bytes);
    edit.flushed_through = take_varint(bytes);
    edit.moved_out = take_texts(bytes);
    return edit;
}

void ColumnEvent::append_to(std::string& out) const
{
    append_varint(out, version);
    append_varint(out, static_cast<uint64_t>(kind));
    append_text(out, name);
    append_text(out, new_name);
}

ColumnEvent ColumnEvent::take(std::string_view& bytes)
{
    ColumnEvent event;
    event.version = take_varint(bytes);
    event.kind = static_cast<Kind>(take_varint(bytes));
    event.name = take_text(bytes);
    event.new_name = take_text(bytes);
    return event;
}

std::string AlteredEntry::encode() const
{
    std::string out;
    append_varint(out, version);
    append_text(out, create_text);
    return out;
}

AlteredEntry AlteredEntry::decode(std::string_view bytes)
{
    AlteredEntry entry;
    entry.version = take_varint(bytes);
    entry.create_text = take_text(bytes);
    return entry;
}

std::string MutationEntry::encode() const
{
    std::string out;
    append_varint(out, version);
    append_varint(out, static_cast<uint64_t>(created_unix_s));
    append_texts(out, commands);
    append_varint(out, (done ? 1u : 0u) | (killed ? 2u : 0u));
    append_varint(out, static_cast<uint64_t>(done_unix_s));
    return out;
}

MutationEntry MutationEntry::decode(std::string_view bytes)
{
    MutationEntry entry;
    entry.version = take_varint(bytes);
    entry.created_unix_s = static_cast<int64_t>(take_varint(bytes));
    entry.commands = take_texts(bytes);
    const uint64_t flags = take_varint(bytes);
    entry.done = flags & 1;
    entry.killed = flags & 2;
    entry.done_unix_s = static_cast<int64_t>(take_varint(bytes));
    return entry;
}

void TableLogState::apply(const PartsEdit& edit)
{
    for (const auto& name : edit.added)
    {
        parts.insert(name);
        outdated.erase(name);
    }
    for (const auto& name : edit.removed)
    {
        parts.erase(name);
        outdated.insert(name);
    }
    for (const auto& name : edit.moved_out)
    {
        parts.erase(name);
        moved_out.insert(name);
    }
    flushed_through = std::max(flushed_through, edit.flushed_through);
}

std::string TableLogState::encode() const
{
    std::string out;
    append_varint(out, kStateVersion);
    append_texts(out, parts);
    append_texts(out, outdated);
    append_varint(out, flushed_through);
    append_varint(out, next_block);
    append_varint(out, metadata_version);
    append_varint(out, column_events.size());
    for (const auto& event : column_events)
        event.append_to(out);
    append_varint(out, mutations.size());
    for (const auto& [version, mutation] : mutations)
        append_text(out, mutation.encode());
    append_text(out, altered.encode());
    return out;
}

TableLogState TableLogState::decode(std::string_view bytes)
{
    const uint64_t version = take_varint(bytes);
    if (version < 1 || version > kStateVersion)
        throw Error(error_codes::UNKNOWN_FORMAT_VERSION,
                    "The state of a table was written by a newer version");
    TableLogState state;
    for (auto& name : take_texts(bytes))
        state.parts.insert(std::move(name));
    for (auto& name : take_texts(bytes))
        state.outdated.insert(std::move(name));
    state.flushed_through = take_varint(bytes);
    state.next_block = take_varint(bytes);
    state.metadata_version = take_varint(bytes);
    for (uint64_t n = take_varint(bytes); n > 0; --n)
        state.column_events.push_back(ColumnEvent::take(bytes));
    for (uint64_t n = take_varint(bytes); n > 0; --n)
    {
        auto mutation = MutationEntry::decode(take_text(bytes));
        state.mutations.emplace(mutation.version, std::move(mutation));
    }
    if (version >= 2)
        state.altered = AlteredEntry::decode(take_text(bytes));
    return state;
}

} // namespace basalt
