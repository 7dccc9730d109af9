#include "columns/date_text.h"
#include "columns/number_text.h"
#include "columns/serialization_kinds.h"

#include <algorithm>

namespace basalt
{

namespace
{

template <class T> class DateSerialization final : public PlainSerialization
{
public:
    DateSerialization() : PlainSerialization(true) {}

    BASALT_FIXED_WIDTH_BINARY(T)

protected:
    static constexpr int32_t kMin = sizeof(T) == 2 ? 0 : kMinDate32;
    static constexpr int32_t kMax = sizeof(T) == 2 ? 65535 : kMaxDate32;

    void write_plain(const Column& column, size_t row, OutputBuffer& out,
                     const TextOptions&) const override
    {
        write_date(out, column_as<VectorColumn<T>>(column).data()[row]);
    }

    bool parse_plain(Column& column, TextCursor& cursor, TextPlace place,
                     const TextOptions& options) const override
    {
        int32_t days;
        if (!parse_date(cursor, kMin, days))
            return false;
        // A cast takes the date of a date with time.
        if (place == TextPlace::Whole && (cursor.peek() == ' ' || cursor.peek() == 'T'))
        {
            int64_t time;
            const char* const after_date = cursor.pos++;
            if (!parse_time(cursor, 9, time))
            {
                cursor.pos = after_date;
                cursor.code = 0;
            }
        }
        column_as<VectorColumn<T>>(column).data().push_back(
            static_cast<T>(std::clamp(days, kMin, kMax)));
        return true;
    }

    bool parse_bare(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        const int next = cursor.peek();
        const bool is_number = (next >= '0' && next <= '9') || next == '-';
        T days;
        if (!is_number)
            return PlainSerialization::parse_bare(column, cursor, place, options);
        if (!parse_integer(cursor, days))
            return false;
        column_as<VectorColumn<T>>(column).data().push_back(days);
        return true;
    }
};

class DateTimeBase : public PlainSerialization
{
protected:
    DateTimeBase(const std::string& zone)
        : PlainSerialization(true), zone_(zone.empty() ? nullptr : &timezone(zone))
    {
    }
    const TimeZone& zone(const TextOptions& options) const
    {
        return zone_ ? *zone_ : session_timezone(options);
    }

private:
    const TimeZone* zone_; // null: the session's
};

class DateTimeSerialization final : public DateTimeBase
{
public:
    explicit DateTimeSerialization(const std::string& zone) : DateTimeBase(zone) {}

    BASALT_FIXED_WIDTH_BINARY(uint32_t)

protected:
    void write_plain(const Column& column, size_t row, OutputBuffer& out,
                     const TextOptions& options) const override
    {
        write_date_time(out, column_as<VectorColumn<uint32_t>>(column).data()[row], 0,
                        zone(options), options);
    }

    bool parse_plain(Column& column, TextCursor& cursor, TextPlace place,
                     const TextOptions& options) const override
    {
        int64_t seconds;
        if (!parse_date_time(cursor, 0, false, zone(options), options, seconds))
            return false;
        column_as<VectorColumn<uint32_t>>(column).data().push_back(
            static_cast<uint32_t>(seconds));
        return true;
    }

    bool parse_bare(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        const int next = cursor.peek();
        if (!((next >= '0' && next <= '9') || next == '-'))
            return PlainSerialization::parse_bare(column, cursor, place, options);
        int64_t seconds;
        if (!parse_integer(cursor, seconds))
            return false;
        column_as<VectorColumn<uint32_t>>(column).data().push_back(
            static_cast<uint32_t>(std::clamp(seconds, int64_t{0}, int64_t{UINT32_MAX})));
        return true;
    }
};

class DateTime64Serialization final : public DateTimeBase
{
public:
    DateTime64Serialization(uint32_t scale, const std::string& zone)
        : DateTimeBase(zone), scale_(scale)
    {
    }

