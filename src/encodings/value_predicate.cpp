#include "encodings/value_predicate.h"

#include "encodings/page_pattern.h"
#include "encodings/predicate_masks.h"

namespace basalt::inline encodings
{

namespace
{

bool evaluate_strings(const PagePredicate& predicate, const StringColumn& values, uint8_t* mask)
{
    if (const auto pattern = PagePattern::make(predicate))
    {
        for (size_t i = 0; i < values.size(); ++i)
            mask[i] = pattern->matches(values.at(i));
        return true;
    }
    const auto test = TextPredicate::make(predicate);
    if (!test)
        return false;
    for (size_t i = 0; i < values.size(); ++i)
        mask[i] = test->matches(values.at(i));
    return true;
}

} // namespace

bool evaluate_values(const PagePredicate& predicate, const Column& values, uint8_t* mask)
{
    if (values.form() == ColumnForm::Nullable)
    {
        const auto& nullable = column_as<NullableColumn>(values);
        if (!evaluate_values(predicate, *nullable.nested(), mask))
            return false;
        for (size_t i = 0; i < values.size(); ++i)
            mask[i] &= nullable.null_map()[i] == 0;
        return true;
    }
    if (values.form() == ColumnForm::String)
        return evaluate_strings(predicate, column_as<StringColumn>(values), mask);
    return false;
}

} // namespace basalt::encodings
