#include "base/error.h"
#include "sql/ast.h"
#include "sql/formatter.h"
#include "sql/parser.h"
#include "tests/unit/sql/corpus.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace basalt
{

namespace
{

AstPtr parse_or_report(const std::string& text, const std::string& origin)
{
    try
    {
        return parse_query(text);
    }
    catch (const Error& error)
    {
        ADD_FAILURE() << error.message() << "\n  in: " << text << "\n  of: " << origin;
        return nullptr;
    }
}

} // namespace

TEST(SqlCorpus, HasManyStatements)
{
    EXPECT_GE(read_corpus().size(), 400u);
}

TEST(SqlCorpus, FormatThenParseGivesTheSameTree)
{
    for (const std::string& statement : read_corpus())
    {
        const AstPtr ast = parse_or_report(statement, statement);
        if (ast == nullptr)
            continue;
        for (const std::string& text : {format_query(*ast), format_query_multiline(*ast)})
        {
            const AstPtr again = parse_or_report(text, statement);
            if (again == nullptr)
                continue;
            EXPECT_TRUE(same_tree(*ast, *again))
                << statement << "\n" << text << "\n" << dump_tree(*ast) << "\n"
                << dump_tree(*again);
            EXPECT_EQ(format_query(*again), format_query(*ast)) << statement;
        }
        const AstPtr copy = ast->clone();
        EXPECT_TRUE(same_tree(*ast, *copy)) << statement;
        EXPECT_FALSE(explain_tree(*ast).empty());
        EXPECT_FALSE(format_query_masked(*ast).empty());
    }
}

TEST(SqlCorpus, WrongStatementsAreErrors)
{
    const std::vector<std::string> statements = read_corpus("errors");
    EXPECT_GE(statements.size(), 40u);
    for (const std::string& statement : statements)
        EXPECT_THROW(parse_query(statement), Error) << statement;
}

// Whatever is done to a statement, the answer is a tree or an Error.
TEST(SqlCorpus, MutatedStatementsNeverCrash)
{
    const std::vector<std::string> corpus = read_corpus();
    ASSERT_FALSE(corpus.empty());
    const char* wish = std::getenv("SQL_MUTATION_ROUNDS");
    const int rounds = wish == nullptr ? 12 : std::atoi(wish);
    std::mt19937 random(20260826);
    const auto below = [&](size_t limit) { return random() % std::max<size_t>(limit, 1); };
    const auto try_parse = [](const std::string& text)
    {
        try
        {
            const AstPtr ast = parse_query(text);
            // What parses can be written, and what is written parses.
            const std::string once = format_query(*ast);
            const AstPtr again = parse_query(once);
            EXPECT_TRUE(same_tree(*ast, *again)) << text << "\n" << once;
        }
        catch (const Error&)
        {
        }
    };
    for (const std::string& statement : corpus)
    {
        for (int round = 0; round < rounds; ++round)
        {
            std::string text = statement;
            const size_t edits = 1 + below(3);
            for (size_t edit = 0; edit < edits && !text.empty(); ++edit)
            {
                const size_t at = below(text.size());
                const size_t length = below(std::min<size_t>(12, text.size() - at) + 1);
                switch (below(5))
                {
                case 0:
                    text.resize(at);
                    break;
                case 1:
                    text.erase(at, length);
                    break;
                case 2:
                    text.insert(at, text.substr(below(text.size()), length));
                    break;
                case 3:
                {
                    const std::string& other = corpus[below(corpus.size())];
                    const size_t from = below(other.size());
                    text.insert(at, other.substr(from, below(30)));
                    break;
                }
                default:
                    text[at] = "()[]{},.;'\"`*-+:=<>|?@^$\\ 0aA\n"[below(31)];
                }
            }
            try_parse(text);
        }
        for (size_t cut = 1; cut < statement.size(); cut += 7)
            try_parse(statement.substr(0, cut));
    }
}

} // namespace basalt
