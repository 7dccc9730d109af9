#pragma once

// Hash functions of any number of arguments of any types, over an algorithm given as a type:
//   using Hash = uint64_t, uint32_t or Hash128;
//   static Hash of_bytes(const char*, size_t);
//   template <class U> static Hash of_number(U);   U: unsigned, 8 to 64 bits
//   static Hash of_length(uint64_t);               an array's
//   static Hash combine(Hash, Hash);
// and a state (keys) may stand in the algorithm object: all are called on an instance.

#include "codecs/hash.h"
#include "functions/elementwise.h"
#include "functions/named_function.h"
#include "functions/physical_dispatch.h"

namespace basalt
{

// What a hash of no argument is.
inline constexpr uint64_t kHashOfNothing = 0xe28dbde7fe22e41c;
// What a NULL inside an array or tuple is hashed to, whatever the algorithm; shorter hashes take
// its low bits.
inline constexpr Hash128 kHashOfNull{0xc58ad2da03d9a871, 0x5715f196cbea7a40};

template <class Hash> ColumnPtr hash_column(PodVector<Hash> hashes)
{
    if constexpr (std::is_same_v<Hash, Hash128>)
    {
        auto result = std::make_shared<FixedStringColumn>(16);
        result->chars().append(reinterpret_cast<const char*>(hashes.data()), hashes.size() * 16);
        return result;
    }
    else
        return std::make_shared<VectorColumn<Hash>>(std::move(hashes));
}

template <class Hash> TypePtr hash_type()
{
    if constexpr (std::is_same_v<Hash, Hash128>)
        return std::make_shared<FixedStringType>(16);
    else if constexpr (std::is_same_v<Hash, uint32_t>)
        return simple_type(TypeId::UInt32);
    else if constexpr (std::is_same_v<Hash, int32_t>)
        return simple_type(TypeId::Int32);
    else
        return simple_type(TypeId::UInt64);
}

template <class Hash> Hash hash_of_nothing()
{
    if constexpr (std::is_same_v<Hash, Hash128>)
        return Hash128{kHashOfNothing, 0};
    else
        return static_cast<Hash>(kHashOfNothing);
}

template <class Hash> Hash hash_of_null()
{
    if constexpr (std::is_same_v<Hash, Hash128>)
        return kHashOfNull;
    else
        return static_cast<Hash>(kHashOfNull.low);
}

// Hashes columns row by row into `out`; the first argument sets, later ones combine.
template <class Algorithm> class RowHasher
{
public:
    using Hash = typename Algorithm::Hash;

    RowHasher(const Algorithm& algorithm, size_t rows)
        : algorithm_(algorithm), out_(rows), rows_(rows)
    {
    }

    void add(const ColumnPtr& given, const TypePtr& type)
    {
        const bool tuple = type->is(TypeId::Tuple);
        const ColumnPtr column =
            tuple && given->form() == ColumnForm::Dictionary ? given->to_flat() : given;
        if (tuple)
        {
            const size_t count = type_as<TupleType>(type).elements().size();
            for (size_t i = 0; i < count; ++i)
            {
                const Argument element = tuple_element({column, type}, i);
                add(element.column, element.type);
            }
            return;
        }
        if (is_constant(*column))
        {
            RowHasher one(algorithm_, 1);
            one.add(column_as<ConstantColumn>(column).nested(), type);
            const Hash hash = one.out_[0];
            put_all([&](size_t) { return hash; });
            return;
        }
        if (column->form() == ColumnForm::Dictionary)
        {
            const auto& coded = column_as<DictionaryColumn>(column);
            if (coded.dictionary()->size() > rows_)
            {
                add(coded.to_flat(), type);
                return;
            }
            RowHasher entries(algorithm_, coded.dictionary()->size());
            entries.add(coded.dictionary(), type);
            const uint32_t* const codes = coded.codes().data();
            put_all([&](size_t i) { return entries.out_[codes[i]]; });
            return;
        }
        add_flat(*column, type);
    }

    PodVector<Hash> finish()
    {
        if (first_)
            for (auto& hash : out_)
                hash = hash_of_nothing<Hash>();
        return std::move(out_);
    }

private:
    template <class F> void put_all(F&& f)
    {
        Hash* const out = out_.data();
        if (first_)
            for (size_t i = 0; i < rows_; ++i)
                out[i] = f(i);
        else
            for (size_t i = 0; i < rows_; ++i)
                out[i] = algorithm_.combine(out[i], f(i));
        first_ = false;
    }

    template <class U, class T> void add_numbers(const Column& column)
    {
        const T* const data = static_cast<const VectorColumn<T>&>(column).data().data();
        put_all([&](size_t i) { return algorithm_.of_number(std::bit_cast<U>(data[i])); });
    }

    template <class T> void add_wide(const Column& column)
    {
        const T* const data = static_cast<const VectorColumn<T>&>(column).data().data();
        put_all([&](size_t i)
                { return algorithm_.of_bytes(reinterpret_cast<const char*>(&data[i]), sizeof(T)); });
    }

    void add_flat(const Column& column, const TypePtr& wrapped)
    {
        const TypePtr type = remove_low_cardinality(wrapped);
        if (hashed_as_bytes(*type))
        {
            add_as_bytes(column, type->physical());
            return;
        }
        switch (type->physical())
        {
            case PhysicalType::UInt8: add_numbers<uint8_t, uint8_t>(column); break;
            case PhysicalType::UInt16: add_numbers<uint16_t, uint16_t>(column); break;
            case PhysicalType::UInt32: add_numbers<uint32_t, uint32_t>(column); break;
            case PhysicalType::UInt64: add_numbers<uint64_t, uint64_t>(column); break;
            case PhysicalType::Int8: add_numbers<uint8_t, int8_t>(column); break;
            case PhysicalType::Int16: add_numbers<uint16_t, int16_t>(column); break;
            case PhysicalType::Int32: add_numbers<uint32_t, int32_t>(column); break;
            case PhysicalType::Int64: add_numbers<uint64_t, int64_t>(column); break;
            case PhysicalType::Float32: add_numbers<uint32_t, float>(column); break;
            case PhysicalType::Float64: add_numbers<uint64_t, double>(column); break;
            case PhysicalType::UInt128:
                if (type->is(TypeId::UUID))
                    add_uuids(column);
                else
                    add_wide<UInt128>(column);
                break;
            case PhysicalType::Int128: add_wide<Int128>(column); break;
            case PhysicalType::UInt256: add_wide<UInt256>(column); break;
            case PhysicalType::Int256: add_wide<Int256>(column); break;
            case PhysicalType::String:
            {
                const auto& strings = static_cast<const StringColumn&>(column);
                const char* const chars = strings.chars().data();
                const uint64_t* const offsets = strings.offsets().data();
                uint64_t begin = 0;
                put_all(
                    [&](size_t i)
                    {
                        const Hash hash =
                            algorithm_.of_bytes(chars + begin, offsets[i] - begin);
                        begin = offsets[i];
                        return hash;
                    });
                break;
            }
            case PhysicalType::FixedString:
            {
                const TextView texts(column);
                put_all([&](size_t i)
                        { return algorithm_.of_bytes(texts[i].data(), texts[i].size()); });
                break;
            }
            case PhysicalType::Array: add_arrays(column, type); break;
            case PhysicalType::Nullable: add_nullable(column, type); break;
            case PhysicalType::Nothing: break;
            default:
                throw Error(error_codes::ILLEGAL_TYPE_OF_ARGUMENT,
                            "Values of type " + type->name() + " cannot be hashed");
        }
    }

    // Decimals and what is stored like them, of any width.
    static bool hashed_as_bytes(const DataType& type)
    {
        return type.is_decimal() || type.is(TypeId::DateTime64) || type.is(TypeId::Time64) ||
               type.is(TypeId::Interval);
    }

    void add_as_bytes(const Column& column, PhysicalType physical)
    {
        switch (physical)
        {
            case PhysicalType::Int32: add_wide<int32_t>(column); break;
            case PhysicalType::Int64: add_wide<int64_t>(column); break;
            case PhysicalType::Int128: add_wide<Int128>(column); break;
            default: add_wide<Int256>(column); break;
        }
    }

    // Text order of the halves, each little-endian.
    void add_uuids(const Column& column)
    {
        const auto& data = static_cast<const VectorColumn<UInt128>&>(column).data();
        put_all(
            [&](size_t i)
            {
                const uint64_t halves[2] = {static_cast<uint64_t>(data[i] >> 64),
                                            static_cast<uint64_t>(data[i])};
                return algorithm_.of_bytes(reinterpret_cast<const char*>(halves), 16);
            });
    }

    void add_arrays(const Column& column, const TypePtr& type)
    {
        const auto& array = static_cast<const ArrayColumn&>(column);
        const TypePtr items = type->is(TypeId::Map)
                                  ? type_as<ArrayType>(type_as<MapType>(type).entries()).nested()
                                  : type_as<ArrayType>(type).nested();
        RowHasher inner(algorithm_, array.items()->size());
        if (!items->is(TypeId::Nothing))
            inner.add(array.items(), items);
        const PodVector<uint64_t>& offsets = array.offsets();
        put_all([&](size_t i)
                { return algorithm_.of_length(offsets[i] - (i == 0 ? 0 : offsets[i - 1])); });
        for (size_t i = 0; i < rows_; ++i)
            for (size_t j = i == 0 ? 0 : offsets[i - 1]; j < offsets[i]; ++j)
                out_[i] = algorithm_.combine(out_[i], inner.out_[j]);
    }

    // Inside arrays and tuples only.
    void add_nullable(const Column& column, const TypePtr& type)
    {
        const auto& nullable = static_cast<const NullableColumn&>(column);
        const TypePtr& nested = type_as<NullableType>(type).nested();
        const Hash null_hash = hash_of_null<Hash>();
        if (nested->is(TypeId::Nothing))
        {
            put_all([&](size_t) { return null_hash; });
            return;
        }
        RowHasher values(algorithm_, rows_);
        values.add(nullable.nested(), nested);
        const auto& nulls = nullable.null_map();
        put_all([&](size_t i) { return nulls[i] ? null_hash : values.out_[i]; });
    }

    const Algorithm& algorithm_;
    PodVector<Hash> out_;
    size_t rows_;
    bool first_ = true;
};

template <class Algorithm> class AnyHash final : public NamedFunction
{
public:
    using Hash = typename Algorithm::Hash;
    explicit AnyHash(std::string name) : NamedFunction(std::move(name)) {}

    TypePtr return_type(const Arguments&) const override { return hash_type<Hash>(); }

    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const Algorithm algorithm;
        RowHasher<Algorithm> hasher(algorithm, rows);
        for (const auto& argument : arguments)
            hasher.add(argument.column, argument.type);
        return hash_column(hasher.finish());
    }

