// Compiling expressions to steps; running them is in expression_run.cpp.

#include "base/error.h"
#include "functions/expression_run.h"

#include <algorithm>
#include <unordered_set>

namespace basalt
{

// Nesting past this is refused before the stack is at risk.
constexpr size_t kMaxExpressionDepth = 5000;

class ExpressionProgram::Compiler
{
public:
    Compiler(std::vector<Step>& steps, const QueryContext& context)
        : steps_(steps), context_(context)
    {
        const auto mode = context.settings.get("short_circuit_function_evaluation");
        enabled_ = mode != "disable";
        forced_ = mode == "force_enable";
    }

    uint32_t add(const ExpressionPtr& expression)
    {
        if (const auto at = by_pointer_.find(expression.get()); at != by_pointer_.end())
            return at->second;
        const auto known = by_fingerprint_.find(key_of(*expression));
        if (known != by_fingerprint_.end())
        {
            by_pointer_.emplace(expression.get(), known->second);
            return known->second;
        }
        if (++depth_ > kMaxExpressionDepth)
            throw Error(error_codes::TOO_DEEP_AST, "Expression is nested too deeply");
        Step step;
        step.expression = expression;
        if (expression->kind() == ExpressionKind::Call)
            fill_call(step);
        else if (expression->kind() == ExpressionKind::Lambda)
            fill_lambda(step);
        --depth_;
        for (const uint32_t argument : step.arguments)
        {
            ++steps_[argument].uses;
            step.worth_skipping = step.worth_skipping || steps_[argument].worth_skipping;
        }
        const auto number = static_cast<uint32_t>(steps_.size());
        steps_.push_back(std::move(step));
        by_pointer_.emplace(expression.get(), number);
        by_fingerprint_.emplace(key_of(*expression), number);
        return number;
    }

    // Users come after their arguments, so one pass from the end sees every user first.
    void mark_always(const std::vector<uint32_t>& roots)
    {
        for (const uint32_t root : roots)
        {
            steps_[root].always = true;
            ++steps_[root].uses;
        }
        for (size_t i = steps_.size(); i-- > 0;)
        {
            const Step& step = steps_[i];
            if (!step.always)
                continue;
            for (size_t j = 0; j < step.arguments.size(); ++j)
            {
                Step& argument = steps_[step.arguments[j]];
                if (step.branching == Branching::None || j == 0 || !argument.worth_skipping)
                    argument.always = true;
            }
        }
    }

private:
    // A type goes with the text: the same text may be of two types (a folded constant, an input).
    static std::string key_of(const Expression& expression)
    {
        return expression.fingerprint() + "\n" + expression.type()->name();
    }

    void fill_call(Step& step)
    {
        const Expression& expression = *step.expression;
        Arguments arguments;
        for (const auto& argument : expression.arguments())
        {
            step.arguments.push_back(add(argument));
            arguments.push_back({argument->is_constant() ? argument->constant_column() : nullptr,
                                 argument->type()});
        }
        // What varies beside a dictionary may be constant within a block (if() that takes one side)
        // and another constant in the next: results of entries are kept where nothing else varies.
        if (std::count_if(arguments.begin(), arguments.end(),
                          [](const Argument& argument) { return !argument.column; }) <= 1)
            step.dictionary_results = std::make_shared<DictionaryResults>();
        step.domain = domain_of(expression);
        if (!enabled_)
            return;
        step.worth_skipping =
            forced_ || expression.function()->worth_short_circuit_for(arguments);
        if (expression.is_call("if") || expression.is_call("multiIf"))
        {
            step.branching = Branching::Choose;
            step.is_strict = std::make_shared<std::atomic<bool>>(forced_);
        }
        else if (expression.is_call("and"))
            step.branching = Branching::And;
        else if (expression.is_call("or"))
            step.branching = Branching::Or;
        bool any_lazy = false;
        for (size_t i = 1; i < step.arguments.size(); ++i)
            any_lazy = any_lazy || steps_[step.arguments[i]].worth_skipping;
        if (!any_lazy)
            step.branching = Branching::None;
    }

    // What is computed from a remainder of a small constant is computed once for each value that
    // it can have. Null for other calls.
    static ColumnPtr domain_of(const Expression& expression)
    {
        constexpr uint64_t kMostValues = 64;
        if (!expression.is_call("modulo") || !expression.type()->is(TypeId::UInt8) ||
            !expression.arguments()[1]->is_constant() ||
            expression.arguments()[0]->type()->is_nullable())
            return nullptr;
        switch (expression.arguments()[0]->type()->id())
        {
        case TypeId::UInt8:
        case TypeId::UInt16:
        case TypeId::UInt32:
        case TypeId::UInt64:
            break;
        default:
            return nullptr;
        }
        const Value divisor = expression.arguments()[1]->constant_column()->value_at(0);
        const auto* values = divisor.get_if<uint64_t>();
        if (!values || *values < 2 || *values > kMostValues)
            return nullptr;
        auto domain = std::make_shared<VectorColumn<uint8_t>>(*values);
        for (size_t i = 0; i < *values; ++i)
            domain->data()[i] = static_cast<uint8_t>(i);
        return domain;
    }

    void fill_lambda(Step& step)
    {
        const Expression& lambda = *step.expression;
        std::unordered_set<const Expression*> seen;
        std::unordered_map<std::string, ExpressionPtr> inputs;
        find_inputs(lambda.body(), seen, inputs);
        for (const auto& name : inputs_of({step.expression}))
            step.arguments.push_back(add(inputs.at(name)));
        step.lambda_program =
            std::make_shared<ExpressionProgram>(Expressions{lambda.body()}, context_);
        step.worth_skipping = enabled_;
    }

    static void find_inputs(const ExpressionPtr& expression,
                            std::unordered_set<const Expression*>& seen,
                            std::unordered_map<std::string, ExpressionPtr>& found)
    {
        if (!seen.insert(expression.get()).second)
            return;
        if (expression->kind() == ExpressionKind::Input)
            found.emplace(expression->name(), expression);
        for (const auto& argument : expression->arguments())
            find_inputs(argument, seen, found);
    }

    std::vector<Step>& steps_;
    const QueryContext& context_;
    bool enabled_ = true;
    bool forced_ = false;
    size_t depth_ = 0;
    std::unordered_map<const Expression*, uint32_t> by_pointer_;
    std::unordered_map<std::string, uint32_t> by_fingerprint_;
};

ExpressionProgram::ExpressionProgram(Expressions roots, const QueryContext& context)
    : roots_(std::move(roots)), inputs_(inputs_of(roots_)), context_(&context)
{
    Compiler compiler(steps_, context);
    for (const auto& root : roots_)
    {
        root_steps_.push_back(compiler.add(root));
        steps_[root_steps_.back()].domain = nullptr;
    }
    compiler.mark_always(root_steps_);
}

ExpressionProgram::~ExpressionProgram() = default;

Columns ExpressionProgram::run(const Block& block) const
{
    return run(block, *context_);
}

Columns ExpressionProgram::run(const Block& block, const QueryContext& context) const
{
    Run running(*this, block, context);
    Columns results;
    results.reserve(root_steps_.size());
    for (const uint32_t step : root_steps_)
        results.push_back(running.whole(step));
    return results;
}

} // namespace basalt
