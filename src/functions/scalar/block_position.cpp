// blockNumber, blockSize, rowNumberInBlock, rowNumberInAllBlocks, runningDifference, neighbor:
// answers that depend on where in the blocks a row stands.

#include "base/error.h"
#include "functions/arithmetic.h"
#include "functions/cast.h"
#include "functions/choose_rows.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

#include <fmt/format.h>

#include <atomic>

namespace basalt
{

namespace
{

class BlockFunction : public NamedFunction
{
public:
    using NamedFunction::NamedFunction;
    bool default_constants() const override { return false; }
    bool default_dictionary() const override { return false; }
    bool deterministic() const override { return false; }
    bool deterministic_in_query() const override { return false; }
    bool worth_short_circuit() const override { return false; }
};

enum class Position : uint8_t
{
    BlockNumber,
    BlockSize,
    RowInBlock,
    RowInAllBlocks,
};

class BlockPosition final : public BlockFunction
{
public:
    BlockPosition(std::string name, Position position)
        : BlockFunction(std::move(name)), position_(position)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 0);
        return simple_type(TypeId::UInt64);
    }
    ColumnPtr execute(const Arguments&, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        if (position_ == Position::BlockSize)
            return make_constant(type, Value(uint64_t{rows}), rows);
        if (position_ == Position::BlockNumber)
            return make_constant(type, Value(uint64_t{seen_.fetch_add(1)}), rows);
        const uint64_t first = position_ == Position::RowInAllBlocks ? seen_.fetch_add(rows) : 0;
        auto result = std::make_shared<VectorColumn<uint64_t>>(rows);
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = first + i;
        return result;
    }

private:
    Position position_;
    mutable std::atomic<uint64_t> seen_{0}; // blocks or rows so far
};

void check_allowed(const ScalarFunction& function, const QueryContext& context)
{
    if (!context.settings.get_bool("allow_deprecated_error_prone_window_functions"))
        throw Error(error_codes::DEPRECATED_FUNCTION,
                    fmt::format("Function {} is deprecated since its usage is error-prone. Please "
                                "use a window function or set "
                                "`allow_deprecated_error_prone_window_functions` to enable it",
                                function.name()));
}

class RunningDifference final : public BlockFunction
{
public:
    RunningDifference(std::string name, bool first_is_zero, const QueryContext& context)
        : BlockFunction(std::move(name)), first_is_zero_(first_is_zero), context_(context)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_allowed(*this, context_);
        check_argument_count(*this, arguments.size(), 1);
        const TypePtr& type = arguments[0].type;
        if (type->is(TypeId::Date))
            return simple_type(TypeId::Int32);
        if (type->is(TypeId::DateTime))
            return simple_type(TypeId::Int64);
        const TypePtr result =
            is_plain_number(*type) ? number_result_type(ArithmeticOp::Minus, *type, *type) : nullptr;
        if (!result)
            throw_illegal_type(*this, type);
        return result;
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext&) const override
    {
        const ColumnPtr numbers = convert_numbers(to_flat(arguments[0].column),
                                                  arguments[0].type->physical(), type->physical());
        ColumnPtr result;
        dispatch_vector(type->physical(),
                        [&]<class Tag>(Tag)
                        {
                            using T = typename Tag::type;
                            const auto& data = column_as<VectorColumn<T>>(numbers).data();
                            auto out = std::make_shared<VectorColumn<T>>(rows);
                            for (size_t i = 0; i < rows; ++i)
                                out->data()[i] = i == 0 ? (first_is_zero_ ? T(0) : data[0])
                                                        : static_cast<T>(data[i] - data[i - 1]);
                            result = out;
                        });
        return result;
    }

private:
    bool first_is_zero_;
    const QueryContext& context_;
};

class Neighbor final : public BlockFunction
{
public:
    explicit Neighbor(const QueryContext& context) : BlockFunction("neighbor"), context_(context) {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_allowed(*this, context_);
        check_argument_count(*this, arguments.size(), 2, 3);
        if (!strip_wrappers(arguments[1].type)->is_integer())
            throw_illegal_argument(*this, 1, arguments[1].type);
        return arguments.size() == 3 ? common_type({arguments[0].type, arguments[2].type})
                                     : arguments[0].type;
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr& type, size_t rows,
                      const QueryContext& context) const override
    {
        const ColumnPtr values =
            to_flat(cast_column(arguments[0].column, arguments[0].type, type, context));
        const ColumnPtr fallback =
            arguments.size() == 3
                ? cast_column(arguments[2].column, arguments[2].type, type, context)
                : make_constant(type, type->default_value(), rows);
        const ColumnPtr distances = convert_numbers(
            arguments[1].column, arguments[1].type->physical(), PhysicalType::Int64);
        const VectorView<int64_t> distance(*distances);
        RowIndexes from(rows);
        PodVector<uint16_t> which(rows);
        for (size_t i = 0; i < rows; ++i)
        {
            const int64_t at = static_cast<int64_t>(i) + distance[i];
            const bool inside = at >= 0 && at < static_cast<int64_t>(rows);
            from[i] = inside ? static_cast<uint32_t>(at) : 0;
            which[i] = inside ? 0 : 1;
        }
        return choose_rows(type, {{values->take(from)}, {fallback}}, which);
    }
    bool default_nulls() const override { return false; }

private:
    const QueryContext& context_;
};

} // namespace

#define BASALT_POSITION(NAME, POSITION)                                                            \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<BlockPosition>(NAME, Position::POSITION); });

void register_block_position(ScalarRegistry& registry)
{
    BASALT_POSITION("blockNumber", BlockNumber)
    BASALT_POSITION("blockSize", BlockSize)
    BASALT_POSITION("rowNumberInBlock", RowInBlock)
    BASALT_POSITION("rowNumberInAllBlocks", RowInAllBlocks)
    registry.add("runningDifference",
                 [](const QueryContext& context) -> ScalarFunctionPtr
                 {
                     return std::make_shared<RunningDifference>("runningDifference", true,
                                                                context);
                 });
    registry.add("runningDifferenceStartingWithFirstValue",
                 [](const QueryContext& context) -> ScalarFunctionPtr
                 {
                     return std::make_shared<RunningDifference>(
                         "runningDifferenceStartingWithFirstValue", false, context);
                 });
    registry.add("neighbor", [](const QueryContext& context) -> ScalarFunctionPtr
                 { return std::make_shared<Neighbor>(context); });
}

#undef BASALT_POSITION

} // namespace basalt
