// bitmapBuild, bitmapToArray and the other functions over states of groupBitmap.

#include "functions/aggregate/bitmap.h"
#include "functions/aggregate_function.h"
#include "functions/scalar/array_items.h"

#include <fmt/core.h>

#include <unordered_map>

namespace basalt
{
namespace
{

TypePtr bitmap_of(const TypePtr& item)
{
    const auto function = aggregate_functions().get("groupBitmap", {item}, {});
    return std::make_shared<AggregateFunctionType>(
        function, "AggregateFunction(groupBitmap, " + item->name() + ")", Types{item});
}

void expect_bitmap(const TypeCall& call, size_t argument)
{
    const TypePtr item = bitmap_item_type(call.type(argument));
    if (!item || !visit_bitmap_item(item, [](auto) {}))
        throw_illegal_type(call.name, call.arguments, argument, "bitmap");
}

void expect_pair(const TypeCall& call)
{
    expect_bitmap(call, 0);
    expect_bitmap(call, 1);
    const TypePtr a = bitmap_item_type(call.type(0));
    const TypePtr b = bitmap_item_type(call.type(1));
    if (!same_type(a, b))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("The nested type in bitmaps must be the same, but one is {}, and "
                                "the other is {}",
                                a->name(), b->name()));
}

template <class T> class BitmapRows
{
public:
    explicit BitmapRows(const ColumnPtr& column)
        : owner_(to_flat(column)), states_(column_as<AggregateStateColumn>(owner_).states())
    {
    }
    const Bitmap<T>& operator[](size_t row) const
    {
        return std::launder(reinterpret_cast<const BitmapState<T>*>(states_[row]))->bitmap;
    }

private:
    ColumnPtr owner_;
    const PodVector<char*>& states_;
};

// Calls f(T{}) with the integer of the bitmap argument.
template <class F> void visit_argument(const Call& call, size_t argument, F&& f)
{
    visit_bitmap_item(bitmap_item_type(call.type(argument)), f);
}

// A column of bitmaps of result_type; make(row) gives each.
template <class T, class F> ColumnPtr make_bitmaps(const Call& call, F&& make)
{
    auto result = std::make_shared<AggregateStateColumn>(
        type_as<AggregateFunctionType>(call.result_type).ops());
    for (size_t i = 0; i < call.rows; ++i)
    {
        auto* state = std::launder(reinterpret_cast<BitmapState<T>*>(result->append_new()));
        state->bitmap = make(i);
        state->started = true;
    }
    return result;
}

TypePtr build_type(const TypeCall& call)
{
    const TypePtr& item = item_type(call.type(0));
    if (item->is(TypeId::Bool) || !visit_bitmap_item(item, [](auto) {}))
        throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                    fmt::format("Unexpected type {} of argument of function {}",
                                call.type(0)->name(), call.name));
    return bitmap_of(item);
}

ColumnPtr run_build(const Call& call)
{
    const ArrayRows arrays(call.column(0));
    ColumnPtr result;
    visit_bitmap_item(item_type(call.type(0)),
                      [&](auto item)
                      {
                          using T = decltype(item);
                          const auto& values = column_as<VectorColumn<T>>(arrays.items()).data();
                          result = make_bitmaps<T>(call,
                                                   [&](size_t i)
                                                   {
                                                       Bitmap<T> bitmap;
                                                       for (size_t j = arrays.begin(i);
                                                            j < arrays.end(i); ++j)
                                                           bitmap.add(values[j]);
                                                       return bitmap;
                                                   });
                      });
    return result;
}

TypePtr to_array_type(const TypeCall& call)
{
    expect_bitmap(call, 0);
    return array_of(bitmap_item_type(call.type(0)));
}

