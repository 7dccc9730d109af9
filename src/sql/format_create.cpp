#include "sql/format_impl.h"

namespace basalt
{

namespace
{

const char* kTtlActions[] = {"", " TO DISK ", " TO VOLUME ", "", ""};

} // namespace

void FormatWriter::sql_security(const std::string& security, const std::string& definer)
{
    if (!definer.empty())
    {
        out += "DEFINER = ";
        if (definer == "CURRENT_USER")
            out += definer;
        else
            user_name(definer);
    }
    if (!security.empty())
        out += (definer.empty() ? "SQL SECURITY " : " SQL SECURITY ") + security;
}

// Intervals as REFRESH has them: 1 HOUR 30 MINUTE.
void FormatWriter::period(const Ast& ast)
{
    const auto& function = *ast.as<AstFunction>();
    const bool several = function.name == "tuple";
    const auto one = [&](const AstFunction& part)
    {
        expression(*part.arguments.front());
        std::string unit = part.name.substr(std::string_view("toInterval").size());
        for (char& c : unit)
            c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
        out += " " + unit;
    };
    if (!several)
    {
        one(function);
        return;
    }
    for (size_t i = 0; i < function.arguments.size(); ++i)
    {
        out += i == 0 ? "" : " ";
        one(*function.arguments[i]->as<AstFunction>());
    }
}

void FormatWriter::refresh(const AstRefreshStrategy& ast)
{
    out += ast.after ? "REFRESH AFTER " : "REFRESH EVERY ";
    period(*ast.period);
    if (ast.offset != nullptr)
    {
        out += " OFFSET ";
        period(*ast.offset);
    }
    if (ast.randomize != nullptr)
    {
        out += " RANDOMIZE FOR ";
        period(*ast.randomize);
    }
    for (size_t i = 0; i < ast.depends_on.size(); ++i)
    {
        out += i == 0 ? " DEPENDS ON " : ", ";
        table_name(ast.depends_on[i]);
    }
    if (ast.settings != nullptr)
    {
        out += " SETTINGS ";
        settings(*ast.settings);
    }
    out += ast.append ? " APPEND" : "";
}

void FormatWriter::table_elements(const AstCreateTable& ast)
{
    if (!ast.column_names.empty())
    {
        out += " (";
        for (size_t i = 0; i < ast.column_names.size(); ++i)
        {
            out += i == 0 ? "" : ", ";
            name(ast.column_names[i]);
        }
        out += ')';
        return;
    }
    if (!ast.has_columns)
        return;
    line_break();
    out += '(';
    ++indent_;
    bool first = true;
    const auto each = [&](const AstList& items)
    {
        for (const AstPtr& item : items)
        {
            if (multiline_)
            {
                out += first ? "" : ",";
                line_break();
            }
            else
                out += first ? "" : ", ";
            first = false;
            node(*item);
        }
    };
    each(ast.columns);
    each(ast.indices);
    each(ast.constraints);
    each(ast.projections);
    --indent_;
    if (multiline_ && !first)
        line_break();
    out += ')';
}

void FormatWriter::create_table(const AstCreateTable& ast)
{
    out += ast.attach ? "ATTACH " : ast.replace_table ? "REPLACE " : "CREATE ";
    out += ast.create_or_replace ? "OR REPLACE " : "";
    out += ast.temporary ? "TEMPORARY " : "";
    out += ast.create == CreateKind::Table  ? "TABLE "
           : ast.create == CreateKind::View ? "VIEW "
                                            : "MATERIALIZED VIEW ";
    out += ast.if_not_exists ? "IF NOT EXISTS " : "";
    table_name(ast.name);
    if (!ast.uuid.empty())
        out += " UUID " + quote_string(ast.uuid);
    if (ast.attach_from != nullptr)
    {
        out += " FROM ";
        expression(*ast.attach_from);
    }
    if (ast.has_attach_as)
        out += ast.attach_as_replicated ? " AS REPLICATED" : " AS NOT REPLICATED";
    on_cluster(ast.cluster);
    const bool view = ast.create != CreateKind::Table;
    if (ast.refresh != nullptr)
    {
        line_break();
        refresh(*ast.refresh->as<AstRefreshStrategy>());
    }
    if (!ast.to_uuid.empty())
        out += " TO INNER UUID " + quote_string(ast.to_uuid);
    if (!ast.to_table.table.empty() || ast.to_table.table_parameter != nullptr)
    {
        out += " TO ";
        table_name(ast.to_table);
    }
    table_elements(ast);
    if (view && (!ast.sql_security.empty() || !ast.definer.empty()))
    {
        line_break();
        sql_security(ast.sql_security, ast.definer);
    }
    const auto as_table = [&]
    {
        if (ast.as_table.table.empty() && ast.as_table.table_parameter == nullptr)
            return;
        out += ast.clone ? " CLONE AS " : " AS ";
        table_name(ast.as_table);
    };
    as_table();
    if (ast.storage != nullptr)
        storage(*ast.storage->as<AstStorage>());
    if (view && ast.populate)
        out += " POPULATE";
    if (ast.empty)
        out += " EMPTY";
    if (ast.comment != nullptr)
    {
        line_break();
        out += "COMMENT ";
        expression(*ast.comment);
    }
    if (ast.as_table_function != nullptr)
    {
        out += " AS ";
        expression(*ast.as_table_function);
    }
    if (ast.select != nullptr)
    {
        line_break();
        out += "AS ";
        node(*ast.select);
    }
}

void FormatWriter::storage(const AstStorage& ast)
{
    const auto clause = [&](const char* words, const AstPtr& value)
    {
        if (value == nullptr)
            return;
        line_break();
        out += words;
        expression(*value);
    };
    clause("ENGINE = ", ast.engine);
    clause("PARTITION BY ", ast.partition_by);
    clause("PRIMARY KEY ", ast.primary_key);
    if (ast.order_by != nullptr)
    {
        line_break();
        out += "ORDER BY ";
        const auto key = [&](const Ast& one)
        {
            const auto* element = one.as<AstOrderByElement>();
            expression(element == nullptr ? one : *element->expression);
            out += element != nullptr && element->descending ? " DESC" : "";
        };
        const auto* tuple = ast.order_by->as<AstFunction>();
        bool mixed = false;
        if (tuple != nullptr && tuple->name == "tuple")
            for (const AstPtr& one : tuple->arguments)
                mixed = mixed || one->kind == AstKind::OrderByElement;
        if (mixed)
        {
            out += "tuple(";
            for (size_t i = 0; i < tuple->arguments.size(); ++i)
            {
                out += i == 0 ? "" : ", ";
                key(*tuple->arguments[i]);
            }
            out += ')';
        }
        else
            key(*ast.order_by);
    }
    clause("SAMPLE BY ", ast.sample_by);
    if (!ast.ttl.empty())
    {
        line_break();
        out += "TTL ";
        ttl_list(ast.ttl);
    }
    settings_clause(ast.settings);
}

void FormatWriter::ttl_list(const AstList& items)
{
    for (size_t i = 0; i < items.size(); ++i)
    {
        out += i == 0 ? "" : ", ";
        ttl(*items[i]->as<AstTtlElement>());
    }
}

void FormatWriter::ttl(const AstTtlElement& ast)
{
    expression(*ast.expression);
    out += kTtlActions[static_cast<size_t>(ast.action)];
    if (!ast.destination.empty())
        out += (ast.if_exists ? "IF EXISTS " : "") + quote_string(ast.destination);
    if (ast.action == TtlAction::GroupBy)
    {
        out += " GROUP BY ";
        list(ast.group_by);
        if (!ast.assignments.empty())
        {
            out += " SET ";
            assignments(ast.assignments);
        }
    }
    else if (ast.action == TtlAction::Recompress)
    {
        out += " RECOMPRESS ";
        expression(*ast.codec);
    }
    else if (ast.explicit_delete)
        out += " DELETE";
    if (ast.where != nullptr)
    {
        out += " WHERE ";
        expression(*ast.where);
    }
}

void FormatWriter::assignments(const AstList& items)
{
    for (size_t i = 0; i < items.size(); ++i)
    {
        const auto& one = *items[i]->as<AstAssignment>();
        out += i == 0 ? "" : ", ";
        dotted_name(one.column);
        out += " = ";
        expression(*one.expression);
    }
}

// A type; in the multi-line form a Tuple with names has its elements on lines of their own.
void FormatWriter::type(const AstTypeName& ast)
{
    bool names = multiline_ && !ast.arguments.empty();
    bool types = names;
    for (const AstPtr& argument : ast.arguments)
    {
        names = names && argument->kind == AstKind::NameTypePair;
        types = types && (argument->kind == AstKind::NameTypePair ||
                          argument->kind == AstKind::TypeName);
    }
    if (!types || (names && ast.name != "Tuple" && ast.name != "Nested"))
    {
        out += ast.to_text();
        return;
    }
    const bool lines = names && ast.name == "Tuple";
    name(ast.name);
    out += '(';
    indent_ += lines ? 1 : 0;
    for (size_t i = 0; i < ast.arguments.size(); ++i)
    {
        out += i == 0 ? "" : lines ? "," : ", ";
        if (lines)
            line_break();
        const auto* pair = ast.arguments[i]->as<AstNameTypePair>();
        if (pair != nullptr)
        {
            name(pair->name);
            out += ' ';
        }
        type(*(pair == nullptr ? ast.arguments[i] : pair->type)->as<AstTypeName>());
    }
    indent_ -= lines ? 1 : 0;
    out += ')';
}

void FormatWriter::column(const AstColumnDeclaration& ast)
{
    out += quote_identifier(ast.name);
    if (ast.type != nullptr)
    {
        out += ' ';
        type(*ast.type->as<AstTypeName>());
    }
    if (ast.null_modifier == NullModifier::Null)
        out += " NULL";
    else if (ast.null_modifier == NullModifier::NotNull)
        out += " NOT NULL";
    switch (ast.default_kind)
    {
    case ColumnDefault::None:
        break;
    case ColumnDefault::Materialized:
        out += " MATERIALIZED";
        break;
    case ColumnDefault::Ephemeral:
        out += " EPHEMERAL";
        break;
    case ColumnDefault::Alias:
        out += " ALIAS";
        break;
    default:
        out += " DEFAULT";
    }
    const auto part = [&](const char* words, const AstPtr& value)
    {
        if (value == nullptr)
            return;
        out += words;
        expression(*value);
    };
    part(" ", ast.default_expression);
    part(" COMMENT ", ast.comment);
    part(" ", ast.codec);
    part(" ", ast.statistics);
    part(" TTL ", ast.ttl);
    if (ast.collation != nullptr)
    {
        out += " COLLATE ";
        name(ast.collation->as<AstLiteral>()->text);
    }
    if (ast.settings != nullptr)
    {
        out += " SETTINGS (";
        settings(*ast.settings);
        out += ')';
    }
}

void FormatWriter::index(const AstIndexDeclaration& ast)
{
    name(ast.name);
    out += ' ';
    expression(*ast.expression);
    if (ast.type != nullptr)
    {
        out += " TYPE ";
        expression(*ast.type);
    }
    if (ast.granularity != nullptr)
    {
        out += " GRANULARITY ";
        expression(*ast.granularity);
    }
}

void FormatWriter::constraint(const AstConstraintDeclaration& ast)
{
    name(ast.name);
    out += ast.assume ? " ASSUME " : " CHECK ";
    expression(*ast.expression);
}

void FormatWriter::projection(const AstProjectionDeclaration& ast)
{
    name(ast.name);
    if (ast.query != nullptr)
    {
        if (multiline_)
        {
            line_break();
            subquery(*ast.query);
        }
        else
        {
            out += ' ';
            subquery(*ast.query);
        }
    }
    else
    {
        out += " INDEX ";
        expression(*ast.index_expression);
        out += " TYPE ";
        expression(*ast.index_type);
    }
    if (ast.settings != nullptr)
    {
        out += " WITH SETTINGS (";
        settings(*ast.settings);
        out += ')';
    }
}

void FormatWriter::create_database(const AstCreateDatabase& ast)
{
    out += ast.attach ? "ATTACH DATABASE " : "CREATE DATABASE ";
    out += ast.if_not_exists ? "IF NOT EXISTS " : "";
    database_name(ast.name, ast.name_parameter);
    if (!ast.uuid.empty())
        out += " UUID " + quote_string(ast.uuid);
    on_cluster(ast.cluster);
    if (ast.storage != nullptr)
        storage(*ast.storage->as<AstStorage>());
    if (ast.comment != nullptr)
    {
        line_break();
        out += "COMMENT ";
        expression(*ast.comment);
    }
}

void FormatWriter::create_function(const AstCreateFunction& ast)
{
    out += ast.or_replace ? "CREATE OR REPLACE FUNCTION " : "CREATE FUNCTION ";
    out += ast.if_not_exists ? "IF NOT EXISTS " : "";
    name(ast.name);
    on_cluster(ast.cluster);
    out += " AS ";
    expression(*ast.lambda);
}

void FormatWriter::dictionary_function(const AstFunction& ast)
{
    out += ast.name;
    if (ast.no_parentheses)
        return;
    out += '(';
    for (size_t i = 0; i < ast.arguments.size(); ++i)
    {
        out += i == 0 ? "" : " ";
        const auto& one = *ast.arguments[i]->as<AstFunction>();
        if (!one.is_operator)
        {
            dictionary_function(one);
            continue;
        }
        out += one.name + " ";
        if (hide_secrets_ && one.name == "PASSWORD")
            out += "'[HIDDEN]'";
        else
            expression(*one.arguments.front());
    }
    out += ')';
}

void FormatWriter::create_dictionary(const AstCreateDictionary& ast)
{
    out += ast.attach ? "ATTACH " : "CREATE ";
    out += ast.or_replace ? "OR REPLACE DICTIONARY " : "DICTIONARY ";
    out += ast.if_not_exists ? "IF NOT EXISTS " : "";
    table_name(ast.name);
    if (!ast.uuid.empty())
        out += " UUID " + quote_string(ast.uuid);
    on_cluster(ast.cluster);
    if (!ast.attributes.empty())
    {
        line_break();
        out += '(';
        ++indent_;
        for (size_t i = 0; i < ast.attributes.size(); ++i)
        {
            const auto& one = *ast.attributes[i]->as<AstDictionaryAttribute>();
            if (multiline_)
            {
                out += i == 0 ? "" : ",";
                line_break();
            }
            else
                out += i == 0 ? "" : ", ";
            out += quote_identifier(one.name) + " " + one.type->as<AstTypeName>()->to_text();
            if (one.default_value != nullptr)
            {
                out += " DEFAULT ";
                setting_value(*one.default_value);
            }
            if (one.expression != nullptr)
            {
                out += " EXPRESSION ";
                expression(*one.expression);
            }
            out += one.hierarchical ? " HIERARCHICAL" : "";
            out += one.bidirectional ? " BIDIRECTIONAL" : "";
            out += one.injective ? " INJECTIVE" : "";
            out += one.is_object_id ? " IS_OBJECT_ID" : "";
        }
        --indent_;
        if (multiline_)
            line_break();
        out += ')';
    }
    if (!ast.primary_key.empty())
    {
        line_break();
        out += "PRIMARY KEY ";
        list(ast.primary_key);
    }
    if (ast.source != nullptr)
    {
        line_break();
        out += "SOURCE(";
        dictionary_function(*ast.source->as<AstFunction>());
        out += ')';
    }
    if (ast.has_lifetime)
    {
        line_break();
        out += "LIFETIME(MIN " + std::to_string(ast.lifetime_min_s) + " MAX " +
               std::to_string(ast.lifetime_max_s) + ")";
    }
    if (ast.layout != nullptr)
    {
        line_break();
        out += "LAYOUT(";
        dictionary_function(*ast.layout->as<AstFunction>());
        out += ')';
    }
    if (!ast.range_min.empty() || !ast.range_max.empty())
    {
        line_break();
        out += "RANGE(";
        if (!ast.range_min.empty())
        {
            out += "MIN ";
            name(ast.range_min);
        }
        if (!ast.range_max.empty())
        {
            out += ast.range_min.empty() ? "MAX " : " MAX ";
            name(ast.range_max);
        }
        out += ')';
    }
    if (ast.settings != nullptr)
    {
        line_break();
        out += "SETTINGS(";
        settings(*ast.settings);
        out += ')';
    }
    if (ast.comment != nullptr)
    {
        line_break();
        out += "COMMENT ";
        expression(*ast.comment);
    }
}

} // namespace basalt
