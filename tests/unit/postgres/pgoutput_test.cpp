#include "postgres/pgoutput.h"

#include "base/clock.h"
#include "base/error.h"

#include <gtest/gtest.h>

namespace basalt::pg
{
namespace
{

// Bytes in network order.
class Bytes
{
public:
    explicit Bytes(char kind) { text_.push_back(kind); }
    Bytes& number(uint64_t value, int size)
    {
        for (int i = size - 1; i >= 0; --i)
            text_.push_back(static_cast<char>(value >> (8 * i)));
        return *this;
    }
    Bytes& u8(uint64_t value) { return number(value, 1); }
    Bytes& u16(uint64_t value) { return number(value, 2); }
    Bytes& u32(uint64_t value) { return number(value, 4); }
    Bytes& u64(uint64_t value) { return number(value, 8); }
    Bytes& letter(char c) { return u8(static_cast<unsigned char>(c)); }
    Bytes& text(std::string_view value)
    {
        text_.append(value);
        text_.push_back('\0');
        return *this;
    }
    Bytes& value(std::string_view bytes)
    {
        letter('t').u32(bytes.size());
        text_.append(bytes);
        return *this;
    }
    const std::string& get() const { return text_; }

private:
    std::string text_;
};

std::vector<std::string> plain_messages()
{
    return {
        Bytes('B').u64(0x16B374D848).u64(1000000).u32(777).get(),
        Bytes('R').u32(16385).text("public").text("items").letter('d').u16(2)
            .u8(1).text("id").u32(23).u32(0xFFFFFFFF).u8(0).text("note").u32(25).u32(8).get(),
        Bytes('Y').u32(90001).text("public").text("colour").get(),
        Bytes('I').u32(16385).letter('N').u16(2).value("1").letter('n').get(),
        Bytes('U').u32(16385).letter('N').u16(2).value("1").letter('u').get(),
        Bytes('U').u32(16385).letter('K').u16(2).value("1").letter('n').letter('N').u16(2)
            .value("2").value("two").get(),
        Bytes('D').u32(16385).letter('O').u16(2).value("2").value("two").get(),
        Bytes('T').u32(2).u8(3).u32(16385).u32(16390).get(),
        Bytes('M').u8(1).u64(99).text("basalt").u32(4).u32(0x68656c6c).get(),
        Bytes('O').u64(5).text("elsewhere").get(),
        Bytes('C').u8(0).u64(0x16B374D848).u64(0x16B374D880).u64(1000000).get(),
    };
}

TEST(PgOutput, ReadsATransaction)
{
    PgOutputParser parser;
    const auto texts = plain_messages();
    const auto begin = std::get<BeginMessage>(parser.parse(texts[0]));
    EXPECT_EQ(begin.commit_lsn.text(), "16/B374D848");
    EXPECT_EQ(begin.commit_unix_us, kPostgresEpochUnixUs + 1000000);
    EXPECT_EQ(begin.xid, 777u);
    const auto relation = std::get<RelationMessage>(parser.parse(texts[1]));
    EXPECT_EQ(relation.schema, "public");
    EXPECT_EQ(relation.name, "items");
    EXPECT_EQ(relation.identity, ReplicaIdentity::Default);
    ASSERT_EQ(relation.columns.size(), 2u);
    EXPECT_TRUE(relation.columns[0].is_key);
    EXPECT_EQ(relation.columns[0].type_modifier, -1);
    EXPECT_EQ(relation.columns[1].name, "note");
    EXPECT_EQ(relation.columns[1].type_oid, 25u);
    EXPECT_EQ(std::get<TypeMessage>(parser.parse(texts[2])).name, "colour");
    const auto insert = std::get<InsertMessage>(parser.parse(texts[3]));
    EXPECT_EQ(insert.relation_oid, 16385u);
    EXPECT_EQ(insert.row[0].bytes, "1");
    EXPECT_EQ(insert.row[1].kind, TupleValue::Kind::Null);
    const auto plain = std::get<UpdateMessage>(parser.parse(texts[4]));
    EXPECT_FALSE(plain.before);
    EXPECT_EQ(plain.row[1].kind, TupleValue::Kind::Unchanged);
    const auto moved = std::get<UpdateMessage>(parser.parse(texts[5]));
    ASSERT_TRUE(moved.before);
    EXPECT_FALSE(moved.before_is_whole_row);
    EXPECT_EQ((*moved.before)[0].bytes, "1");
    EXPECT_EQ(moved.row[1].bytes, "two");
    const auto removed = std::get<DeleteMessage>(parser.parse(texts[6]));
    EXPECT_TRUE(removed.before_is_whole_row);
    EXPECT_EQ(removed.before[1].bytes, "two");
    const auto truncated = std::get<TruncateMessage>(parser.parse(texts[7]));
    EXPECT_TRUE(truncated.cascade && truncated.restart_identity);
    EXPECT_EQ(truncated.relation_oids, (std::vector<uint32_t>{16385, 16390}));
    const auto logical = std::get<LogicalMessage>(parser.parse(texts[8]));
    EXPECT_TRUE(logical.transactional);
    EXPECT_EQ(logical.prefix, "basalt");
    EXPECT_EQ(logical.content, "hell");
    EXPECT_EQ(std::get<OriginMessage>(parser.parse(texts[9])).name, "elsewhere");
    EXPECT_EQ(std::get<CommitMessage>(parser.parse(texts[10])).end_lsn.value, 0x16B374D880u);
}

TEST(PgOutput, ReadsStreams)
{
    PgOutputParser parser;
    const auto start = std::get<StreamStartMessage>(parser.parse(Bytes('S').u32(50).u8(1).get()));
    EXPECT_TRUE(start.is_first);
    EXPECT_TRUE(parser.is_in_stream());
    const std::string insert = Bytes('I').u32(51).u32(7).letter('N').u16(1).value("x").get();
    EXPECT_EQ(std::get<InsertMessage>(parser.parse(insert)).relation_oid, 7u);
    EXPECT_EQ(parser.stream_xid(), 51u);
    parser.parse(Bytes('E').get());
    EXPECT_FALSE(parser.is_in_stream());
    EXPECT_EQ(parser.stream_xid(), 0u);
    const auto abort = std::get<StreamAbortMessage>(parser.parse(Bytes('A').u32(50).u32(51).get()));
    EXPECT_EQ(abort.sub_xid, 51u);
    const auto commit = std::get<StreamCommitMessage>(
        parser.parse(Bytes('c').u32(50).u8(0).u64(1).u64(2).u64(3).get()));
    EXPECT_EQ(commit.xid, 50u);
    EXPECT_EQ(commit.commit.end_lsn.value, 2u);
}

int code_of(PgOutputParser& parser, const std::string& payload)
{
    try
    {
        parser.parse(payload);
        return 0;
    }
    catch (const Error& error)
    {
        return error.code();
    }
}

TEST(PgOutput, RefusesWhatIsNoMessage)
{
    for (const auto& bad :
         {std::string(), std::string("?"), Bytes('E').get(), Bytes('R').u32(1).text("a").get(),
          Bytes('I').u32(1).letter('O').u16(0).get(),
          Bytes('I').u32(1).letter('N').u16(1).letter('x').get(),
          Bytes('I').u32(1).letter('N').u16(60000).get(),
          Bytes('I').u32(1).letter('N').u16(1).letter('t').u32(0xFFFFFFFF).get(),
          Bytes('T').u32(0xFFFFFFFF).u8(0).get(), Bytes('U').u32(1).letter('K').u16(0).get(),
          Bytes('R').u32(1).text("a").text("b").letter('?').u16(0).get()})
    {
        PgOutputParser parser;
        EXPECT_EQ(code_of(parser, bad), error_codes::INCORRECT_DATA) << bad;
    }
    PgOutputParser parser;
    EXPECT_EQ(code_of(parser, Bytes('P').u8(0).get()), error_codes::NOT_IMPLEMENTED);
    parser.parse(Bytes('S').u32(1).u8(1).get());
    EXPECT_EQ(code_of(parser, Bytes('S').u32(1).u8(1).get()), error_codes::INCORRECT_DATA);
    EXPECT_EQ(code_of(parser, plain_messages()[0]), error_codes::INCORRECT_DATA);
}

TEST(PgOutput, SurvivesDamage)
{
    SeededRandom random(7);
    for (const auto& good : plain_messages())
    {
        for (size_t size = 0; size < good.size(); ++size)
        {
            PgOutputParser parser;
            EXPECT_NE(code_of(parser, good.substr(0, size)), 0) << size;
        }
        PgOutputParser longer;
        EXPECT_EQ(code_of(longer, good + "x"), error_codes::INCORRECT_DATA);
        for (int i = 0; i < 3000; ++i)
        {
            std::string bad = good;
            const int flips = 1 + static_cast<int>(random.next_u64() % 4);
            for (int flip = 0; flip < flips; ++flip)
                bad[random.next_u64() % bad.size()] = static_cast<char>(random.next_u64());
            PgOutputParser parser;
            const int code = code_of(parser, bad);
            EXPECT_TRUE(code == 0 || code == error_codes::INCORRECT_DATA ||
                        code == error_codes::NOT_IMPLEMENTED)
                << code;
        }
    }
}

} // namespace
} // namespace basalt::pg
