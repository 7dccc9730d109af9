// if, multiIf, caseWithExpression.

#include "base/error.h"
#include "functions/cast.h"
#include "functions/choose_rows.h"
#include "functions/condition_masks.h"
#include "functions/named_function.h"

#include <fmt/format.h>

#include <algorithm>

namespace basalt
{

namespace
{

constexpr size_t kMaxBranches = 65000;

TypePtr branches_type(const Types& types)
{
    const bool same = std::all_of(types.begin(), types.end(), [&](const TypePtr& type)
                                  { return same_type(type, types[0]); });
    if (same)
        return types[0];
    Types plain;
    for (const auto& type : types)
        plain.push_back(remove_low_cardinality(type));
    return common_type(plain);
}

// masks[k] decides branch k; the last value is for rows that none of them takes.
ColumnPtr choose_branches(const std::vector<TernaryMask>& masks, const Arguments& values,
                          const TypePtr& type, size_t rows, const QueryContext& context)
{
    PodVector<uint16_t> which(rows, static_cast<uint16_t>(masks.size()));
    PodVector<size_t> counts(masks.size() + 1, size_t{0});
    for (size_t k = masks.size(); k-- > 0;)
        for (size_t i = 0; i < rows; ++i)
            which[i] = masks[k][i] == 1 ? static_cast<uint16_t>(k) : which[i];
    for (size_t i = 0; i < rows; ++i)
        ++counts[which[i]];
    std::vector<ChoiceSource> sources(values.size());
    for (size_t k = 0; k < values.size(); ++k)
    {
        if (counts[k] == 0)
        {
            sources[k].column = make_constant(type, type->default_value(), rows);
            continue;
        }
        sources[k].column = cast_column(values[k].column, values[k].type, type, context);
        if (counts[k] == rows)
            return sources[k].column;
    }
    return choose_rows(type, std::move(sources), which);
}

class MultiIf final : public NamedFunction
{
public:
    explicit MultiIf(std::string name) : NamedFunction(std::move(name)) {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        const size_t count = arguments.size();
        if (name() == "if")
            check_argument_count(*this, count, 3);
        else if (count < 3 || count % 2 == 0 || count / 2 > kMaxBranches)
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        "Invalid number of arguments for function " + name());
        Types types;
        for (size_t i = 0; i + 1 < count; i += 2)
        {
            const TypePtr plain = strip_wrappers(arguments[i].type);
            if (!plain->is_integer() && !plain->is(TypeId::Nothing) && !plain->is_float())
                throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                            fmt::format("Illegal type {} of {} argument (condition) of function "
                                        "{}. Must be UInt8",
                                        arguments[i].type->name(),
                                        i == 0 ? "first" : "condition", name()));
            types.push_back(arguments[i + 1].type);
        }
        types.push_back(arguments.back().type);
        return branches_type(types);
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        std::vector<TernaryMask> masks(arguments.size() / 2);
        Arguments values;
        for (size_t k = 0; k < masks.size(); ++k)
        {
            BASALT_ASSERT(column_to_ternary(*arguments[2 * k].column, masks[k]));
            values.push_back(arguments[2 * k + 1]);
        }
        values.push_back(arguments.back());
        return choose_branches(masks, values, result_type, rows, context);
    }

    bool default_nulls() const override { return false; }
    bool default_low_cardinality() const override { return false; }
    bool worth_short_circuit() const override { return false; }
};

class CaseWithExpression final : public NamedFunction
{
public:
    CaseWithExpression() : NamedFunction("caseWithExpression") {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        if (arguments.size() < 4 || arguments.size() % 2 != 0)
            throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                        "Function caseWithExpression expects an expression, pairs of a value and "
                        "a result, and a result for everything else");
        Types types;
        for (size_t i = 2; i < arguments.size(); i += 2)
            types.push_back(arguments[i].type);
        types.push_back(arguments.back().type);
        return branches_type(types);
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr& result_type, size_t rows,
                      const QueryContext& context) const override
    {
        const auto equals = scalar_functions().get("isNotDistinctFrom", context);
        std::vector<TernaryMask> masks;
        Arguments values;
        for (size_t i = 1; i + 1 < arguments.size(); i += 2)
        {
            const Arguments pair{arguments[0], arguments[i]};
            const TypePtr type = resolve_type(*equals, pair);
            BASALT_ASSERT(column_to_ternary(*call_function(*equals, pair, type, rows, context),
                                            masks.emplace_back()));
            values.push_back(arguments[i + 1]);
        }
        values.push_back(arguments.back());
        return choose_branches(masks, values, result_type, rows, context);
    }

    bool default_nulls() const override { return false; }
    bool default_low_cardinality() const override { return false; }
};

} // namespace

void register_conditional(ScalarRegistry& registry)
{
    registry.add(
        "if", [](const QueryContext&) -> ScalarFunctionPtr
        { return std::make_shared<MultiIf>("if"); }, true);
    registry.add("multiIf", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<MultiIf>("multiIf"); });
    registry.add("caseWithExpression", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<CaseWithExpression>(); });
    registry.add_alias("caseWithExpr", "caseWithExpression");
    registry.add_alias("caseWithoutExpression", "multiIf");
    registry.add_alias("caseWithoutExpr", "multiIf");
}

} // namespace basalt
