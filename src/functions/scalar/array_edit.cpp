// arrayConcat, arrayPush*, arrayPop*, arraySlice, arrayReverse, reverse, arrayResize,
// arrayRotate*, arrayShift*, arrayRemove.

#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <algorithm>

namespace basalt
{
namespace
{

TypePtr concat_type(const TypeCall& call)
{
    Types types;
    for (const Argument& argument : call.arguments)
        types.push_back(argument.type);
    return common_type(types);
}

ColumnPtr run_concat(const Call& call)
{
    ItemPool pool(item_type(call.result_type));
    Columns owners;
    std::vector<ArrayRows> arrays;
    std::vector<size_t> bases;
    for (const Argument& argument : call.arguments)
    {
        owners.push_back(cast_to(argument, call.result_type, call.context));
        arrays.emplace_back(owners.back()->form() == ColumnForm::Dictionary
                                ? owners.back() = to_flat(owners.back())
                                : owners.back());
        bases.push_back(pool.add(*arrays.back().items()));
    }
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (size_t a = 0; a < arrays.size(); ++a)
            out.pick_range(bases[a] + arrays[a].begin(i), bases[a] + arrays[a].end(i));
        out.end_row();
    }
    return out.finish(pool);
}

TypePtr push_type(const TypeCall& call)
{
    return array_of(common_type({item_type(call.type(0)), call.type(1)}));
}

template <bool kBack> ColumnPtr run_push(const Call& call)
{
    const TypePtr& type = item_type(call.result_type);
    ItemPool pool(type);
    const ColumnPtr column = cast_to(call[0], call.result_type, call.context);
    const ArrayRows arrays(column);
    pool.add(*arrays.items());
    const size_t values = pool.add(*flat_as(call[1], type, call.context));
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (!kBack)
            out.pick(values + i);
        out.pick_range(arrays.begin(i), arrays.end(i));
        if (kBack)
            out.pick(values + i);
        out.end_row();
    }
    return out.finish(pool);
}

template <bool kBack> ColumnPtr run_pop(const Call& call)
{
    const ArrayRows arrays(call.column(0));
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        if (arrays.length(i) > 0)
            out.pick_range(arrays.begin(i) + !kBack, arrays.end(i) - kBack);
        out.end_row();
    }
    return out.finish(*arrays.items());
}

// An integer argument that may be NULL.
class OptionalRows
{
public:
    explicit OptionalRows(const Argument& argument)
    {
        ColumnPtr column = to_flat(argument.column);
        TypePtr type = remove_low_cardinality(argument.type);
        if (column->form() == ColumnForm::Nullable)
        {
            owner_ = column;
            nulls_ = column_as<NullableColumn>(column).null_map().data();
            column = column_as<NullableColumn>(column).nested();
            type = remove_nullable(type);
        }
        if (type->is(TypeId::Nothing))
            return;
        values_ = column;
        rows_.emplace(Argument{column, type});
    }
    bool is_null(size_t row) const { return !rows_ || (nulls_ && nulls_[row]); }
    int64_t operator[](size_t row) const { return (*rows_)[row]; }

private:
    ColumnPtr owner_;
    ColumnPtr values_;
    const uint8_t* nulls_ = nullptr;
    std::optional<IntegerRows> rows_;
};

ColumnPtr run_slice(const Call& call)
{
    const ArrayRows arrays(call.column(0));
    const OptionalRows offsets(call[1]);
    std::optional<OptionalRows> lengths;
    if (call.size() == 3)
        lengths.emplace(call[2]);
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const auto n = static_cast<int64_t>(arrays.length(i));
        // NULL as offset means the beginning, as length the rest.
        const int64_t offset = offsets.is_null(i) ? 1 : offsets[i];
        if (offset != 0 && offset <= n)
        {
            int64_t begin = offset > 0 ? offset - 1 : std::max(offset, -(int64_t{1} << 62)) + n;
            int64_t end = n;
            if (lengths && !lengths->is_null(i))
            {
                const int64_t length = (*lengths)[i];
                if (length >= 0)
                    end = length > n - begin ? n : begin + length;
                else
                    end = length < -n ? 0 : n + length;
            }
            begin = std::max<int64_t>(begin, 0);
            if (end > begin)
                out.pick_range(arrays.begin(i) + static_cast<size_t>(begin),
                               arrays.begin(i) + static_cast<size_t>(end));
        }
        out.end_row();
    }
    return out.finish(*arrays.items());
}

