#include "storage/skip_index/value_filter.h"

#include "base/error.h"
#include "codecs/hash.h"
#include "columns/serialization.h"
#include "encodings/vector_visit.h"

#include <fmt/format.h>

namespace basalt
{

namespace
{

uint64_t hash_bytes(std::string_view bytes)
{
    return xxh3_64(bytes.data(), bytes.size());
}

} // namespace

TypePtr filtered_type(const IndexDescription& index)
{
    TypePtr type = remove_low_cardinality(index.expression->type());
    if (type->is(TypeId::Array))
        type = type_as<ArrayType>(type).nested();
    return strip_wrappers(type);
}

void append_value_hashes(const Column& flat, size_t begin, size_t count, std::vector<uint64_t>& out)
{
    switch (flat.form())
    {
    case ColumnForm::String:
    {
        const auto& strings = column_as<StringColumn>(flat);
        const size_t before = out.size();
        out.resize(before + count);
        for (size_t i = 0; i < count; ++i)
            out[before + i] = hash_bytes(strings.at(begin + i));
        return;
    }
    case ColumnForm::FixedString:
    {
        const auto& strings = column_as<FixedStringColumn>(flat);
        for (size_t i = begin; i < begin + count; ++i)
            out.push_back(hash_bytes(strings.at(i)));
        return;
    }
    case ColumnForm::Nullable:
    {
        const auto& nullable = column_as<NullableColumn>(flat);
        std::vector<uint64_t> all;
        append_value_hashes(*nullable.nested(), begin, count, all);
        for (size_t i = 0; i < all.size(); ++i)
            if (!nullable.null_map()[begin + i])
                out.push_back(all[i]);
        return;
    }
    case ColumnForm::Array:
    {
        const auto& array = column_as<ArrayColumn>(flat);
        const size_t first = array.begin_of(begin);
        append_value_hashes(*array.items(), first, array.begin_of(begin + count) - first, out);
        return;
    }
    default:
    {
        if (count == 0)
            return;
        const size_t width = vector_width(flat);
        const char* data = fixed_width_data(flat) + begin * width;
        for (size_t i = 0; i < count; ++i, data += width)
            out.push_back(hash_bytes({data, width}));
    }
    }
}

ValueFilterReader::ValueFilterReader(const IndexDescription& index, SkipIndexSource source)
    : type_(filtered_type(index)), filter_(std::move(source))
{
}

std::optional<uint64_t> ValueFilterReader::hash_of(const ValueTerm& term,
                                                   const QueryContext& context) const
{
    if (!term.constant)
        return std::nullopt;
    const TypePtr given_type = strip_wrappers(term.constant->type());
    const Value given = term.constant->constant_column()->value_at(0);
    std::vector<uint64_t> hashes;
    if (type_->is(TypeId::String))
    {
        // A FixedString may equal texts of other bytes.
        const auto* text = given.get_if<std::string>();
        if (!given_type->is(TypeId::String) || !text)
            return std::nullopt;
        return hash_bytes(*text);
    }
    std::optional<Value> value;
    if (same_type(given_type, type_))
        value = given;
    else
    {
        TextOptions options;
        options.session_timezone = context.timezone();
        value = convert_value(given, type_, options);
        if (!value || value->is_null())
            return std::nullopt;
        // The conversion must be the one that the comparison makes.
        const auto same = Expression::call(
            "equals", {Expression::constant(type_, *value), term.constant}, context);
        Mask mask;
        if (!same->is_constant() ||
            column_to_mask(same->constant_column(), same->type(), mask) == 0)
            return std::nullopt;
    }
    auto column = type_->create_column();
    column->append_value(*value);
    append_value_hashes(*column, 0, 1, hashes);
    return hashes[0];
}

// Sets of any size, when their members are of the filter's type.
bool ValueFilterReader::find_set(const ConditionAtom& atom, std::vector<uint8_t>& possible) const
{
    if (atom.set->has_null() ||
        !same_type(strip_wrappers(atom.set->key_types()[atom.set_column]), type_))
        return false;
    std::vector<uint64_t> hashes;
    const ColumnPtr members = to_flat(atom.set->members()[atom.set_column]);
    append_value_hashes(*members, 0, members->size(), hashes);
    for (const uint64_t hash : hashes)
        filter_.find_all({hash}, possible);
    return true;
}

// False: nothing is known.
bool ValueFilterReader::find_claim(const ValueClaim& claim, const QueryContext& context,
                                   std::vector<uint8_t>& possible) const
{
    std::vector<std::vector<uint64_t>> alternatives;
    for (const auto& all : claim.any_of)
    {
        std::vector<uint64_t> hashes;
        for (const auto& term : all)
            if (const auto hash = hash_of(term, context))
                hashes.push_back(*hash);
        if (hashes.empty())
            return false;
        alternatives.push_back(std::move(hashes));
    }
    for (const auto& hashes : alternatives)
        filter_.find_all(hashes, possible);
    return true;
}

void ValueFilterReader::narrow(const IndexQuestion& question, const QueryContext& context,
                               std::vector<Outcomes>& outcomes) const
{
    if (!filter_.readable())
        return;
    const auto apply = [&](const std::vector<uint8_t>& possible)
    {
        for (size_t i = 0; i < outcomes.size(); ++i)
            if (!possible[i])
                outcomes[i].can_be_true = false;
    };
    std::vector<uint8_t> possible(outcomes.size(), 0);
    if (question.direct && question.atom->kind == ConditionAtom::Kind::InSet &&
        find_set(*question.atom, possible))
        return apply(possible);
    for (const ValueClaim* claim : question.claims)
    {
        possible.assign(outcomes.size(), 0);
        if (!claim->folded && find_claim(*claim, context, possible))
            apply(possible);
    }
}

bool value_filter_useful(const IndexDescription& index, const IndexQuestion& question)
{
    // Zeros of both signs are equal but differ in their bytes, and NaN is not equal to itself.
    if (filtered_type(index)->is_float())
        return false;
    if (question.direct && question.atom->kind == ConditionAtom::Kind::InSet)
        return true;
    for (const ValueClaim* claim : question.claims)
        for (const auto& all : claim->any_of)
            for (const auto& term : all)
                if (!claim->folded && term.constant)
                    return true;
    return false;
}

void check_value_filter(const IndexDescription& index)
{
    const TypePtr type = filtered_type(index);
    if (!can_be_inside_low_cardinality(type) && !type->is_decimal())
        throw Error(error_codes::BAD_ARGUMENTS,
                    fmt::format("Unexpected type {} of bloom filter index.",
                                index.expression->type()->name()));
}

} // namespace basalt
