#include "sql/formatter.h"

#include "sql/format_impl.h"

namespace basalt
{

void FormatWriter::node(const Ast& ast)
{
    switch (ast.kind)
    {
    case AstKind::Select:
        select(*ast.as<AstSelect>());
        break;
    case AstKind::SelectUnion:
        select_union(*ast.as<AstSelectUnion>());
        break;
    case AstKind::Query:
        query(*ast.as<AstQuery>());
        break;
    case AstKind::TableElement:
        table_element(*ast.as<AstTableElement>(), true);
        break;
    case AstKind::WindowDefinition:
        window(*ast.as<AstWindowDefinition>());
        break;
    case AstKind::TypeName:
        out += ast.as<AstTypeName>()->to_text();
        break;
    case AstKind::NameTypePair:
        name(ast.as<AstNameTypePair>()->name);
        out += " " + ast.as<AstNameTypePair>()->type->as<AstTypeName>()->to_text();
        break;
    case AstKind::ExpressionList:
        list(ast.as<AstExpressionList>()->expressions);
        break;
    case AstKind::SetQuery:
        out += ast.as<AstSetQuery>()->is_statement ? "SET " : "";
        settings(ast);
        break;
    case AstKind::Insert:
        insert(*ast.as<AstInsert>());
        break;
    case AstKind::ColumnDeclaration:
        column(*ast.as<AstColumnDeclaration>());
        break;
    case AstKind::IndexDeclaration:
        out += "INDEX ";
        index(*ast.as<AstIndexDeclaration>());
        break;
    case AstKind::ConstraintDeclaration:
        out += "CONSTRAINT ";
        constraint(*ast.as<AstConstraintDeclaration>());
        break;
    case AstKind::ProjectionDeclaration:
        out += "PROJECTION ";
        projection(*ast.as<AstProjectionDeclaration>());
        break;
    case AstKind::TtlElement:
        ttl(*ast.as<AstTtlElement>());
        break;
    case AstKind::Storage:
        storage(*ast.as<AstStorage>());
        break;
    case AstKind::RefreshStrategy:
        refresh(*ast.as<AstRefreshStrategy>());
        break;
    case AstKind::CreateTable:
        create_table(*ast.as<AstCreateTable>());
        break;
    case AstKind::CreateDatabase:
        create_database(*ast.as<AstCreateDatabase>());
        break;
    case AstKind::CreateFunction:
        create_function(*ast.as<AstCreateFunction>());
        break;
    case AstKind::CreateDictionary:
        create_dictionary(*ast.as<AstCreateDictionary>());
        break;
    case AstKind::Alter:
        alter(*ast.as<AstAlter>());
        break;
    case AstKind::AlterCommand:
        alter_command(*ast.as<AstAlterCommand>());
        break;
    case AstKind::Partition:
        partition(*ast.as<AstPartition>());
        break;
    case AstKind::Delete:
        delete_from(*ast.as<AstDelete>());
        break;
    case AstKind::Update:
        update(*ast.as<AstUpdate>());
        break;
    case AstKind::Drop:
        drop(*ast.as<AstDrop>());
        break;
    case AstKind::Rename:
        rename(*ast.as<AstRename>());
        break;
    case AstKind::Exists:
        exists(*ast.as<AstExists>());
        break;
    case AstKind::Show:
        show(*ast.as<AstShow>());
        break;
    case AstKind::Describe:
    {
        out += "DESCRIBE TABLE";
        const auto& element = *ast.as<AstDescribe>()->table->as<AstTableElement>();
        if (element.table->kind != AstKind::Subquery)
            out += ' ';
        table(*element.table);
        break;
    }
    case AstKind::Explain:
        explain(*ast.as<AstExplain>());
        break;
    case AstKind::Use:
        out += "USE ";
        database_name(ast.as<AstUse>()->database, ast.as<AstUse>()->database_parameter);
        break;
    case AstKind::System:
        system(*ast.as<AstSystem>());
        break;
    case AstKind::Optimize:
        optimize(*ast.as<AstOptimize>());
        break;
    case AstKind::Kill:
        kill(*ast.as<AstKill>());
        break;
    case AstKind::Check:
        check(*ast.as<AstCheck>());
        break;
    case AstKind::Backup:
        backup(*ast.as<AstBackup>());
        break;
    case AstKind::Transaction:
        transaction(*ast.as<AstTransaction>());
        break;
    case AstKind::SetRole:
    case AstKind::Grant:
    case AstKind::CreateUser:
    case AstKind::CreateRole:
    case AstKind::CreateRowPolicy:
    case AstKind::CreateQuota:
    case AstKind::CreateSettingsProfile:
    case AstKind::DropAccess:
        access(ast);
        break;
    case AstKind::ParallelWith:
    {
        const AstList& statements = ast.as<AstParallelWith>()->statements;
        for (size_t i = 0; i < statements.size(); ++i)
        {
            if (i > 0)
            {
                line_break();
                out += "PARALLEL WITH";
                line_break();
            }
            node(*statements[i]);
        }
        break;
    }
    case AstKind::WithElement:
    case AstKind::ColumnsTransformer:
    case AstKind::InterpolateElement:
    case AstKind::DictionaryAttribute:
    case AstKind::Assignment:
        // Parts that have a form only inside their statement.
        out += ast_kind_name(ast.kind);
        break;
    default:
        expression(ast);
    }
}

std::string AstTypeName::to_text() const
{
    std::string text = name;
    // Words of several parts and plain names stand as they are.
    if (name.find(' ') == std::string::npos)
        text = quote_identifier_if_needed(name);
    if (!has_parentheses)
        return text;
    text += '(';
    for (size_t i = 0; i < arguments.size(); ++i)
    {
        text += i == 0 ? "" : ", ";
        const Ast& argument = *arguments[i];
        if (const auto* function = argument.as<AstFunction>();
            function != nullptr && function->name.rfind("SKIP", 0) == 0)
        {
            text += function->name + " " + format_query(*function->arguments.front());
            continue;
        }
        text += format_query(argument);
    }
    return text + ')';
}

std::string format_query(const Ast& ast)
{
    FormatWriter writer(false, false);
    writer.node(ast);
    return std::move(writer.out);
}

std::string format_query_multiline(const Ast& ast)
{
    FormatWriter writer(true, false);
    writer.node(ast);
    return std::move(writer.out);
}

std::string format_query_masked(const Ast& ast)
{
    FormatWriter writer(false, true);
    writer.node(ast);
    return std::move(writer.out);
}

} // namespace basalt