ColumnPtr run_to_array(const Call& call)
{
    ColumnPtr result;
    visit_argument(call, 0,
                   [&](auto item)
                   {
                       using T = decltype(item);
                       const BitmapRows<T> rows(call.column(0));
                       auto items = std::make_shared<VectorColumn<T>>();
                       PodVector<uint64_t> offsets;
                       for (size_t i = 0; i < call.rows; ++i)
                       {
                           if (rows[i].size() > kMaxArrayItems - items->size())
                               throw Error(error_codes::TOO_LARGE_ARRAY_SIZE,
                                           fmt::format("Too large array size, maximum: {}",
                                                       kMaxArrayItems));
                           rows[i].for_each([&](T value) { items->data().push_back(value); });
                           offsets.push_back(items->size());
                       }
                       result = make_array(items, std::move(offsets));
                   });
    return result;
}

enum class Pair : uint8_t
{
    And,
    Or,
    Xor,
    Andnot,
};

template <class T> Bitmap<T> combined(Pair pair, Bitmap<T> left, const Bitmap<T>& right)
{
    switch (pair)
    {
        case Pair::And: left.intersect(right); break;
        case Pair::Or: left.unite(right); break;
        case Pair::Xor: left.exclusive(right); break;
        case Pair::Andnot: left.subtract(right); break;
    }
    return left;
}

TypePtr pair_type(const TypeCall& call)
{
    expect_pair(call);
    return bitmap_of(bitmap_item_type(call.type(0)));
}

template <TypeId kId> TypePtr pair_number_type(const TypeCall& call)
{
    expect_pair(call);
    return simple_type(kId);
}

template <Pair kPair> ColumnPtr run_pair(const Call& call)
{
    ColumnPtr result;
    visit_argument(call, 0,
                   [&](auto item)
                   {
                       using T = decltype(item);
                       const BitmapRows<T> lefts(call.column(0));
                       const BitmapRows<T> rights(call.column(1));
                       result = make_bitmaps<T>(
                           call, [&](size_t i) { return combined(kPair, lefts[i], rights[i]); });
                   });
    return result;
}

// f(left, right) of every row.
template <class Out, class F> ColumnPtr map_pairs(const Call& call, F&& f)
{
    ColumnPtr result;
    visit_argument(call, 0,
                   [&](auto item)
                   {
                       using T = decltype(item);
                       const BitmapRows<T> lefts(call.column(0));
                       const BitmapRows<T> rights(call.column(1));
                       result = map_rows<Out>(call.rows,
                                              [&](size_t i) { return f(lefts[i], rights[i]); });
                   });
    return result;
}

template <Pair kPair> ColumnPtr run_pair_size(const Call& call)
{
    return map_pairs<uint64_t>(call, [](const auto& left, const auto& right)
                               { return combined(kPair, left, right).size(); });
}

ColumnPtr run_has_any(const Call& call)
{
    return map_pairs<uint8_t>(call, [](const auto& left, const auto& right)
                              { return combined(Pair::And, left, right).size() != 0; });
}

ColumnPtr run_has_all(const Call& call)
{
    return map_pairs<uint8_t>(call, [](const auto& left, const auto& right)
                              { return combined(Pair::Andnot, right, left).size() == 0; });
}

template <TypeId kId> TypePtr number_type(const TypeCall& call)
{
    expect_bitmap(call, 0);
    return simple_type(kId);
}

enum class One : uint8_t
{
    Size,
    Least,
    Greatest,
};

template <One kOne> ColumnPtr run_one(const Call& call)
{
    ColumnPtr result;
    visit_argument(call, 0,
                   [&](auto item)
                   {
                       using T = decltype(item);
                       const BitmapRows<T> rows(call.column(0));
                       result = map_rows<uint64_t>(
                           call.rows,
                           [&](size_t i)
                           {
                               if (kOne == One::Size)
                                   return rows[i].size();
                               constexpr uint64_t kNoLeast =
                                   sizeof(T) == 8 ? UINT64_MAX : UINT32_MAX;
                               uint64_t best = kOne == One::Least ? kNoLeast : 0;
                               rows[i].for_each(
                                   [&](T given)
                                   {
                                       const auto value = static_cast<uint64_t>(given);
                                       best = kOne == One::Least ? std::min(best, value)
                                                                 : std::max(best, value);
                                   });
                               return best;
                           });
                   });
    return result;
}

