#include "catalog/function_table.h"
#include "storage/condition/bounds.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace basalt
{

namespace
{

// Positions [begin, end) of a series.
struct Positions
{
    uint64_t begin;
    uint64_t end;
};

// More ranges than this are not split further.
constexpr size_t kMaxSeriesRanges = 256;

// Where the condition can be true, found by halving; ascending, apart from each other.
std::vector<Positions> possible_positions(const SeriesDescription& series, const TypePtr& type,
                                          const ExpressionPtr& filter, uint64_t rows,
                                          const QueryContext& context)
{
    std::vector<Positions> active{{0, rows}}, found;
    if (!filter || series.kind == SeriesDescription::Kind::Zeros || rows <= kSeriesBlockRows)
        return active;
    const Condition condition(filter);
    const bool is_signed = series.kind == SeriesDescription::Kind::Signed;
    const Int128 step = is_signed ? Int128(static_cast<int64_t>(series.step))
                                  : Int128(static_cast<UInt128>(series.step));
    const Int128 first = is_signed ? Int128(static_cast<int64_t>(series.first))
                                   : Int128(static_cast<UInt128>(series.first));
    const Int128 least = is_signed ? Int128(INT64_MIN) : Int128(0);
    const Int128 most = is_signed ? Int128(INT64_MAX) : Int128(static_cast<UInt128>(UINT64_MAX));
    const auto value_at = [&](uint64_t position) -> std::optional<Value>
    {
        const Int128 value = first + Int128(static_cast<UInt128>(position)) * step;
        if (value < least || value > most)
            return std::nullopt; // the series wraps around
        return is_signed ? Value(static_cast<int64_t>(value))
                         : Value(static_cast<uint64_t>(value));
    };
    while (!active.empty())
    {
        KeyBounds key;
        key.key = Expression::input(series.column, type);
        std::vector<std::optional<Value>> low, high;
        for (const Positions& range : active)
        {
            low.push_back(value_at(range.begin));
            high.push_back(value_at(range.end - 1));
            if (!low.back() || !high.back())
                low.back() = high.back() = std::nullopt;
            if (step < Int128(0))
                std::swap(low.back(), high.back());
            key.has_null.push_back(0);
            key.only_null.push_back(0);
        }
        key.min = bound_column(type, low);
        key.max = bound_column(type, high);
        const std::vector<KeyBounds> keys{std::move(key)};
        const BoundedCondition bounded(condition, keys, context);
        if (!bounded.useful())
            return {{0, rows}};
        std::vector<Positions> halves;
        for (size_t i = 0; i < active.size(); ++i)
        {
            const Positions range = active[i];
            const Outcomes outcomes = bounded.decide(i);
            if (!outcomes.can_be_true)
                continue;
            const uint64_t middle = range.begin + (range.end - range.begin) / 2;
            if (outcomes.certain() || range.end - range.begin <= kSeriesBlockRows ||
                found.size() + active.size() > kMaxSeriesRanges)
                found.push_back(range);
            else
                halves.insert(halves.end(), {{range.begin, middle}, {middle, range.end}});
        }
        active = std::move(halves);
    }
    std::sort(found.begin(), found.end(),
              [](const Positions& a, const Positions& b) { return a.begin < b.begin; });
    std::vector<Positions> joined;
    for (const Positions& range : found)
        if (!joined.empty() && joined.back().end == range.begin)
            joined.back().end = range.end;
        else
            joined.push_back(range);
    return joined;
}

class SeriesScan final : public Scan
{
public:
    SeriesScan(const SeriesDescription& series, const TypePtr& type, const ScanRequest& request,
               QueryContextPtr context)
        : series_(series), type_(type), context_(std::move(context)), columns_(request.columns),
          limit_(request.limit)
    {
        for (const std::string& column : columns_)
            header_.push_back({column, type_});
        Expressions conditions;
        if (request.prewhere)
            conditions.push_back(request.prewhere);
        if (request.filter)
            conditions.push_back(request.filter);
        if (!conditions.empty())
            filter_ = std::make_unique<ExpressionProgram>(conditions, *context_);
        rows_ = series_.endless ? ~uint64_t{0} : series_.count;
        if (limit_ && !filter_)
            rows_ = std::min(rows_, limit_);
        if (rows_)
            ranges_ = possible_positions(series_, type_, conjunction_of(conditions), rows_,
                                         *context_);
        rows_ = 0;
        for (const Positions& range : ranges_)
            rows_ += range.end - range.begin;
        streams_ = std::max<size_t>(request.max_streams, 1);
        const uint64_t blocks = rows_ / kSeriesBlockRows + 1;
        streams_ = std::min<uint64_t>(streams_, blocks);
        if (rows_ <= series_.ordered_rows)
            streams_ = 1;
        block_rows_ = std::clamp<size_t>(request.block_rows, 1, kSeriesBlockRows);
        if (!series_.endless || rows_ < ~uint64_t{0})
            context_->total_rows_to_read += rows_;
    }

    const Header& header() const override { return header_; }
    size_t stream_count() const override { return streams_; }

    Block next(size_t) override
    {
        for (;;)
        {
            context_->check_alive();
            if (limit_ && filter_ && returned_.load(std::memory_order_relaxed) >= limit_)
                return Block::empty_of(header_);
            const Positions taken = take();
            const uint64_t begin = taken.begin;
            const size_t rows = taken.end - taken.begin;
            if (rows == 0)
                return Block::empty_of(header_);
            context_->add_read(rows, rows * (series_.kind == SeriesDescription::Kind::Zeros
                                                 ? 1
                                                 : sizeof(uint64_t)));
            Block block = make_block(begin, rows);
            if (block.rows() == 0)
                continue;
            returned_.fetch_add(block.rows(), std::memory_order_relaxed);
            return block;
        }
    }

private:
    ExpressionPtr conjunction_of(const Expressions& conditions) const
    {
        if (conditions.empty())
            return nullptr;
        return conditions.size() == 1 ? conditions[0]
                                      : Expression::call("and", conditions, *context_);
    }

    // The next positions; none at the end.
    Positions take()
    {
        std::lock_guard lock(mutex_);
        if (ranges_.empty())
            return {0, 0};
        Positions& range = ranges_.front();
        const Positions taken{range.begin,
                              range.begin + std::min<uint64_t>(block_rows_,
                                                               range.end - range.begin)};
        range.begin = taken.end;
        if (range.begin == range.end)
            ranges_.erase(ranges_.begin());
        return taken;
    }

    Block make_block(uint64_t begin, size_t rows) const
    {
        ColumnPtr values;
        if (filter_ || !columns_.empty())
            values = make_values(begin, rows);
        Block block(std::vector<NamedColumn>{}, rows);
        if (!filter_)
        {
            for (const std::string& column : columns_)
                block.add({values, type_, column});
            return block;
        }
        Block input({{values, type_, series_.column}});
        for (const std::string& column : columns_)
            if (column != series_.column && input.find(column) < 0)
                input.add({values, type_, column});
        const Columns conditions = filter_->run(input, *context_);
        Mask mask(rows, 1);
        size_t kept = rows;
        for (size_t c = 0; c < conditions.size(); ++c)
        {
            Mask one;
            column_to_mask(conditions[c], filter_->roots()[c]->type(), one);
            kept = 0;
            for (size_t i = 0; i < rows; ++i)
                kept += mask[i] = static_cast<uint8_t>(mask[i] && one[i]);
        }
        if (kept != rows && values)
            values = values->filter(mask, kept);
        Block result(std::vector<NamedColumn>{}, kept);
        for (const std::string& column : columns_)
            result.add({values, type_, column});
        result.set_rows(kept);
        return result;
    }

    ColumnPtr make_values(uint64_t begin, size_t rows) const
    {
        if (series_.kind == SeriesDescription::Kind::Zeros)
            return make_constant(type_, Value(uint64_t{0}), rows);
        const uint64_t first = series_.first + begin * series_.step;
        if (series_.kind == SeriesDescription::Kind::Signed)
            return fill<int64_t>(first, rows);
        return fill<uint64_t>(first, rows);
    }
    template <class T> ColumnPtr fill(uint64_t first, size_t rows) const
    {
        auto column = std::make_shared<VectorColumn<T>>(rows);
        T* out = column->data().data();
        const uint64_t step = series_.step;
        for (size_t i = 0; i < rows; ++i)
            out[i] = static_cast<T>(first + i * step);
        return column;
    }

    SeriesDescription series_;
    TypePtr type_;
    QueryContextPtr context_;
    std::vector<std::string> columns_;
    Header header_;
    std::unique_ptr<ExpressionProgram> filter_;
    uint64_t limit_;
    uint64_t rows_ = 0;
    size_t streams_ = 1;
    size_t block_rows_ = kSeriesBlockRows;
    std::mutex mutex_;
    std::vector<Positions> ranges_; // not taken yet
    std::atomic<uint64_t> returned_{0};
};

TypePtr series_type(SeriesDescription::Kind kind)
{
    switch (kind)
    {
    case SeriesDescription::Kind::Zeros:
        return simple_type(TypeId::UInt8);
    case SeriesDescription::Kind::Signed:
        return simple_type(TypeId::Int64);
    default:
        return simple_type(TypeId::UInt64);
    }
}

class SeriesTable final : public FunctionTable
{
public:
    explicit SeriesTable(SeriesDescription series)
        : FunctionTable(series.function, series.engine,
                        {{series.column, series_type(series.kind)}}),
          series_(std::move(series))
    {
    }
    TableName table_name() const override
    {
        return series_.name.table.empty() ? FunctionTable::table_name() : series_.name;
    }
    std::unique_ptr<Scan> scan(const ScanRequest& request, QueryContextPtr context) override
    {
        return std::make_unique<SeriesScan>(series_, series_type(series_.kind), request,
                                            std::move(context));
    }
    std::optional<uint64_t> total_rows() const override
    {
        if (series_.endless)
            return std::nullopt;
        return series_.count;
    }

private:
    SeriesDescription series_;
};

} // namespace

TablePtr make_series_table(SeriesDescription description)
{
    return std::make_shared<SeriesTable>(std::move(description));
}

} // namespace basalt