    bool takes_dictionaries() const override { return true; }
    bool worth_short_circuit() const override { return false; }
};

template <class Algorithm> ScalarFunctionPtr make_any_hash(const char* name)
{
    return std::make_shared<AnyHash<Algorithm>>(name);
}

// sipHash64Keyed and the like: the first argument is a tuple of two UInt64 keys.
template <class Algorithm> class KeyedHash final : public NamedFunction
{
public:
    using Hash = typename Algorithm::Hash;
    explicit KeyedHash(std::string name) : NamedFunction(std::move(name)) {}

    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1, ~size_t{0});
        const TypePtr& key = arguments[0].type;
        if (!key->is(TypeId::Tuple) || type_as<TupleType>(key).elements().size() != 2)
            throw Error(error_codes::BAD_ARGUMENTS, "Wrong key tuple: a tuple of two UInt64 is "
                                                      "expected by function " + name());
        const auto& elements = type_as<TupleType>(key).elements();
        for (size_t i = 0; i < 2; ++i)
            if (!elements[i]->is(TypeId::UInt64))
                throw Error(error_codes::BAD_ARGUMENTS,
                            std::string("The ") + (i == 0 ? "1st" : "2nd") +
                                " element of the key tuple is not of type UInt64");
        return hash_type<Hash>();
    }

    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const Argument first = tuple_element(arguments[0], 0);
        const Argument second = tuple_element(arguments[0], 1);
        const VectorView<uint64_t> key0(*first.column);
        const VectorView<uint64_t> key1(*second.column);
        if (rows == 1 || (key0.constant() && key1.constant()))
        {
            const Algorithm algorithm{key0[0], key1[0]};
            RowHasher<Algorithm> hasher(algorithm, rows);
            for (size_t i = 1; i < arguments.size(); ++i)
                hasher.add(arguments[i].column, arguments[i].type);
            return hash_column(hasher.finish());
        }
        // A key per row.
        PodVector<Hash> hashes(rows);
        for (size_t row = 0; row < rows; ++row)
        {
            const Algorithm algorithm{key0[row], key1[row]};
            RowHasher<Algorithm> hasher(algorithm, 1);
            for (size_t i = 1; i < arguments.size(); ++i)
                hasher.add(arguments[i].column->slice(row, 1), arguments[i].type);
            hashes[row] = hasher.finish()[0];
        }
        return hash_column(std::move(hashes));
    }
};

} // namespace basalt