ColumnPtr run_reverse_array(const Call& call)
{
    const ArrayRows arrays(call.column(0));
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (size_t j = arrays.end(i); j > arrays.begin(i); --j)
            out.pick(j - 1);
        out.end_row();
    }
    return out.finish(*arrays.items());
}

ColumnPtr run_reverse(const Call& call)
{
    const DataType& type = *call.type(0);
    if (type.is(TypeId::Array))
        return run_reverse_array(call);
    const StringRows rows(call.column(0));
    if (type.is(TypeId::FixedString))
    {
        auto result =
            std::make_shared<FixedStringColumn>(type_as<FixedStringType>(call.type(0)).width());
        result->chars().resize(result->width() * call.rows);
        for (size_t i = 0; i < call.rows; ++i)
            std::reverse_copy(rows[i].begin(), rows[i].end(),
                              result->chars().data() + i * result->width());
        return result;
    }
    StringWriter out(call.rows, rows.chars_size());
    for (size_t i = 0; i < call.rows; ++i)
    {
        std::reverse_copy(rows[i].begin(), rows[i].end(), out.room(rows[i].size()));
        out.advance(rows[i].size());
        out.end_row();
    }
    return out.finish();
}

TypePtr resize_type(const TypeCall& call)
{
    if (call.type(1)->is_nullable())
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("A value of illegal type was provided as 2nd argument 'size' to "
                                "function '{}'. Expected: Number, got: {}",
                                call.name, call.type(1)->name()));
    return call.size() == 2 ? call.type(0)
                            : array_of(common_type({item_type(call.type(0)), call.type(2)}));
}

TypePtr checked_resize_type(const TypeCall& call)
{
    if (call.type(1)->is_nullable())
        throw_illegal_type(call.name, call.arguments, 1, "integer");
    return resize_type(call);
}

ColumnPtr run_resize(const Call& call)
{
    const TypePtr& type = item_type(call.result_type);
    const ColumnPtr column = cast_to(call[0], call.result_type, call.context);
    const ArrayRows arrays(column);
    const IntegerRows sizes(call[1]);
    ItemPool pool(type);
    pool.add(*arrays.items());
    const bool has_value = call.size() == 3;
    const size_t fill = has_value ? pool.add(*flat_as(call[2], type, call.context))
                                  : pool.add_default();
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const int64_t size = sizes[i];
        const uint64_t wanted =
            size < 0 ? uint64_t{0} - static_cast<uint64_t>(size) : static_cast<uint64_t>(size);
        out.check(wanted);
        const size_t kept = std::min<uint64_t>(wanted, arrays.length(i));
        if (size < 0)
        {
            out.pick_times(fill + (has_value ? i : 0), wanted - kept);
            out.pick_range(arrays.end(i) - kept, arrays.end(i));
        }
        else
        {
            out.pick_range(arrays.begin(i), arrays.begin(i) + kept);
            out.pick_times(fill + (has_value ? i : 0), wanted - kept);
        }
        out.end_row();
    }
    return out.finish(pool);
}

template <bool kLeft> ColumnPtr run_rotate(const Call& call)
{
    const ArrayRows arrays(call.column(0));
    const IntegerRows steps(call[1]);
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const auto n = static_cast<int64_t>(arrays.length(i));
        if (n > 0)
        {
            int64_t by = steps[i] % n;
            if (!kLeft)
                by = -by;
            const auto cut = static_cast<size_t>((by + n) % n);
            out.pick_range(arrays.begin(i) + cut, arrays.end(i));
            out.pick_range(arrays.begin(i), arrays.begin(i) + cut);
        }
        out.end_row();
    }
    return out.finish(*arrays.items());
}

