#include "functions/function.h"

#include "functions/dictionary_results.h"

#include <algorithm>

namespace basalt
{

namespace
{

TypePtr without_aggregate_wrapper(const TypePtr& type)
{
    return type->is(TypeId::SimpleAggregateFunction)
               ? type_as<SimpleAggregateFunctionType>(type).nested()
               : type;
}

const TypePtr& null_type()
{
    static const TypePtr type = std::make_shared<NullableType>(simple_type(TypeId::Nothing));
    return type;
}

// The value column below a Nullable one, in the same form (flat or constant).
ColumnPtr unwrap_nullable(const ColumnPtr& column)
{
    if (column->form() == ColumnForm::Constant)
    {
        const auto& constant = column_as<ConstantColumn>(column);
        if (constant.nested()->form() != ColumnForm::Nullable)
            return column;
        return std::make_shared<ConstantColumn>(
            column_as<NullableColumn>(constant.nested()).nested(), column->size());
    }
    if (column->form() == ColumnForm::Nullable)
        return column_as<NullableColumn>(column).nested();
    return column;
}

TypePtr resolve_with_nulls(const ScalarFunction& function, const Arguments& arguments)
{
    if (!function.default_nulls())
        return function.return_type(arguments);
    bool has_nullable = false;
    for (const auto& argument : arguments)
    {
        if (is_null_type(argument.type))
            return null_type();
        has_nullable = has_nullable || argument.type->is_nullable();
    }
    if (!has_nullable)
        return function.return_type(arguments);
    Arguments plain = arguments;
    for (auto& argument : plain)
    {
        if (!argument.type->is_nullable())
            continue;
        argument.type = remove_nullable(argument.type);
        if (argument.column)
            argument.column = argument.column->is_null_at(0)
                                  ? nullptr
                                  : unwrap_nullable(argument.column);
    }
    const TypePtr result = function.return_type(plain);
    return can_be_inside_nullable(result) ? make_nullable(result) : result;
}

ColumnPtr execute_constants(const ScalarFunction& function, const Arguments& arguments,
                            const TypePtr& result_type, size_t rows, const QueryContext& context)
{
    const auto keep = function.constant_arguments();
    Arguments one_row = arguments;
    for (size_t i = 0; i < one_row.size(); ++i)
    {
        const auto& constant = column_as<ConstantColumn>(one_row[i].column);
        if (std::find(keep.begin(), keep.end(), i) != keep.end())
            one_row[i].column = constant.with_rows(1);
        else
            one_row[i].column = constant.nested();
    }
    ColumnPtr result = to_flat(function.execute(one_row, result_type, 1, context));
    return std::make_shared<ConstantColumn>(std::move(result), rows);
}

// Arguments without Nullable or LowCardinality as far as the function wants that.
ColumnPtr execute_plain(const ScalarFunction& function, Arguments arguments,
                        const TypePtr& result_type, size_t rows, const QueryContext& context)
{
    if (!arguments.empty() && function.default_constants())
    {
        const bool all_constant = std::all_of(arguments.begin(), arguments.end(),
                                              [](const Argument& argument)
                                              { return is_constant(*argument.column); });
        if (all_constant)
            return execute_constants(function, arguments, result_type, rows, context);
    }
    return function.execute(arguments, result_type, rows, context);
}

Arguments take_rows(const Arguments& arguments, const RowIndexes& rows)
{
    Arguments taken = arguments;
    for (auto& argument : taken)
        argument.column = argument.column->take(rows);
    return taken;
}

// Runs on the rows where no argument is NULL, and spreads the result.
ColumnPtr execute_without_null_rows(const ScalarFunction& function, const Arguments& arguments,
                                    const TypePtr& value_type, const PodVector<uint8_t>& nulls,
                                    const QueryContext& context)
{
    const size_t rows = nulls.size();
    RowIndexes kept;
    for (size_t i = 0; i < rows; ++i)
        if (!nulls[i])
            kept.push_back(static_cast<uint32_t>(i));
    auto result = value_type->create_column();
    if (kept.empty())
    {
        result->append_defaults(rows);
        return result;
    }
    const ColumnPtr values = to_flat(execute_plain(function, take_rows(arguments, kept),
                                                   value_type, kept.size(), context));
    size_t next = 0;
    for (size_t i = 0; i < rows; ++i)
    {
        if (nulls[i])
            result->append_default();
        else
            result->append_from(*values, next++);
    }
    return result;
}

ColumnPtr execute_with_nulls(const ScalarFunction& function, const Arguments& arguments,
                             const TypePtr& result_type, size_t rows, const QueryContext& context)
{
    bool any_nullable = false;
    for (const auto& argument : arguments)
    {
        if (is_null_type(argument.type) ||
            (is_constant(*argument.column) && argument.column->is_null_at(0)))
        {
            if (!result_type->is_nullable())
                return make_constant(result_type, result_type->default_value(), rows);
            return make_constant(result_type, Null{}, rows);
        }
        any_nullable = any_nullable || argument.type->is_nullable();
    }
    if (!any_nullable)
        return execute_plain(function, arguments, result_type, rows, context);

    Arguments plain = arguments;
    std::vector<const PodVector<uint8_t>*> maps;
    ColumnPtr single_map;
    for (auto& argument : plain)
    {
        if (!argument.type->is_nullable())
            continue;
        argument.type = remove_nullable(argument.type);
        if (argument.column->form() == ColumnForm::Nullable)
        {
            const auto& column = column_as<NullableColumn>(argument.column);
            maps.push_back(&column.null_map());
            single_map = column.null_column();
        }
        argument.column = unwrap_nullable(argument.column);
    }
    const TypePtr value_type = remove_nullable(result_type);
    ColumnPtr nulls = single_map;
    if (maps.size() != 1)
    {
        auto merged = std::make_shared<VectorColumn<uint8_t>>(rows, uint8_t{0});
        for (const auto* map : maps)
            for (size_t i = 0; i < rows; ++i)
                merged->data()[i] |= (*map)[i];
        nulls = merged;
    }
    const auto& null_map = column_as<VectorColumn<uint8_t>>(nulls).data();
    const size_t null_rows = count_kept(null_map);

    // What the function itself returns for plain arguments: Nullable when its answer can be NULL.
    TypePtr own_type = value_type;
    if (result_type->is_nullable())
    {
        Arguments for_type = plain;
        for (auto& argument : for_type)
            if (!is_constant(*argument.column))
                argument.column = nullptr;
        own_type = remove_low_cardinality(function.return_type(for_type));
    }

    if (null_rows == rows)
        return make_constant(result_type, result_type->default_value(), rows);
    ColumnPtr values;
    if (null_rows == 0)
        values = execute_plain(function, plain, own_type, rows, context);
    else
    {
        // Below a NULL stands any value, which the function may refuse.
        try
        {
            values = execute_plain(function, plain, own_type, rows, context);
        }
        catch (const Error&)
        {
            values = execute_without_null_rows(function, plain, own_type, null_map, context);
        }
    }
    if (!result_type->is_nullable())
        return values;
    if (maps.empty() && is_constant(*values))
    {
        const auto& one = column_as<ConstantColumn>(values).nested();
        if (one->form() == ColumnForm::Nullable)
            return values;
        return std::make_shared<ConstantColumn>(
            NullableColumn::make(one, std::make_shared<VectorColumn<uint8_t>>(1, uint8_t{0})),
            rows);
    }
    values = to_flat(values);
    if (values->form() == ColumnForm::Nullable)
    {
        const auto& own = column_as<NullableColumn>(values);
        auto merged = std::make_shared<VectorColumn<uint8_t>>(own.null_map());
        for (size_t i = 0; i < rows; ++i)
            merged->data()[i] |= null_map[i];
        return NullableColumn::make(own.nested(), merged);
    }
    return NullableColumn::make(values, nulls);
}

ColumnPtr execute_flat(const ScalarFunction& function, Arguments arguments,
                       const TypePtr& result_type, size_t rows, const QueryContext& context)
{
    // A dictionary that holds NULL is flattened for functions that see values only.
    for (auto& argument : arguments)
        if (!function.takes_dictionaries() ||
            (function.default_nulls() && argument.type->is_nullable()))
            argument.column = to_flat_keeping_constant(argument.column);
    if (function.default_nulls())
        return execute_with_nulls(function, arguments, result_type, rows, context);
    return execute_plain(function, std::move(arguments), result_type, rows, context);
}

// The number of the only dictionary argument when all others are constant; -1 otherwise.
int only_dictionary(const Arguments& arguments)
{
    int found = -1;
    for (size_t i = 0; i < arguments.size(); ++i)
    {
        const auto form = arguments[i].column->form();
        if (form == ColumnForm::Constant)
            continue;
        if (form != ColumnForm::Dictionary || found != -1)
            return -1;
        found = static_cast<int>(i);
    }
    return found;
}

ColumnPtr result_for_dictionary(const ScalarFunction& function, Arguments arguments,
                                size_t number, const ColumnPtr& dictionary,
                                const TypePtr& result_type, const QueryContext& context)
{
    const size_t entries = dictionary->size();
    for (auto& argument : arguments)
        if (is_constant(*argument.column))
            argument.column = column_as<ConstantColumn>(argument.column).with_rows(entries);
    arguments[number].column = dictionary;
    return to_flat(execute_flat(function, std::move(arguments), result_type, entries, context));
}

// Only the entries that rows use, with codes renumbered.
ColumnPtr compact_dictionary(const DictionaryColumn& column)
{
    constexpr uint32_t kUnused = ~uint32_t{0};
    PodVector<uint32_t> new_codes(column.dictionary()->size(), kUnused);
    RowIndexes used;
    PodVector<uint32_t> codes(column.codes().size());
    for (size_t i = 0; i < codes.size(); ++i)
    {
        uint32_t& code = new_codes[column.codes()[i]];
        if (code == kUnused)
        {
            code = static_cast<uint32_t>(used.size());
            used.push_back(column.codes()[i]);
        }
        codes[i] = code;
    }
    return std::make_shared<DictionaryColumn>(column.dictionary()->take(used), std::move(codes));
}

// The number of a dictionary argument when all others are constant or dictionaries with the same
// codes: then rows with one code have one result. -1 otherwise.
int aligned_dictionaries(const Arguments& arguments)
{
    int found = -1;
    const DictionaryColumn* first = nullptr;
    for (size_t i = 0; i < arguments.size(); ++i)
    {
        const auto form = arguments[i].column->form();
        if (form == ColumnForm::Constant)
            continue;
        if (form != ColumnForm::Dictionary)
            return -1;
        const auto& column = column_as<DictionaryColumn>(arguments[i].column);
        if (!first)
        {
            first = &column;
            found = static_cast<int>(i);
        }
        else if (column.dictionary()->size() != first->dictionary()->size() ||
                 column.size() != first->size() ||
                 std::memcmp(column.codes().data(), first->codes().data(),
                             column.size() * sizeof(uint32_t)) != 0)
            return -1;
    }
    return found;
}

// Null where an entry that no row uses is refused, and where there are not much fewer entries.
ColumnPtr execute_on_aligned(const ScalarFunction& function, const Arguments& arguments,
                             size_t number, const TypePtr& result_type,
                             const QueryContext& context)
{
    constexpr size_t kRowsPerEntry = 4;
    const auto& column = column_as<DictionaryColumn>(arguments[number].column);
    const size_t entries = column.dictionary()->size();
    if (entries * kRowsPerEntry > column.size())
        return nullptr;
    Arguments of_entries = arguments;
    for (auto& argument : of_entries)
        if (is_constant(*argument.column))
            argument.column = column_as<ConstantColumn>(argument.column).with_rows(entries);
        else
            argument.column = column_as<DictionaryColumn>(argument.column).dictionary();
    try
    {
        return std::make_shared<DictionaryColumn>(
            to_flat(execute_flat(function, std::move(of_entries), result_type, entries, context)),
            column.codes());
    }
    catch (const Error&)
    {
        return nullptr;
    }
}

// Past this many entries per row it is cheaper to look at the rows.
constexpr size_t kMaxEntriesPerRow = 1;

ColumnPtr execute_on_dictionary(const ScalarFunction& function, const Arguments& arguments,
                                size_t number, const TypePtr& result_type,
                                const QueryContext& context, DictionaryResults* results)
{
    const auto& column = column_as<DictionaryColumn>(arguments[number].column);
    const ColumnPtr& dictionary = column.dictionary();
    if (results)
        if (ColumnPtr known = results->find(dictionary))
            return std::make_shared<DictionaryColumn>(std::move(known), column.codes());
    const size_t rows = column.size();
    const bool shared = results && dictionary.use_count() > 1 &&
                        dictionary->size() <= DictionaryResults::kMaxSharedEntries;
    if (shared || dictionary->size() <= rows * kMaxEntriesPerRow)
    {
        try
        {
            ColumnPtr values = result_for_dictionary(function, arguments, number, dictionary,
                                                     result_type, context);
            if (shared)
                results->remember(dictionary, values);
            return std::make_shared<DictionaryColumn>(std::move(values), column.codes());
        }
        catch (const Error&)
        {
            // An entry that no row uses may be what the function refuses: below, only used ones.
        }
    }
    const ColumnPtr compact = compact_dictionary(column);
    const auto& used = column_as<DictionaryColumn>(compact);
    ColumnPtr values = result_for_dictionary(function, arguments, number, used.dictionary(),
                                             result_type, context);
    return std::make_shared<DictionaryColumn>(std::move(values), used.codes());
}

} // namespace

bool is_null_type(const TypePtr& type)
{
    return type->is_nullable() && type_as<NullableType>(type).nested()->is(TypeId::Nothing);
}

ColumnPtr to_flat_keeping_constant(const ColumnPtr& column)
{
    return column->form() == ColumnForm::Dictionary ? column->to_flat() : column;
}

TypePtr resolve_type(const ScalarFunction& function, const Arguments& arguments)
{
    if (!function.default_low_cardinality())
        return resolve_with_nulls(function, arguments);
    Arguments plain = arguments;
    size_t low_cardinality = 0;
    size_t varying_low_cardinality = 0;
    size_t varying_others = 0;
    for (auto& argument : plain)
    {
        argument.type = without_aggregate_wrapper(argument.type);
        if (argument.type->is_low_cardinality())
        {
            ++low_cardinality;
            varying_low_cardinality += argument.column == nullptr;
        }
        else
            varying_others += argument.column == nullptr;
        argument.type = remove_low_cardinality_deep(argument.type);
    }
    const TypePtr type = resolve_with_nulls(function, plain);
    if (low_cardinality > 0 && function.default_dictionary() && varying_low_cardinality <= 1 &&
        varying_others == 0 && !type->is_low_cardinality() &&
        can_be_inside_low_cardinality(type))
        return std::make_shared<LowCardinalityType>(type);
    return type;
}

ColumnPtr call_function(const ScalarFunction& function, const Arguments& arguments,
                        const TypePtr& result_type, size_t rows, const QueryContext& context)
{
    return call_function(function, arguments, result_type, rows, context, nullptr);
}

ColumnPtr call_function(const ScalarFunction& function, const Arguments& arguments,
                        const TypePtr& result_type, size_t rows, const QueryContext& context,
                        DictionaryResults* results)
{
    if (rows == 0)
        return result_type->create_column();
    Arguments plain = arguments;
    TypePtr plain_result = result_type;
    if (function.default_low_cardinality())
    {
        for (auto& argument : plain)
            argument.type = remove_low_cardinality_deep(without_aggregate_wrapper(argument.type));
        plain_result = remove_low_cardinality(result_type);
    }
    if (function.default_dictionary() && function.deterministic_in_query())
    {
        const int number = only_dictionary(plain);
        if (number >= 0)
            return execute_on_dictionary(function, plain, static_cast<size_t>(number),
                                         plain_result, context, results);
        if (const int aligned = aligned_dictionaries(plain); aligned >= 0)
            if (ColumnPtr result = execute_on_aligned(function, plain,
                                                      static_cast<size_t>(aligned), plain_result,
                                                      context))
                return result;
    }
    return execute_flat(function, std::move(plain), plain_result, rows, context);
}

ColumnPtr DictionaryResults::find(const ColumnPtr& dictionary) const
{
    const std::lock_guard lock(mutex_);
    for (const auto& entry : entries_)
        if (entry.dictionary == dictionary)
            return entry.values;
    return nullptr;
}

void DictionaryResults::remember(const ColumnPtr& dictionary, const ColumnPtr& values)
{
    const std::lock_guard lock(mutex_);
    if (entries_.size() < kMaxDictionaries)
        entries_.push_back({dictionary, values});
    else
    {
        entries_[next_] = {dictionary, values};
        next_ = (next_ + 1) % kMaxDictionaries;
    }
}

} // namespace basalt
