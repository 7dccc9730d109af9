// SELECT, set operations, and the clauses of a query.

#include "base/error.h"
#include "sql/parser_impl.h"

namespace basalt
{

bool Parser::peek_set_operation()
{
    return peek_word("UNION") || peek_word("EXCEPT") || peek_word("INTERSECT");
}

// A SELECT, or a query in parentheses.
AstPtr Parser::parse_select_operand()
{
    if (peek_is(TokenType::OpenRound))
    {
        advance();
        AstPtr query = parse_select_union();
        expect(TokenType::CloseRound);
        auto* nested = query->as<AstSelectUnion>();
        return nested->selects.size() == 1 ? nested->selects.front() : query;
    }
    return parse_select();
}

AstPtr Parser::parse_select_union()
{
    const DepthGuard guard(*this);
    const size_t begin = mark();
    return continue_select_union(parse_select_operand(), begin);
}

SetOperation Parser::parse_set_quantity(SetOperation plain)
{
    const int base = static_cast<int>(plain);
    if (accept_word("ALL"))
        return static_cast<SetOperation>(base + 1);
    if (accept_word("DISTINCT"))
        return static_cast<SetOperation>(base + 2);
    return plain;
}

// first [INTERSECT operand]..: a SelectUnion of its own when there is any INTERSECT.
AstPtr Parser::continue_intersect(AstPtr first, size_t begin)
{
    if (!peek_word("INTERSECT"))
        return first;
    auto chain = std::make_shared<AstSelectUnion>();
    chain->selects.push_back(std::move(first));
    while (accept_word("INTERSECT"))
    {
        chain->operations.push_back(parse_set_quantity(SetOperation::IntersectDefault));
        chain->selects.push_back(parse_select_operand());
    }
    return finish(std::move(chain), begin);
}

// INTERSECT binds tighter; the rest goes from left to right.
AstPtr Parser::continue_select_union(AstPtr first, size_t begin)
{
    auto* single = first->as<AstSelectUnion>();
    if (single != nullptr && single->selects.size() == 1)
        first = single->selects.front();
    first = continue_intersect(std::move(first), begin);
    auto result = std::make_shared<AstSelectUnion>();
    result->selects.push_back(std::move(first));
    while (true)
    {
        if (accept_word("UNION"))
            result->operations.push_back(parse_set_quantity(SetOperation::UnionDefault));
        else if (accept_word("EXCEPT"))
            result->operations.push_back(parse_set_quantity(SetOperation::ExceptDefault));
        else
            break;
        const size_t at = mark();
        result->selects.push_back(continue_intersect(parse_select_operand(), at));
    }
    expected("INTERSECT");
    if (result->operations.empty() && result->selects.front()->as<AstSelectUnion>() != nullptr)
        return result->selects.front();
    return finish(std::move(result), begin);
}

void Parser::parse_with(AstSelect& select)
{
    if (accept_word("RECURSIVE"))
        select.with_recursive = true;
    do
    {
        const size_t begin = mark();
        bool table = false;
        if (peek_identifier())
        {
            size_t ahead = 1;
            if (peek_is(TokenType::OpenRound, 1))
            {
                ahead = 2;
                while (peek_identifier(ahead) && peek_is(TokenType::Comma, ahead + 1))
                    ahead += 2;
                ahead = peek_identifier(ahead) && peek_is(TokenType::CloseRound, ahead + 1)
                            ? ahead + 2
                            : 0;
            }
            if (ahead != 0 && peek_word("AS", ahead))
            {
                ++ahead;
                if (peek_word("NOT", ahead) && peek_word("MATERIALIZED", ahead + 1))
                    ahead += 2;
                else if (peek_word("MATERIALIZED", ahead) &&
                         peek_is(TokenType::OpenRound, ahead + 1))
                    ++ahead;
                table = peek_is(TokenType::OpenRound, ahead);
            }
        }
        if (!table)
        {
            select.with.push_back(parse_aliased(true));
            continue;
        }
        auto element = std::make_shared<AstWithElement>();
        element->name = parse_identifier();
        if (accept(TokenType::OpenRound))
        {
            do
                element->columns.push_back(parse_identifier());
            while (accept(TokenType::Comma));
            expect(TokenType::CloseRound);
        }
        expect_word("AS");
        if (peek_word("NOT") && peek_word("MATERIALIZED", 1))
            position_ += 2;
        else if (peek_word("MATERIALIZED"))
        {
            advance();
            element->materialized = true;
        }
        element->subquery = parse_subquery_in_parentheses();
        select.with.push_back(finish(std::move(element), begin));
    } while (accept(TokenType::Comma));
}

AstPtr Parser::parse_select()
{
    const DepthGuard guard(*this);
    const size_t begin = mark();
    auto select = std::make_shared<AstSelect>();
    if (accept_word("WITH"))
        parse_with(*select);

    bool from_first = false;
    if (accept_word("FROM"))
    {
        from_first = true;
        parse_from(*select);
    }
    expect_word("SELECT");

    AstList distinct_on;
    bool has_distinct_on = false;
    if (accept_word("ALL"))
    {
    }
    else if (peek_words("DISTINCT ON") && peek_is(TokenType::OpenRound, 2))
    {
        position_ += 3;
        has_distinct_on = true;
        distinct_on = parse_expression_list();
        expect(TokenType::CloseRound);
    }
    else if (accept_word("DISTINCT"))
        select->distinct = true;
    if (peek_word("TOP") && (peek_is(TokenType::Number, 1) || peek_is(TokenType::OpenRound, 1)))
    {
        advance();
        if (accept(TokenType::OpenRound))
        {
            select->limit = parse_number_literal();
            expect(TokenType::CloseRound);
        }
        else
            select->limit = parse_number_literal();
        if (accept_word("WITH TIES"))
            select->with_ties = true;
    }

    if (!peek_word("FROM") || from_first)
    {
        do
        {
            if (!select->projection.empty() &&
                (peek_word("FROM") || at_end() || peek_is(TokenType::CloseRound)))
                break;
            select->projection.push_back(parse_aliased());
        } while (accept(TokenType::Comma));
    }
    else
        fail("expression");
    if (!from_first && accept_word("FROM"))
        parse_from(*select);
    parse_select_clauses(*select);
    if (has_distinct_on)
    {
        if (select->limit_by_limit != nullptr)
            throw Error(error_codes::NOT_IMPLEMENTED,
                        "DISTINCT ON and LIMIT BY clauses in one query are not implemented");
        select->limit_by_limit = AstLiteral::unsigned_number(1);
        select->limit_by = std::move(distinct_on);
    }
    return finish(std::move(select), begin);
}

void Parser::parse_select_clauses(AstSelect& select)
{
    if (accept_word("PREWHERE"))
        select.prewhere = parse_aliased(false);
    if (accept_word("WHERE"))
        select.where = parse_aliased(false);
    if (accept_word("PREWHERE"))
    {
        if (select.prewhere != nullptr)
            fail("GROUP BY");
        select.prewhere = parse_aliased(false);
    }
    if (accept_word("GROUP BY"))
        parse_group_by(select);
    if (accept_word("WITH TOTALS"))
        select.with_totals = true;
    if (accept_word("HAVING"))
        select.having = parse_aliased(false);
    if (accept_word("WINDOW"))
    {
        do
        {
            const size_t begin = mark();
            std::string name = parse_identifier();
            expect_word("AS");
            AstPtr window = parse_window_definition();
            window->as<AstWindowDefinition>()->name = std::move(name);
            finish_node(*window, begin);
            select.windows.push_back(std::move(window));
        } while (accept(TokenType::Comma));
    }
    if (accept_word("QUALIFY"))
        select.qualify = parse_aliased(false);
    if (accept_word("ORDER BY"))
        parse_order_by(select);
    parse_limits(select);
    if (accept_word("SETTINGS"))
        select.settings = parse_settings();
}

void Parser::parse_group_by(AstSelect& select)
{
    const auto parse_list_in_parentheses = [&]
    {
        expect(TokenType::OpenRound);
        if (!peek_is(TokenType::CloseRound))
            select.group_by = parse_expression_list(false);
        expect(TokenType::CloseRound);
    };
    if (peek_word("ALL") && !peek_is(TokenType::OpenRound, 1) && !peek_is(TokenType::Dot, 1))
    {
        advance();
        select.group_by_all = true;
    }
    else if (accept_word("GROUPING SETS"))
    {
        select.group_by_mode = GroupByMode::GroupingSets;
        expect(TokenType::OpenRound);
        do
        {
            const size_t begin = mark();
            auto set = std::make_shared<AstExpressionList>();
            if (accept(TokenType::OpenRound))
            {
                if (!peek_is(TokenType::CloseRound))
                    set->expressions = parse_expression_list();
                expect(TokenType::CloseRound);
            }
            else
                set->expressions.push_back(parse_aliased());
            select.group_by.push_back(finish(std::move(set), begin));
        } while (accept(TokenType::Comma));
        expect(TokenType::CloseRound);
        return;
    }
    else if (peek_word("ROLLUP") && peek_is(TokenType::OpenRound, 1))
    {
        advance();
        select.group_by_mode = GroupByMode::Rollup;
        parse_list_in_parentheses();
    }
    else if (peek_word("CUBE") && peek_is(TokenType::OpenRound, 1))
    {
        advance();
        select.group_by_mode = GroupByMode::Cube;
        parse_list_in_parentheses();
    }
    else
        select.group_by = parse_expression_list(false);
    if (accept_word("WITH ROLLUP"))
        select.group_by_mode = GroupByMode::Rollup;
    else if (accept_word("WITH CUBE"))
        select.group_by_mode = GroupByMode::Cube;
}

AstPtr Parser::parse_order_by_element(bool allow_fill)
{
    const size_t begin = mark();
    auto element = std::make_shared<AstOrderByElement>();
    element->expression = parse_aliased(false);
    if (accept_word("DESCENDING") || accept_word("DESC"))
        element->explicit_direction = element->descending = true;
    else if (accept_word("ASCENDING") || accept_word("ASC"))
        element->explicit_direction = true;
    if (accept_word("NULLS"))
    {
        element->explicit_nulls = true;
        if (accept_word("FIRST"))
            element->nulls_first = true;
        else
            expect_word("LAST");
    }
    if (accept_word("COLLATE"))
        element->collation = parse_string_literal();
    if (allow_fill && accept_word("WITH FILL"))
    {
        element->with_fill = true;
        if (accept_word("FROM"))
            element->fill_from = parse_expression();
        if (accept_word("TO"))
            element->fill_to = parse_expression();
        if (accept_word("STEP"))
            element->fill_step = parse_expression();
        if (accept_word("STALENESS"))
            element->fill_staleness = parse_expression();
    }
    return finish(std::move(element), begin);
}

AstList Parser::parse_order_by_list(bool allow_fill)
{
    AstList list;
    do
        list.push_back(parse_order_by_element(allow_fill));
    while (accept(TokenType::Comma));
    return list;
}

void Parser::parse_order_by(AstSelect& select)
{
    if (peek_word("ALL") && !peek_is(TokenType::OpenRound, 1) && !peek_is(TokenType::Dot, 1) &&
        !peek_is(TokenType::Comma, 1))
    {
        const size_t begin = mark();
        advance();
        auto element = std::make_shared<AstOrderByElement>();
        if (accept_word("DESC"))
            element->explicit_direction = element->descending = true;
        else if (accept_word("ASC"))
            element->explicit_direction = true;
        if (accept_word("NULLS"))
        {
            element->explicit_nulls = true;
            if (accept_word("FIRST"))
                element->nulls_first = true;
            else
                expect_word("LAST");
        }
        select.order_by_all = true;
        select.order_by.push_back(finish(std::move(element), begin));
        return;
    }
    select.order_by = parse_order_by_list(true);
    if (!accept_word("INTERPOLATE"))
        return;
    select.has_interpolate = true;
    if (!accept(TokenType::OpenRound))
        return;
    while (!peek_is(TokenType::CloseRound))
    {
        const size_t begin = mark();
        auto element = std::make_shared<AstInterpolateElement>();
        element->name = parse_compound_name();
        if (accept_word("AS"))
            element->expression = parse_expression();
        else
            element->expression =
                finish(std::make_shared<AstIdentifier>(element->name), begin);
        select.interpolate.push_back(finish(std::move(element), begin));
        if (!accept(TokenType::Comma))
            break;
    }
    expect(TokenType::CloseRound);
}

void Parser::parse_limits(AstSelect& select)
{
    if (accept_word("LIMIT"))
    {
        parse_limit(select);
        if (select.limit_by_limit != nullptr && accept_word("LIMIT"))
            parse_limit(select);
    }
    if (select.offset == nullptr && accept_word("OFFSET"))
    {
        select.offset = parse_expression();
        if (!accept_word("ROWS"))
            accept_word("ROW");
    }
    if (select.limit == nullptr && peek_word("FETCH") &&
        (peek_word("FIRST", 1) || peek_word("NEXT", 1)))
        parse_fetch(select);
    if (select.with_ties && select.order_by.empty())
        throw Error(error_codes::WITH_TIES_WITHOUT_ORDER_BY,
                    "Can not use WITH TIES without ORDER BY");
}

// LIMIT n | n OFFSET m | m, n; with BY .. it is the other clause.
void Parser::parse_limit(AstSelect& select)
{
    AstPtr count;
    AstPtr offset;
    count = parse_expression();
    if (accept(TokenType::Comma))
    {
        offset = std::move(count);
        count = parse_expression();
    }
    else if (accept_word("OFFSET"))
        offset = parse_expression();
    if (select.limit_by_limit == nullptr && accept_word("BY"))
    {
        select.limit_by_limit = std::move(count);
        select.limit_by_offset = std::move(offset);
        if (peek_word("ALL") && !peek_is(TokenType::OpenRound, 1) && !peek_is(TokenType::Dot, 1))
        {
            advance();
            select.limit_by_all = true;
        }
        else
            select.limit_by = parse_expression_list(false);
        return;
    }
    if (select.limit != nullptr)
        throw Error(error_codes::TOP_AND_LIMIT_TOGETHER, "Can not use TOP and LIMIT together");
    select.limit = std::move(count);
    select.offset = std::move(offset);
    if (accept_word("WITH TIES"))
        select.with_ties = true;
}

// FETCH FIRST n ROWS ONLY | WITH TIES
void Parser::parse_fetch(AstSelect& select)
{
    position_ += 2;
    if (peek_word("ROW") || peek_word("ROWS"))
        select.limit = AstLiteral::unsigned_number(1);
    else
        select.limit = parse_expression();
    if (!accept_word("ROWS"))
        expect_word("ROW");
    if (accept_word("WITH TIES"))
        select.with_ties = true;
    else
        expect_word("ONLY");
}

} // namespace basalt
