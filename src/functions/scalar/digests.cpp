// MD4, MD5, SHA1, SHA224 … as FixedString; HMAC; CRC32, CRC64; intHash32, intHash64.

#include "codecs/foreign_hash.h"
#include "functions/arithmetic.h"
#include "functions/digest.h"
#include "functions/numeric_convert.h"
#include "functions/physical_dispatch.h"

namespace basalt
{

namespace
{

class DigestFunction final : public NamedFunction
{
public:
    DigestFunction(std::string name, const char* digest, size_t bytes)
        : NamedFunction(std::move(name)), digest_(digest), bytes_(bytes)
    {
    }
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        const TypePtr& type = arguments[0].type;
        if (!type->is_string() && !type->is(TypeId::IPv6))
            throw_illegal_type(*this, type);
        return std::make_shared<FixedStringType>(bytes_);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        Digest digest(digest_);
        auto result = std::make_shared<FixedStringColumn>(bytes_);
        result->chars().resize(bytes_ * rows);
        const TextView texts(*arguments[0].column);
        for (size_t i = 0; i < rows; ++i)
            digest.compute(texts[i], result->chars().data() + i * bytes_);
        return result;
    }

private:
    const char* digest_;
    size_t bytes_;
};

class HmacFunction final : public NamedFunction
{
public:
    HmacFunction() : NamedFunction("HMAC") {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 3);
        for (const auto& argument : arguments)
            if (!argument.type->is_string())
                throw_illegal_type(*this, argument.type);
        return simple_type(TypeId::String);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        const std::string digest = constant_string(*this, arguments, 0);
        const TextView messages(*arguments[1].column);
        const TextView keys(*arguments[2].column);
        auto result = std::make_shared<StringColumn>();
        for (size_t i = 0; i < rows; ++i)
            result->append(hmac(digest, messages[i], keys[i]));
        return result;
    }
    std::vector<size_t> constant_arguments() const override { return {0}; }
};

template <class R> class TextHash final : public NamedFunction
{
public:
    using Hash = R (*)(const char*, size_t);
    TextHash(std::string name, Hash hash) : NamedFunction(std::move(name)), hash_(hash) {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        if (!arguments[0].type->is_string())
            throw_illegal_type(*this, arguments[0].type);
        return simple_type(sizeof(R) == 4 ? TypeId::UInt32 : TypeId::UInt64);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        auto result = std::make_shared<VectorColumn<R>>(rows);
        const TextView texts(*arguments[0].column);
        for (size_t i = 0; i < rows; ++i)
            result->data()[i] = hash_(texts[i].data(), texts[i].size());
        return result;
    }

private:
    Hash hash_;
};

template <class R> class IntegerHash final : public NamedFunction
{
public:
    using Hash = R (*)(uint64_t);
    IntegerHash(std::string name, Hash hash) : NamedFunction(std::move(name)), hash_(hash) {}
    TypePtr return_type(const Arguments& arguments) const override
    {
        check_argument_count(*this, arguments.size(), 1);
        const TypePtr& type = arguments[0].type;
        const bool narrow = type->is_integer() && !is_wide_integer(*type);
        if (!narrow && !type->is_date_or_time() && !type->is_decimal())
            throw_illegal_type(*this, type);
        return simple_type(sizeof(R) == 4 ? TypeId::UInt32 : TypeId::UInt64);
    }
    ColumnPtr execute(const Arguments& arguments, const TypePtr&, size_t rows,
                      const QueryContext&) const override
    {
        auto result = std::make_shared<VectorColumn<R>>(rows);
        dispatch_vector(arguments[0].type->physical(),
                        [&]<class Tag>(Tag)
                        {
                            using T = typename Tag::type;
                            if constexpr (std::is_integral_v<T> && sizeof(T) <= 8)
                            {
                                const VectorView<T> view(*arguments[0].column);
                                for (size_t i = 0; i < rows; ++i)
                                    result->data()[i] = hash_(static_cast<uint64_t>(view[i]));
                            }
                        });
        return result;
    }

private:
    Hash hash_;
};

} // namespace

#define BASALT_DIGEST(NAME, DIGEST, BYTES)                                                         \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<DigestFunction>(NAME, DIGEST, BYTES); });
#define BASALT_TEXT_HASH(NAME, HASH, RESULT)                                                       \
    registry.add(                                                                                  \
        NAME,                                                                                      \
        [](const QueryContext&) -> ScalarFunctionPtr                                               \
        { return std::make_shared<TextHash<RESULT>>(NAME, HASH); },                                \
        true);
#define BASALT_INTEGER_HASH(NAME, HASH, RESULT)                                                    \
    registry.add(NAME, [](const QueryContext&) -> ScalarFunctionPtr                                \
                 { return std::make_shared<IntegerHash<RESULT>>(NAME, HASH); });

void register_digests(ScalarRegistry& registry)
{
    BASALT_DIGEST("MD4", "md4", 16)
    BASALT_DIGEST("MD5", "md5", 16)
    BASALT_DIGEST("SHA1", "sha1", 20)
    BASALT_DIGEST("SHA224", "sha224", 28)
    BASALT_DIGEST("SHA256", "sha256", 32)
    BASALT_DIGEST("SHA384", "sha384", 48)
    BASALT_DIGEST("SHA512", "sha512", 64)
    BASALT_DIGEST("SHA512_256", "sha512-256", 32)
    BASALT_DIGEST("RIPEMD160", "ripemd160", 20)
    registry.add(
        "HMAC", [](const QueryContext&) -> ScalarFunctionPtr
        { return std::make_shared<HmacFunction>(); }, true);
    BASALT_TEXT_HASH("CRC32", crc32, uint32_t)
    BASALT_TEXT_HASH("CRC32IEEE", crc32_ieee, uint32_t)
    BASALT_TEXT_HASH("CRC64", crc64, uint64_t)
    BASALT_INTEGER_HASH("intHash32", int_hash32, uint32_t)
    BASALT_INTEGER_HASH("intHash64", int_hash64, uint64_t)
}

#undef BASALT_DIGEST
#undef BASALT_TEXT_HASH
#undef BASALT_INTEGER_HASH

} // namespace basalt