template <bool kLeft> ColumnPtr run_shift(const Call& call)
{
    const TypePtr& type = item_type(call.result_type);
    const ColumnPtr column = cast_to(call[0], call.result_type, call.context);
    const ArrayRows arrays(column);
    const IntegerRows steps(call[1]);
    ItemPool pool(type);
    pool.add(*arrays.items());
    const bool has_value = call.size() == 3;
    const size_t fill = has_value ? pool.add(*flat_as(call[2], type, call.context))
                                  : pool.add_default();
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        const bool left = kLeft == (steps[i] >= 0);
        const uint64_t by = steps[i] < 0 ? uint64_t{0} - static_cast<uint64_t>(steps[i])
                                         : static_cast<uint64_t>(steps[i]);
        const size_t cut = std::min<uint64_t>(by, arrays.length(i));
        const size_t filler = fill + (has_value ? i : 0);
        if (left)
        {
            out.pick_range(arrays.begin(i) + cut, arrays.end(i));
            out.pick_times(filler, cut);
        }
        else
        {
            out.pick_times(filler, cut);
            out.pick_range(arrays.begin(i), arrays.end(i) - cut);
        }
        out.end_row();
    }
    return out.finish(pool);
}

TypePtr remove_type(const TypeCall& call)
{
    comparable_type(item_type(call.type(0)), call.type(1));
    return call.type(0);
}

ColumnPtr run_remove(const Call& call)
{
    const TypePtr from = remove_low_cardinality_deep(item_type(call.type(0)));
    const TypePtr wanted_type = remove_low_cardinality_deep(call.type(1));
    const TypePtr common = comparable_type(from, wanted_type);
    const ArrayRows arrays(call.column(0));
    EqualityIds ids;
    const auto items = ids.add(*to_flat(cast_to(arrays.items(), from, common, call.context)));
    const auto wanted = ids.add(*flat_as({call.column(1), wanted_type}, common, call.context));
    ArrayPicker out(call.rows);
    for (size_t i = 0; i < call.rows; ++i)
    {
        for (size_t j = arrays.begin(i); j < arrays.end(i); ++j)
            if (items[j] != wanted[i])
                out.pick(j);
        out.end_row();
    }
    return out.finish(*arrays.items());
}

constexpr FunctionSpec kConcat{"arrayConcat", "a...", concat_type, run_concat};
constexpr FunctionSpec kPushBack{"arrayPushBack", "a *", push_type, run_push<true>, kKeepNulls};
constexpr FunctionSpec kPushFront{"arrayPushFront", "a *", push_type, run_push<false>,
                                  kKeepNulls};
constexpr FunctionSpec kPopBack{"arrayPopBack", "a", type_of_first, run_pop<true>};
constexpr FunctionSpec kPopFront{"arrayPopFront", "a", type_of_first, run_pop<false>};
constexpr FunctionSpec kSlice{"arraySlice", "a i [ i", type_of_first, run_slice, kKeepNulls};
constexpr FunctionSpec kReverseArray{"arrayReverse", "a", type_of_first, run_reverse_array};
constexpr FunctionSpec kReverse{"reverse", "sa", type_of_first, run_reverse, kCaseInsensitive};
constexpr FunctionSpec kResize{"arrayResize", "a i [ *", checked_resize_type, run_resize,
                               kKeepNulls};
constexpr FunctionSpec kRotateLeft{"arrayRotateLeft", "a i", type_of_first, run_rotate<true>};
constexpr FunctionSpec kRotateRight{"arrayRotateRight", "a i", type_of_first, run_rotate<false>};
constexpr FunctionSpec kShiftLeft{"arrayShiftLeft", "a i [ *", resize_type, run_shift<true>};
constexpr FunctionSpec kShiftRight{"arrayShiftRight", "a i [ *", resize_type, run_shift<false>};
constexpr FunctionSpec kRemove{"arrayRemove", "a *", remove_type, run_remove, kKeepNulls,
                               "array_remove*"};

} // namespace

void register_array_edit(ScalarRegistry& registry)
{
    add_all<kConcat, kPushBack, kPushFront, kPopBack, kPopFront, kSlice, kReverseArray, kReverse,
            kResize, kRotateLeft, kRotateRight, kShiftLeft, kShiftRight, kRemove>(registry);
}

} // namespace basalt