ColumnPtr run_contains(const Call& call)
{
    const IntegerRows values(call[1]);
    ColumnPtr result;
    visit_argument(call, 0,
                   [&](auto item)
                   {
                       using T = decltype(item);
                       const BitmapRows<T> rows(call.column(0));
                       result = map_rows<uint8_t>(call.rows,
                                                  [&](size_t i)
                                                  {
                                                      const auto value = static_cast<T>(values[i]);
                                                      return static_cast<int64_t>(value) ==
                                                                 values[i] &&
                                                             rows[i].contains(value);
                                                  });
                   });
    return result;
}

TypePtr same_bitmap_type(const TypeCall& call)
{
    expect_bitmap(call, 0);
    return bitmap_of(bitmap_item_type(call.type(0)));
}

// f(values of the bitmap, first number, second number) gives the values that stay.
template <class F> ColumnPtr map_subsets(const Call& call, F&& f)
{
    const ColumnPtr first = cast_to(call[1], simple_type(TypeId::UInt64), call.context);
    const ColumnPtr second = cast_to(call[2], simple_type(TypeId::UInt64), call.context);
    const NumberRows<uint64_t> firsts(first);
    const NumberRows<uint64_t> seconds(second);
    ColumnPtr result;
    visit_argument(call, 0,
                   [&](auto item)
                   {
                       using T = decltype(item);
                       const BitmapRows<T> rows(call.column(0));
                       result = make_bitmaps<T>(
                           call,
                           [&](size_t i)
                           {
                               Bitmap<T> bitmap;
                               for (const T value :
                                    f(rows[i].values(), firsts[i], seconds[i]))
                                   bitmap.add(value);
                               return bitmap;
                           });
                   });
    return result;
}

ColumnPtr run_range(const Call& call)
{
    return map_subsets(call,
                       [](auto values, uint64_t begin, uint64_t end)
                       {
                           std::erase_if(values,
                                         [&](auto value)
                                         {
                                             const auto key = static_cast<uint64_t>(value);
                                             return key < begin || key >= end;
                                         });
                           return values;
                       });
}

// The `limit` least values from `begin` on, each in the place where it came.
ColumnPtr run_limit(const Call& call)
{
    return map_subsets(call,
                       [](auto values, uint64_t begin, uint64_t limit)
                       {
                           decltype(values) kept;
                           for (const auto value : values)
                           {
                               if (static_cast<uint64_t>(value) < begin || limit == 0)
                                   continue;
                               if (kept.size() < limit)
                               {
                                   kept.push_back(value);
                                   continue;
                               }
                               const auto most = std::max_element(kept.begin(), kept.end());
                               if (value < *most)
                                   *most = value;
                               else if (std::is_sorted(values.begin(), values.end()))
                                   break;
                           }
                           return kept;
                       });
}

ColumnPtr run_sub(const Call& call)
{
    return map_subsets(call,
                       [](auto values, uint64_t offset, uint64_t limit)
                       {
                           const auto size = static_cast<uint64_t>(values.size());
                           offset = std::min(offset, size);
                           limit = std::min(limit, size - offset);
                           const auto begin = values.begin() + static_cast<ptrdiff_t>(offset);
                           return decltype(values)(begin, begin + static_cast<ptrdiff_t>(limit));
                       });
}

