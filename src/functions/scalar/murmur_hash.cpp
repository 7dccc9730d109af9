// The murmur family, xxHash32, xxh3_128, wyHash64, halfMD5, javaHash, hiveHash.

#include "base/error.h"
#include "codecs/foreign_hash.h"
#include "functions/any_hash.h"
#include "functions/digest.h"

namespace basalt
{

namespace
{

template <uint64_t (*kBytes)(const char*, size_t)> struct Murmur64
{
    using Hash = uint64_t;
    static Hash of_bytes(const char* data, size_t size) { return kBytes(data, size); }
    template <class U> static Hash of_number(U value)
    {
        return kBytes(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    static Hash of_length(uint64_t length) { return int_hash64(length); }
    static Hash combine(Hash a, Hash b) { return murmur_combine64(a, b); }
};

template <uint32_t (*kBytes)(const char*, size_t)> struct Murmur32
{
    using Hash = uint32_t;
    static Hash of_bytes(const char* data, size_t size) { return kBytes(data, size); }
    template <class U> static Hash of_number(U value)
    {
        return kBytes(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    static Hash of_length(uint64_t length) { return int_hash32(length); }
    static Hash combine(Hash a, Hash b) { return murmur_combine32(a, b); }
};

// Combined by hashing both hashes' bytes.
template <class HashType, HashType (*kBytes)(const char*, size_t)> struct PairHash
{
    using Hash = HashType;
    static Hash of_bytes(const char* data, size_t size) { return kBytes(data, size); }
    template <class U> static Hash of_number(U value)
    {
        return kBytes(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    static Hash of_length(uint64_t length)
    {
        if constexpr (std::is_same_v<Hash, Hash128>)
            return {int_hash32(length), 0};
        else
            return int_hash64(length);
    }
    static Hash combine(Hash a, Hash b)
    {
        const Hash both[] = {a, b};
        return kBytes(reinterpret_cast<const char*>(both), sizeof(both));
    }
};

uint64_t murmur2_64(const char* data, size_t size)
{
    return murmur_hash2_64(data, size);
}
uint32_t murmur2_32(const char* data, size_t size)
{
    return murmur_hash2_32(data, size);
}
uint32_t murmur3_32(const char* data, size_t size)
{
    return murmur_hash3_32(data, size);
}
Hash128 murmur3_128(const char* data, size_t size)
{
    return murmur_hash3_128(data, size);
}

// The result is one number.
class Xxh3Wide final : public NamedFunction
{
public:
    Xxh3Wide() : NamedFunction("xxh3_128") {}
    TypePtr return_type(const Arguments&) const override { return simple_type(TypeId::UInt128); }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const PairHash<Hash128, xxh3_128> algorithm;
        RowHasher<PairHash<Hash128, xxh3_128>> hasher(algorithm, rows);
        for (const auto& argument : arguments)
            hasher.add(argument.column, argument.type);
        const PodVector<Hash128> hashes = hasher.finish();
        auto result = std::make_shared<VectorColumn<UInt128>>(rows);
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = (static_cast<UInt128>(hashes[i].high) << 64) | hashes[i].low;
        return result;
    }
    bool takes_dictionaries() const override { return true; }
};

// One argument: a text, or a signed integer, whose hash Java takes from its value.
class JavaHash final : public NamedFunction
{
public:
    using Bytes = int32_t (*)(const char*, size_t);
    JavaHash(std::string name, Bytes bytes, bool numbers)
        : NamedFunction(std::move(name)), bytes_(bytes), numbers_(numbers)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        if (arguments.size() > 1)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "Java hash is not combineable for multiple arguments");
        check_argument_count(*this, arguments.size(), 1);
        const TypePtr& type = arguments[0].type;
        const bool number = numbers_ && type->is_integer();
        if (number && (type->is_unsigned() || type->is(TypeId::Bool)))
            throw Error(error_codes::NOT_IMPLEMENTED, "Unsigned types are not supported");
        if (!type->is_string() && !(number && type->id() <= TypeId::Int64))
            throw_illegal_type(*this, type);
        return simple_type(TypeId::Int32);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        auto result = std::make_shared<VectorColumn<int32_t>>(rows);
        const TypePtr& type = arguments[0].type;
        const Column& column = *arguments[0].column;
        if (type->is_string())
        {
            const TextView texts(column);
            for (size_t i = 0; i < rows; ++i)
                result->data()[i] = bytes_(texts[i].data(), texts[i].size());
            return result;
        }
        dispatch_vector(type->physical(),
                        [&]<class Tag>(Tag)
                        {
                            using T = typename Tag::type;
                            if constexpr (std::is_same_v<T, int64_t>)
                            {
                                const VectorView<T> view(column);
                                for (size_t i = 0; i < rows; ++i)
                                    result->data()[i] = static_cast<int32_t>(
                                        view[i] ^ static_cast<int64_t>(
                                                      static_cast<uint64_t>(view[i]) >> 32));
                            }
                            else if constexpr (std::is_integral_v<T>)
                            {
                                const VectorView<T> view(column);
                                for (size_t i = 0; i < rows; ++i)
                                    result->data()[i] = static_cast<int32_t>(view[i]);
                            }
                        });
        return result;
    }

private:
    Bytes bytes_;
    bool numbers_;
};

int32_t java_utf16(const char* data, size_t size)
{
    if (size % 2 != 0)
        throw Error(error_codes::BAD_ARGUMENTS,
                    "Arguments length of javaHashUTF16LE must be even");
    return java_hash_utf16le(data, size);
}

} // namespace

#define BASALT_HASH(NAME, ...)                                                                     \
    registry.add(NAME, [](const QueryContext&) { return make_any_hash<__VA_ARGS__>(NAME); });
#define BASALT_JAVA_HASH(NAME, BYTES, NUMBERS)                                                     \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<JavaHash>(NAME, BYTES, NUMBERS); });

void register_murmur_hash(ScalarRegistry& registry)
{
    BASALT_HASH("murmurHash2_64", Murmur64<murmur2_64>)
    BASALT_HASH("murmurHash3_64", Murmur64<murmur_hash3_64>)
    BASALT_HASH("gccMurmurHash", Murmur64<gcc_murmur_hash>)
    BASALT_HASH("murmurHash2_32", Murmur32<murmur2_32>)
    BASALT_HASH("murmurHash3_32", Murmur32<murmur3_32>)
    BASALT_HASH("kafkaMurmurHash", Murmur32<kafka_murmur_hash>)
    BASALT_HASH("xxHash32", Murmur32<xx_hash32>)
    BASALT_HASH("murmurHash3_128", PairHash<Hash128, murmur3_128>)
    registry.add("xxh3_128", [](const QueryContext&) -> ScalarFunctionPtr
                 { return std::make_shared<Xxh3Wide>(); });
    BASALT_HASH("wyHash64", PairHash<uint64_t, wy_hash64>)
    BASALT_HASH("halfMD5", PairHash<uint64_t, half_md5>)
    BASALT_JAVA_HASH("javaHash", java_hash, true)
    BASALT_JAVA_HASH("javaHashUTF16LE", java_utf16, false)
    BASALT_JAVA_HASH("hiveHash", hive_hash, false)
}

#undef BASALT_HASH
#undef BASALT_JAVA_HASH

} // namespace basalt
