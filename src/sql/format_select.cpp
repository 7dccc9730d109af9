#include "sql/format_impl.h"

namespace basalt
{

void FormatWriter::line_break()
{
    if (multiline_)
        out += '\n' + std::string(static_cast<size_t>(indent_) * 4, ' ');
    else if (!out.empty())
        out += ' ';
}

// One item stays on the line, more go on lines of their own.
void FormatWriter::indented_list(const AstList& items)
{
    if (!multiline_ || items.size() < 2)
    {
        out += ' ';
        ++indent_; // for subqueries within
        list(items);
        --indent_;
        return;
    }
    ++indent_;
    for (size_t i = 0; i < items.size(); ++i)
    {
        out += i == 0 ? "" : ",";
        line_break();
        expression(*items[i]);
    }
    --indent_;
}

void FormatWriter::clause_list(const char* words, const AstList& items)
{
    line_break();
    out += words;
    indented_list(items);
}

void FormatWriter::with(const AstSelect& ast)
{
    out += ast.with_recursive ? "WITH RECURSIVE" : "WITH";
    ++indent_;
    for (size_t i = 0; i < ast.with.size(); ++i)
    {
        out += i == 0 ? "" : ",";
        line_break();
        const auto* element = ast.with[i]->as<AstWithElement>();
        if (element == nullptr)
        {
            expression(*ast.with[i]);
            continue;
        }
        name(element->name);
        if (!element->columns.empty())
        {
            out += '(';
            for (size_t c = 0; c < element->columns.size(); ++c)
            {
                out += c == 0 ? "" : ", ";
                name(element->columns[c]);
            }
            out += ')';
        }
        out += element->materialized ? " AS MATERIALIZED" : " AS";
        line_break();
        expression(*element->subquery);
    }
    --indent_;
}

void FormatWriter::select(const AstSelect& ast)
{
    if (!ast.with.empty())
    {
        with(ast);
        line_break();
    }
    out += ast.distinct ? "SELECT DISTINCT" : "SELECT";
    indented_list(ast.projection);
    for (size_t i = 0; i < ast.from.size(); ++i)
        table_element(*ast.from[i]->as<AstTableElement>(), i == 0);
    const auto clause = [&](const char* words, const AstPtr& value)
    {
        if (value == nullptr)
            return;
        line_break();
        out += words;
        expression(*value);
    };
    clause("PREWHERE ", ast.prewhere);
    clause("WHERE ", ast.where);
    if (ast.group_by_all)
    {
        line_break();
        out += "GROUP BY ALL";
    }
    else if (ast.group_by_mode == GroupByMode::GroupingSets)
    {
        line_break();
        out += "GROUP BY";
        ++indent_;
        line_break();
        out += "GROUPING SETS (";
        ++indent_;
        for (size_t i = 0; i < ast.group_by.size(); ++i)
        {
            if (multiline_)
            {
                out += i == 0 ? "" : ",";
                line_break();
            }
            else
                out += i == 0 ? "" : ", ";
            out += '(';
            list(ast.group_by[i]->as<AstExpressionList>()->expressions);
            out += ')';
        }
        out += ')';
        indent_ -= 2;
    }
    else if (ast.group_by_mode != GroupByMode::Plain && ast.group_by.empty())
    {
        line_break();
        out += ast.group_by_mode == GroupByMode::Rollup ? "GROUP BY ROLLUP()" : "GROUP BY CUBE()";
    }
    else if (!ast.group_by.empty())
        clause_list("GROUP BY", ast.group_by);
    ++indent_;
    if (ast.group_by_mode == GroupByMode::Rollup && !ast.group_by.empty())
    {
        line_break();
        out += "WITH ROLLUP";
    }
    if (ast.group_by_mode == GroupByMode::Cube && !ast.group_by.empty())
    {
        line_break();
        out += "WITH CUBE";
    }
    if (ast.with_totals)
    {
        line_break();
        out += "WITH TOTALS";
    }
    --indent_;
    clause("HAVING ", ast.having);
    if (!ast.windows.empty())
    {
        line_break();
        out += "WINDOW";
        const bool many = multiline_ && ast.windows.size() > 1;
        ++indent_;
        for (size_t i = 0; i < ast.windows.size(); ++i)
        {
            const auto& one = *ast.windows[i]->as<AstWindowDefinition>();
            out += i == 0 ? "" : ",";
            if (many)
                line_break();
            else
                out += ' ';
            name(one.name);
            out += " AS ";
            window(one);
        }
        --indent_;
    }
    clause("QUALIFY ", ast.qualify);
    if (!ast.order_by.empty())
    {
        clause_list("ORDER BY", ast.order_by);
        if (ast.has_interpolate)
        {
            line_break();
            out += "INTERPOLATE";
            if (!ast.interpolate.empty())
            {
                out += " (";
                for (size_t i = 0; i < ast.interpolate.size(); ++i)
                {
                    const auto& one = *ast.interpolate[i]->as<AstInterpolateElement>();
                    out += i == 0 ? "" : ", ";
                    out += quote_identifier(one.name);
                    if (one.expression != nullptr)
                    {
                        out += " AS ";
                        expression(*one.expression);
                    }
                }
                out += ')';
            }
        }
    }
    if (ast.limit_by_limit != nullptr)
    {
        line_break();
        out += "LIMIT ";
        if (ast.limit_by_offset != nullptr)
        {
            expression(*ast.limit_by_offset);
            out += ", ";
        }
        expression(*ast.limit_by_limit);
        out += " BY";
        if (ast.limit_by_all)
            out += " ALL";
        else
            indented_list(ast.limit_by);
    }
    if (ast.limit != nullptr)
    {
        line_break();
        out += "LIMIT ";
        if (ast.offset != nullptr)
        {
            expression(*ast.offset);
            out += ", ";
        }
        expression(*ast.limit);
        if (ast.with_ties)
            out += " WITH TIES";
    }
    else
        clause("OFFSET ", ast.offset);
    settings_clause(ast.settings);
}

void FormatWriter::order_by_element(const AstOrderByElement& ast)
{
    out += ast.expression == nullptr ? "ALL" : "";
    if (ast.expression != nullptr)
        expression(*ast.expression);
    out += ast.descending ? " DESC" : " ASC";
    if (ast.explicit_nulls)
        out += ast.nulls_first ? " NULLS FIRST" : " NULLS LAST";
    if (ast.collation != nullptr)
    {
        out += " COLLATE ";
        expression(*ast.collation);
    }
    if (!ast.with_fill)
        return;
    out += " WITH FILL";
    const auto part = [&](const char* words, const AstPtr& value)
    {
        if (value == nullptr)
            return;
        out += words;
        expression(*value);
    };
    part(" FROM ", ast.fill_from);
    part(" TO ", ast.fill_to);
    part(" STEP ", ast.fill_step);
    part(" STALENESS ", ast.fill_staleness);
}

void FormatWriter::table(const Ast& ast)
{
    if (ast.kind == AstKind::Subquery)
        line_break();
    expression(ast);
}

void FormatWriter::table_element(const AstTableElement& ast, bool first)
{
    if (ast.join == AstJoinKind::ArrayJoin || ast.join == AstJoinKind::LeftArrayJoin)
    {
        clause_list(ast.join == AstJoinKind::ArrayJoin ? "ARRAY JOIN" : "LEFT ARRAY JOIN",
                    ast.array_join);
        return;
    }
    if (first)
    {
        line_break();
        out += "FROM";
    }
    else if (ast.join == AstJoinKind::Comma)
        out += ',';
    else
    {
        line_break();
        out += ast.locality == JoinLocality::Global  ? "GLOBAL "
               : ast.locality == JoinLocality::Local ? "LOCAL "
                                                     : "";
        out += ast.natural ? "NATURAL " : "";
        switch (ast.strictness)
        {
        case AstJoinStrictness::Unspecified:
            break;
        case AstJoinStrictness::All:
            out += "ALL ";
            break;
        case AstJoinStrictness::Any:
            out += "ANY ";
            break;
        case AstJoinStrictness::Semi:
            out += "SEMI ";
            break;
        case AstJoinStrictness::Anti:
            out += "ANTI ";
            break;
        case AstJoinStrictness::Asof:
            out += "ASOF ";
            break;
        }
        switch (ast.join)
        {
        case AstJoinKind::Left:
            out += "LEFT JOIN";
            break;
        case AstJoinKind::Right:
            out += "RIGHT JOIN";
            break;
        case AstJoinKind::Full:
            out += "FULL OUTER JOIN";
            break;
        case AstJoinKind::Cross:
            out += "CROSS JOIN";
            break;
        case AstJoinKind::Paste:
            out += "PASTE JOIN";
            break;
        default:
            out += "INNER JOIN";
        }
    }
    const bool breaks = ast.table->kind == AstKind::Subquery;
    if (!breaks)
        out += ' ';
    table(*ast.table);
    if (!ast.column_aliases.empty())
    {
        out += '(';
        for (size_t i = 0; i < ast.column_aliases.size(); ++i)
        {
            out += i == 0 ? "" : ", ";
            name(ast.column_aliases[i]);
        }
        out += ')';
    }
    if (ast.is_final)
    {
        line_break();
        out += "FINAL";
    }
    if (ast.sample != nullptr)
    {
        line_break();
        out += "SAMPLE ";
        expression(*ast.sample);
    }
    if (ast.sample_offset != nullptr)
    {
        out += " OFFSET ";
        expression(*ast.sample_offset);
    }
    if (ast.has_using)
    {
        out += " USING (";
        list(ast.using_columns);
        out += ')';
    }
    else if (ast.on != nullptr)
    {
        out += " ON ";
        expression(*ast.on);
    }
}

void FormatWriter::select_union(const AstSelectUnion& ast)
{
    static constexpr const char* kNames[] = {
        "UNION",         "UNION ALL",          "UNION DISTINCT",
        "INTERSECT",     "INTERSECT ALL",      "INTERSECT DISTINCT",
        "EXCEPT",        "EXCEPT ALL",         "EXCEPT DISTINCT"};
    for (size_t i = 0; i < ast.selects.size(); ++i)
    {
        if (i > 0)
        {
            line_break();
            out += kNames[static_cast<size_t>(ast.operations[i - 1])];
            line_break();
        }
        const Ast& one = *ast.selects[i];
        // (EXPLAIN ..) UNION and the like never parse; only unions nest.
        if (one.kind == AstKind::SelectUnion)
            subquery(one);
        else
            node(one);
    }
}

void FormatWriter::settings_clause(const AstPtr& ast)
{
    if (ast == nullptr)
        return;
    line_break();
    out += "SETTINGS ";
    settings(*ast);
}

void FormatWriter::settings(const Ast& ast)
{
    setting_changes(ast.as<AstSetQuery>()->changes);
}

void FormatWriter::setting_changes(const std::vector<SettingChange>& changes)
{
    bool first = true;
    for (const SettingChange& change : changes)
    {
        out += first ? "" : ", ";
        first = false;
        dotted_name(change.name);
        out += " = ";
        if (change.is_default)
            out += "DEFAULT";
        else
            setting_value(*change.value);
    }
}

void FormatWriter::setting_value(const Ast& ast)
{
    const auto* function = ast.as<AstFunction>();
    if (function != nullptr && function->is_operator && function->name == "map")
    {
        out += '{';
        for (size_t i = 0; i + 1 < function->arguments.size(); i += 2)
        {
            out += i == 0 ? "" : ", ";
            expression(*function->arguments[i], true);
            out += ": ";
            expression(*function->arguments[i + 1]);
        }
        out += '}';
        return;
    }
    expression(ast);
}

// Values and Null are plain names here.
void FormatWriter::format_name(const std::string& format)
{
    if (format == "Values" || format == "Null")
        out += format;
    else
        name(format);
}

void FormatWriter::query(const AstQuery& ast)
{
    node(*ast.statement);
    if (ast.outfile != nullptr)
    {
        line_break();
        out += "INTO OUTFILE ";
        expression(*ast.outfile);
        out += ast.outfile_append ? " APPEND" : ast.outfile_truncate ? " TRUNCATE" : "";
        out += ast.outfile_stdout ? " AND STDOUT" : "";
        if (ast.compression != nullptr)
        {
            out += " COMPRESSION ";
            expression(*ast.compression);
        }
        if (ast.compression_level != nullptr)
        {
            out += " LEVEL ";
            expression(*ast.compression_level);
        }
    }
    if (!ast.format.empty())
    {
        line_break();
        out += "FORMAT ";
        format_name(ast.format);
    }
    settings_clause(ast.settings);
}

} // namespace basalt