ColumnPtr run_transform(const Call& call)
{
    const TypePtr item_of = bitmap_item_type(call.type(0));
    const ColumnPtr from = flat_as(call[1], array_of(item_of), call.context);
    const ColumnPtr to = flat_as(call[2], array_of(item_of), call.context);
    const ArrayRows froms(from);
    const ArrayRows tos(to);
    ColumnPtr result;
    visit_argument(
        call, 0,
        [&](auto item)
        {
            using T = decltype(item);
            const BitmapRows<T> rows(call.column(0));
            const auto& old_values = column_as<VectorColumn<T>>(froms.items()).data();
            const auto& new_values = column_as<VectorColumn<T>>(tos.items()).data();
            result = make_bitmaps<T>(
                call,
                [&](size_t i)
                {
                    if (froms.length(i) != tos.length(i))
                        throw Error(error_codes::BAD_ARGUMENTS,
                                    "From array size and to array size mismatch");
                    // One replacement after another.
                    Bitmap<T> bitmap = rows[i];
                    for (size_t j = 0; j < froms.length(i); ++j)
                    {
                        Bitmap<T> one;
                        one.add(old_values[froms.begin(i) + j]);
                        if (!bitmap.contains(old_values[froms.begin(i) + j]))
                            continue;
                        bitmap.subtract(one);
                        bitmap.add(new_values[tos.begin(i) + j]);
                    }
                    return bitmap;
                });
        });
    return result;
}

constexpr auto kSizeOfPair = pair_number_type<TypeId::UInt64>;
constexpr auto kTest = pair_number_type<TypeId::UInt8>;
constexpr FunctionSpec kBuild{"bitmapBuild", "a", build_type, run_build};
constexpr FunctionSpec kToArray{"bitmapToArray", "*", to_array_type, run_to_array};
constexpr FunctionSpec kAnd{"bitmapAnd", "* *", pair_type, run_pair<Pair::And>};
constexpr FunctionSpec kOr{"bitmapOr", "* *", pair_type, run_pair<Pair::Or>};
constexpr FunctionSpec kXor{"bitmapXor", "* *", pair_type, run_pair<Pair::Xor>};
constexpr FunctionSpec kAndnot{"bitmapAndnot", "* *", pair_type, run_pair<Pair::Andnot>};
constexpr FunctionSpec kAndSize{"bitmapAndCardinality", "* *", kSizeOfPair,
                                run_pair_size<Pair::And>};
constexpr FunctionSpec kOrSize{"bitmapOrCardinality", "* *", kSizeOfPair, run_pair_size<Pair::Or>};
constexpr FunctionSpec kXorSize{"bitmapXorCardinality", "* *", kSizeOfPair,
                                run_pair_size<Pair::Xor>};
constexpr FunctionSpec kAndnotSize{"bitmapAndnotCardinality", "* *", kSizeOfPair,
                                   run_pair_size<Pair::Andnot>};
constexpr FunctionSpec kHasAny{"bitmapHasAny", "* *", kTest, run_has_any};
constexpr FunctionSpec kHasAll{"bitmapHasAll", "* *", kTest, run_has_all};
constexpr FunctionSpec kSize{"bitmapCardinality", "*", number_type<TypeId::UInt64>,
                             run_one<One::Size>};
constexpr FunctionSpec kMin{"bitmapMin", "*", number_type<TypeId::UInt64>, run_one<One::Least>};
constexpr FunctionSpec kMax{"bitmapMax", "*", number_type<TypeId::UInt64>, run_one<One::Greatest>};
constexpr FunctionSpec kContains{"bitmapContains", "* i", number_type<TypeId::UInt8>,
                                 run_contains};
constexpr FunctionSpec kRange{"bitmapSubsetInRange", "* i i", same_bitmap_type, run_range};
constexpr FunctionSpec kLimit{"bitmapSubsetLimit", "* i i", same_bitmap_type, run_limit};
constexpr FunctionSpec kSub{"subBitmap", "* i i", same_bitmap_type, run_sub};
constexpr FunctionSpec kTransform{"bitmapTransform", "* a a", same_bitmap_type, run_transform};

} // namespace

void register_bitmaps(ScalarRegistry& registry)
{
    add_all<kBuild, kToArray, kAnd, kOr, kXor, kAndnot, kAndSize, kOrSize, kXorSize, kAndnotSize,
            kHasAny, kHasAll, kSize, kMin, kMax, kContains, kRange, kLimit, kSub, kTransform>(
        registry);
}

} // namespace basalt
