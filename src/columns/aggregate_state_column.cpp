#include "columns/forms.h"

namespace basalt
{

AggregateStateColumn::AggregateStateColumn(std::shared_ptr<const AggregateStateOps> ops)
    : Column(ColumnForm::AggregateState), ops_(std::move(ops)), arena_(std::make_shared<Arena>())
{
}

AggregateStateColumn::~AggregateStateColumn()
{
    if (owns_states_ && !ops_->trivially_destroyed())
        for (char* state : states_)
            ops_->destroy_state(state);
}

char* AggregateStateColumn::append_new()
{
    BASALT_ASSERT(owns_states_);
    char* state = arena_->allocate(ops_->state_size(), ops_->state_alignment());
    ops_->create_state(state);
    states_.push_back(state);
    return state;
}

size_t AggregateStateColumn::byte_size() const
{
    return states_.capacity_bytes() + arena_->allocated_bytes();
}

MutableColumnPtr AggregateStateColumn::clone_empty() const
{
    return std::make_shared<AggregateStateColumn>(ops_);
}

void AggregateStateColumn::append_from(const Column& source, size_t row)
{
    const auto& from = column_as<AggregateStateColumn>(flat_source(source, row));
    ops_->merge_state(append_new(), from.states_[row], *arena_);
}

void AggregateStateColumn::append_range(const Column& source, size_t begin, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        append_from(source, begin + i);
}

void AggregateStateColumn::append_value(const Value& value)
{
    const auto* text = value.get_if<std::string>();
    if (value.is_null() || (text && text->empty()))
    {
        append_new();
        return;
    }
    BASALT_ASSERT(text);
    char* state = append_new();
    try
    {
        ops_->read_state(state, text->data(), text->size(), *arena_);
    }
    catch (...)
    {
        remove_last(1);
        throw;
    }
}

void AggregateStateColumn::remove_last(size_t count)
{
    BASALT_ASSERT(owns_states_);
    for (size_t i = 0; i < count; ++i)
    {
        ops_->destroy_state(states_.back());
        states_.pop_back();
    }
}

Value AggregateStateColumn::value_at(size_t row) const
{
    std::string out;
    ops_->write_state(states_[row], out);
    return out;
}

ColumnPtr AggregateStateColumn::view(PodVector<char*> states) const
{
    auto result = std::make_shared<AggregateStateColumn>(ops_);
    result->states_ = std::move(states);
    result->owns_states_ = false;
    result->keep(shared_from_this());
    return result;
}

ColumnPtr AggregateStateColumn::filter(const Mask& mask, size_t kept_rows) const
{
    PodVector<char*> kept;
    kept.reserve(kept_rows);
    for (size_t i = 0; i < mask.size(); ++i)
        if (mask[i])
            kept.push_back(states_[i]);
    return view(std::move(kept));
}

ColumnPtr AggregateStateColumn::take(const RowIndexes& rows) const
{
    PodVector<char*> taken(rows.size());
    for (size_t i = 0; i < rows.size(); ++i)
        taken[i] = states_[rows[i]];
    return view(std::move(taken));
}

ColumnPtr AggregateStateColumn::slice(size_t begin, size_t count) const
{
    PodVector<char*> part;
    part.append(states_.data() + begin, count);
    return view(std::move(part));
}

void AggregateStateColumn::hash_into(std::span<uint64_t> hashes) const
{
    std::string bytes;
    for (size_t i = 0; i < hashes.size(); ++i)
    {
        bytes.clear();
        ops_->write_state(states_[i], bytes);
        hashes[i] = combine_hash(hashes[i], hash_bytes(bytes.data(), bytes.size()));
    }
}

void AggregateStateColumn::append_key(size_t row, PodVector<char>& out) const
{
    std::string bytes;
    ops_->write_state(states_[row], bytes);
    const uint64_t size = bytes.size();
    out.append(reinterpret_cast<const char*>(&size), sizeof(size));
    out.append(bytes.data(), bytes.size());
}

const char* AggregateStateColumn::append_from_key(const char* key)
{
    const auto size = load<uint64_t>(key);
    key += sizeof(size);
    ops_->read_state(append_new(), key, size, *arena_);
    return key + size;
}

} // namespace basalt
