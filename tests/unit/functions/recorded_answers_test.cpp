// Every expression in answers/*.tsv, as constants and as columns, against the recorded answers of
// ClickHouse. Columns of a line: expression, type, value; or expression, "!", error code. What needs
// constants stands in files whose names end in _constants and is not tried on columns.

#include "tests/unit/functions/expression_text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace basalt
{
namespace
{

std::vector<std::string> answer_files()
{
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(
             BASALT_SOURCE_DIR "/tests/unit/functions/answers"))
        if (entry.path().extension() == ".tsv")
            names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

class RecordedAnswers : public testing::TestWithParam<std::string>
{
};

// The type's name as one line: TabSeparated escapes it and toTypeName breaks named tuples up.
std::string plain_type_name(std::string_view escaped)
{
    std::string name;
    for (size_t i = 0; i < escaped.size(); ++i)
    {
        if (escaped[i] != '\\')
        {
            name += escaped[i];
            continue;
        }
        ++i;
        if (escaped[i] != 'n')
        {
            name += escaped[i];
            continue;
        }
        while (i + 1 < escaped.size() && escaped[i + 1] == ' ')
            ++i;
        if (!name.empty() && name.back() == ',')
            name += ' ';
    }
    return name;
}

void check(const std::string& line, LiteralForm form, const QueryContext& context)
{
    const size_t first = line.find('\t');
    const size_t second = line.find('\t', first + 1);
    const std::string text = line.substr(0, first);
    const std::string type = plain_type_name(line.substr(first + 1, second - first - 1));
    const std::string value = line.substr(second + 1);
    const char* form_name = form == LiteralForm::Constant ? " (constants)" : " (columns)";
    try
    {
        const TextResult result = run_expression_text(text, form, context);
        if (type == "!")
        {
            ADD_FAILURE() << text << form_name << ": expected error " << value << ", got "
                          << result.rows[0];
            return;
        }
        // A function keeps LowCardinality only while its other arguments are constant.
        const bool same = result.type == type || (form == LiteralForm::Column &&
                                                  "LowCardinality(" + result.type + ")" == type);
        EXPECT_TRUE(same) << text << form_name << " has type " << result.type << ", not " << type;
        for (const std::string& row : result.rows)
            EXPECT_EQ(row, value) << text << form_name;
    }
    catch (const Error& error)
    {
        if (type == "!")
            EXPECT_EQ(std::to_string(error.code()), value) << text << form_name << error.message();
        else
            ADD_FAILURE() << text << form_name << ": " << error.full_text();
    }
}

TEST_P(RecordedAnswers, AreOurs)
{
    QueryContext context;
    context.server_timezone = "Etc/UTC";
    context.start();
    std::ifstream file(BASALT_SOURCE_DIR "/tests/unit/functions/answers/" + GetParam() + ".tsv");
    size_t lines = 0;
    for (std::string line; std::getline(file, line);)
    {
        if (line.empty() || line[0] == '#')
            continue;
        check(line, LiteralForm::Constant, context);
        if (!GetParam().ends_with("_constants"))
            check(line, LiteralForm::Column, context);
        ++lines;
    }
    EXPECT_GT(lines, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, RecordedAnswers, testing::ValuesIn(answer_files()),
                         [](const auto& info) { return info.param; });

} // namespace
} // namespace basalt
