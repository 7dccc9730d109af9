// covarPopStable, covarSampStable, corrStable with running means (Chan, Golub and LeVeque, 1979);
// covarPopMatrix, covarSampMatrix, corrMatrix of any number of columns.

#include "functions/aggregate/over_doubles.h"

#include <cmath>

namespace basalt
{

namespace
{

struct RunningPair
{
    double count = 0;
    double x = 0; // means
    double y = 0;
    double xy = 0; // sums of products of differences from the means
    double xx = 0;
    double yy = 0;
};

void add_pair(RunningPair& state, double x, double y)
{
    ++state.count;
    const double dx = x - state.x;
    const double dy = y - state.y;
    state.x += dx / state.count;
    state.y += dy / state.count;
    state.xy += (x - state.x) * dy;
    state.xx += dx * (x - state.x);
    state.yy += dy * (y - state.y);
}

void merge_pairs(RunningPair& into, const RunningPair& from)
{
    if (from.count == 0)
        return;
    const double count = into.count + from.count;
    const double dx = from.x - into.x;
    const double dy = from.y - into.y;
    const double weight = into.count * from.count / count;
    into.xy += from.xy + dx * dy * weight;
    into.xx += from.xx + dx * dx * weight;
    into.yy += from.yy + dy * dy * weight;
    into.x += dx * from.count / count;
    into.y += dy * from.count / count;
    into.count = count;
}

enum class Measure : uint8_t
{
    CovarPop,
    CovarSamp,
    Corr,
};

double measure(Measure kind, const RunningPair& s)
{
    if (kind == Measure::CovarPop)
        return s.count == 0 ? NAN : s.xy / s.count;
    if (kind == Measure::CovarSamp)
        return s.count < 2 ? NAN : s.xy / (s.count - 1);
    return s.count < 2 ? NAN : s.xy / std::sqrt(s.xx * s.yy);
}

template <Measure kKind>
class StablePair final : public OverDoubles<RunningPair, StablePair<kKind>, 2>
{
public:
    using OverDoubles<RunningPair, StablePair, 2>::OverDoubles;

    void add_numbers(RunningPair& state, const double* values) const
    {
        add_pair(state, values[0], values[1]);
    }
    void merge(RunningPair& into, const RunningPair& from, Arena&) const
    {
        merge_pairs(into, from);
    }
    void write(const RunningPair& from, std::string& out) const { put_fixed(out, from); }
    void read(RunningPair& into, StateReader& in, Arena&) const
    {
        into = in.fixed<RunningPair>();
    }
    void result(RunningPair& from, Column& into, Arena&) const
    {
        vector_of<double>(into).push_back(measure(kKind, from));
    }
};

template <Measure kKind>
AggregateFunctionPtr make_stable(const std::string& name, const Types& arguments,
                                 const Values& parameters)
{
    expect_no_parameters(name, parameters);
    expect_numbers(name, arguments, 2, false, false);
    return std::make_shared<StablePair<kKind>>(name, arguments, parameters,
                                               simple_type(TypeId::Float64));
}

// Most columns of a matrix: the state grows with their square.
constexpr size_t kMaxMatrixColumns = 256;

struct MatrixState
{
    std::vector<RunningPair> pairs; // of columns (i, j), j <= i, row by row
};

template <Measure kKind> class Matrix final : public AggregateOf<MatrixState, Matrix<kKind>>
{
public:
    Matrix(const std::string& name, const Types& arguments, const Values& parameters)
        : AggregateOf<MatrixState, Matrix>(
              name, arguments, parameters,
              std::make_shared<ArrayType>(std::make_shared<ArrayType>(simple_type(TypeId::Float64)))),
          size_(arguments.size())
    {
        for (const TypePtr& type : arguments)
            readers_.push_back(doubles_reader(type));
    }

    void add(MatrixState& state, std::span<const Column* const> arguments, size_t row,
             Arena&) const
    {
        prepare(state);
        double values[kMaxMatrixColumns];
        for (size_t i = 0; i < size_; ++i)
            readers_[i](*arguments[i], row, 1, 1, &values[i]);
        size_t at = 0;
        for (size_t i = 0; i < size_; ++i)
            for (size_t j = 0; j <= i; ++j)
                add_pair(state.pairs[at++], values[i], values[j]);
    }
    void merge(MatrixState& into, const MatrixState& from, Arena&) const
    {
        prepare(into);
        for (size_t i = 0; i < from.pairs.size(); ++i)
            merge_pairs(into.pairs[i], from.pairs[i]);
    }
    void write(const MatrixState& from, std::string& out) const
    {
        out += from.pairs.empty() ? '\0' : '\1';
        for (const RunningPair& pair : from.pairs)
            put_fixed(out, pair);
    }
    void read(MatrixState& into, StateReader& in, Arena&) const
    {
        into.pairs.clear();
        const auto filled = in.fixed<uint8_t>();
        if (filled > 1)
            StateReader::corrupted();
        if (!filled)
            return;
        prepare(into);
        for (RunningPair& pair : into.pairs)
            pair = in.fixed<RunningPair>();
    }
    void result(MatrixState& from, Column& into, Arena&) const
    {
        prepare(from);
        auto& lines = column_as<ArrayColumn>(into);
        auto& line = column_as<ArrayColumn>(lines.mutable_items());
        auto& values = vector_of<double>(line.mutable_items());
        for (size_t i = 0; i < size_; ++i)
        {
            for (size_t j = 0; j < size_; ++j)
            {
                const size_t high = std::max(i, j);
                const size_t low = std::min(i, j);
                values.push_back(measure(kKind, from.pairs[high * (high + 1) / 2 + low]));
            }
            line.mutable_offsets().push_back(values.size());
        }
        lines.mutable_offsets().push_back(line.size());
    }

private:
    void prepare(MatrixState& state) const
    {
        if (state.pairs.empty())
            state.pairs.resize(size_ * (size_ + 1) / 2);
    }

    size_t size_;
    std::vector<ReadDoubles> readers_;
};

template <Measure kKind>
AggregateFunctionPtr make_matrix(const std::string& name, const Types& arguments,
                                 const Values& parameters)
{
    expect_no_parameters(name, parameters);
    if (arguments.empty() || arguments.size() > kMaxMatrixColumns)
        throw Error(error_codes::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Aggregate function " + name + " requires from 1 to " +
                        std::to_string(kMaxMatrixColumns) + " arguments");
    expect_numbers(name, arguments, arguments.size(), false, false);
    return std::make_shared<Matrix<kKind>>(name, arguments, parameters);
}

} // namespace

void register_covariances(AggregateRegistry& registry)
{
    registry.add("covarPopStable", make_stable<Measure::CovarPop>);
    registry.add("covarSampStable", make_stable<Measure::CovarSamp>);
    registry.add("corrStable", make_stable<Measure::Corr>);
    registry.add("covarPopMatrix", make_matrix<Measure::CovarPop>);
    registry.add("covarSampMatrix", make_matrix<Measure::CovarSamp>);
    registry.add("corrMatrix", make_matrix<Measure::Corr>);
}

} // namespace basalt