    BASALT_FIXED_WIDTH_BINARY(int64_t)

protected:
    void write_plain(const Column& column, size_t row, OutputBuffer& out,
                     const TextOptions& options) const override
    {
        write_date_time(out, column_as<VectorColumn<int64_t>>(column).data()[row], scale_,
                        zone(options), options);
    }

    bool parse_plain(Column& column, TextCursor& cursor, TextPlace place,
                     const TextOptions& options) const override
    {
        int64_t ticks;
        if (!parse_date_time(cursor, scale_, true, zone(options), options, ticks))
            return false;
        column_as<VectorColumn<int64_t>>(column).data().push_back(ticks);
        return true;
    }

    // A whole number is ticks, one with a point seconds.
    bool parse_bare(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        const int next = cursor.peek();
        if (!((next >= '0' && next <= '9') || next == '-'))
            return PlainSerialization::parse_bare(column, cursor, place, options);
        int64_t ticks;
        const char* const start = cursor.pos;
        if (!parse_integer(cursor, ticks))
            return false;
        if (place == TextPlace::Quoted && cursor.peek() == '.')
        {
            cursor.pos = start;
            Int256 mantissa;
            constexpr uint32_t kDigitsOfInt64 = 18;
            if (!parse_decimal(cursor, kDigitsOfInt64, scale_, mantissa))
                return false;
            ticks = static_cast<int64_t>(mantissa);
        }
        column_as<VectorColumn<int64_t>>(column).data().push_back(ticks);
        return true;
    }

private:
    uint32_t scale_;
};

template <class T> class TimeSerialization final : public PlainSerialization
{
public:
    explicit TimeSerialization(uint32_t scale) : PlainSerialization(true), scale_(scale) {}

    BASALT_FIXED_WIDTH_BINARY(T)

protected:
    void write_plain(const Column& column, size_t row, OutputBuffer& out,
                     const TextOptions&) const override
    {
        write_time(out, column_as<VectorColumn<T>>(column).data()[row], scale_);
    }

    bool parse_plain(Column& column, TextCursor& cursor, TextPlace place,
                     const TextOptions& options) const override
    {
        int64_t ticks;
        if (!parse_time(cursor, scale_, ticks))
            return false;
        column_as<VectorColumn<T>>(column).data().push_back(static_cast<T>(ticks));
        return true;
    }

    bool parse_bare(Column& column, TextCursor& cursor, TextPlace place,
                    const TextOptions& options) const override
    {
        const int next = cursor.peek();
        if (!((next >= '0' && next <= '9') || next == '-'))
            return PlainSerialization::parse_bare(column, cursor, place, options);
        int64_t ticks;
        if (!parse_integer(cursor, ticks))
            return false;
        const int64_t limit = (int64_t{kMaxTimeSecond} + 1) * kPowersOfTen64[scale_] - 1;
        column_as<VectorColumn<T>>(column).data().push_back(
            static_cast<T>(std::clamp(ticks, -limit, limit)));
        return true;
    }

private:
    uint32_t scale_;
};

} // namespace

SerializationPtr make_date_serialization(bool is_32)
{
    if (is_32)
        return std::make_shared<DateSerialization<int32_t>>();
    return std::make_shared<DateSerialization<uint16_t>>();
}

SerializationPtr make_date_time_serialization(const TypePtr& type)
{
    if (type->is(TypeId::DateTime))
        return std::make_shared<DateTimeSerialization>(type_as<DateTimeType>(type).timezone());
    const auto& date_time = type_as<DateTime64Type>(type);
    return std::make_shared<DateTime64Serialization>(date_time.scale(), date_time.timezone());
}

SerializationPtr make_time_serialization(const TypePtr& type)
{
    if (type->is(TypeId::Time))
        return std::make_shared<TimeSerialization<int32_t>>(0);
    return std::make_shared<TimeSerialization<int64_t>>(type_as<Time64Type>(type).scale());
}

} // namespace basalt
