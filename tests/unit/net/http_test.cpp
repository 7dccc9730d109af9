// Forms and handler rules, byte by byte.

#include "base/error.h"
#include "net/http/handler_rules.h"
#include "net/http/multipart.h"

#include <gtest/gtest.h>

#include <random>

namespace basalt
{
namespace
{

// Gives its bytes a few at a time, as a socket may.
class Dripping : public InputBuffer
{
public:
    Dripping(std::string bytes, unsigned seed) : bytes_(std::move(bytes)), random_(seed) {}

protected:
    size_t read_some(char* to, size_t size) override
    {
        const size_t count =
            std::min({size, bytes_.size() - at_, static_cast<size_t>(1 + random_() % 7)});
        bytes_.copy(to, count, at_);
        at_ += count;
        return count;
    }

private:
    std::string bytes_;
    size_t at_ = 0;
    std::mt19937 random_;
};

struct Given
{
    std::string name;
    bool is_file;
    std::string content;
};

std::string form_of(const std::vector<Given>& parts, const std::string& boundary)
{
    std::string body = "a preamble that is nobody's\r\n";
    for (const auto& part : parts)
        body += "--" + boundary + "\r\nContent-Disposition: form-data; name=\"" + part.name + "\"" +
                (part.is_file ? "; filename=\"f\"" : "") + "\r\nX-Other: 1\r\n\r\n" + part.content +
                "\r\n";
    return body + "--" + boundary + "--\r\n";
}

std::string read_all(InputBuffer& in)
{
    std::string text;
    while (!in.eof())
    {
        text += in.available();
        in.consume(in.available().size());
    }
    return text;
}

TEST(Multipart, GivesWhatWasWritten)
{
    for (unsigned seed = 0; seed < 200; ++seed)
    {
        std::mt19937 random(seed);
        const std::string boundary = "----B";
        std::vector<Given> parts(1 + random() % 4);
        for (auto& part : parts)
        {
            part.name = "n" + std::to_string(random() % 100);
            part.is_file = random() % 2;
            // Pieces of the delimiter among the bytes.
            static const char* const kPieces[] = {"\r\n", "--", "----B", "\r\n--", "x", "\r", "\r\n----"};
            for (unsigned i = random() % 12; i > 0; --i)
                part.content += kPieces[random() % std::size(kPieces)];
            while (part.content.find("\r\n--" + boundary) != std::string::npos ||
                   part.content.starts_with("--" + boundary))
                part.content = "plain";
        }
        Dripping in(form_of(parts, boundary), seed);
        MultipartReader reader(in, boundary);
        for (const auto& part : parts)
        {
            const auto got = reader.next();
            ASSERT_TRUE(got) << seed;
            EXPECT_EQ(got->name, part.name) << seed;
            EXPECT_EQ(got->filename.has_value(), part.is_file) << seed;
            if (random() % 4 == 0)
                continue; // skipped
            EXPECT_EQ(read_all(reader.body()), part.content) << seed;
        }
        EXPECT_FALSE(reader.next()) << seed;
        EXPECT_FALSE(reader.next()) << seed;
    }
}

TEST(Multipart, BrokenBodiesAreErrors)
{
    const std::string whole = form_of({{"a", false, "1"}, {"b", true, "2\r\n3"}}, "B");
    for (size_t cut = 0; cut + 4 < whole.size(); ++cut)
    {
        MemoryInputBuffer in(std::string_view(whole).substr(0, cut));
        MultipartReader reader(in, "B");
        EXPECT_THROW(
            {
                while (reader.next())
                    read_all(reader.body());
            },
            Error)
            << cut;
    }
    // Whatever a byte becomes, there is an end.
    for (size_t at = 0; at < whole.size(); ++at)
    {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x21);
        MemoryInputBuffer in(changed);
        try
        {
            MultipartReader reader(in, "B");
            while (reader.next())
                read_all(reader.body());
        }
        catch (const Error&)
        {
        }
    }
}

TEST(Multipart, Boundary)
{
    EXPECT_EQ(multipart_boundary("multipart/form-data; boundary=abc"), "abc");
    EXPECT_EQ(multipart_boundary("Multipart/Form-Data; charset=x; boundary=\"a b\""), "a b");
    EXPECT_EQ(multipart_boundary("text/plain"), std::nullopt);
    EXPECT_THROW(multipart_boundary("multipart/form-data"), Error);
    EXPECT_THROW(multipart_boundary("multipart/form-data; boundary=" + std::string(300, 'x')), Error);
}

TEST(HandlerRules, Match)
{
    const HandlerRule rule = parse_handler_rule("GET,POST /errors/{pod}/last query SELECT {pod:String}");
    EXPECT_EQ(rule.text, "SELECT {pod:String}");
    HttpRequest request;
    request.method = "GET";
    request.path = "/errors/a b/last";
    const auto captures = rule.match(request);
    ASSERT_TRUE(captures);
    EXPECT_EQ(captures->at(0).first, "pod");
    EXPECT_EQ(captures->at(0).second, "a b");
    for (const char* path : {"/errors/a", "/errors/a/last/b", "/errors//last", "/Errors/a/last", "/"})
    {
        request.path = path;
        EXPECT_FALSE(rule.match(request)) << path;
    }
    request.path = "/errors/a/last";
    request.method = "PUT";
    EXPECT_FALSE(rule.match(request));
    for (const char* broken : {"", "GET", "GET /a", "GET /a query", "GET a query SELECT 1", "FLY /a query SELECT 1",
                               "GET /a static x text/plain y", "GET /a static 200", "GET /a static 99 text/plain",
                               "GET /a other x"})
        EXPECT_THROW(parse_handler_rule(broken), Error) << broken;
}

} // namespace
} // namespace basalt
