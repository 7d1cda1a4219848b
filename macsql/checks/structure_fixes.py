"""Cures for faults of structure: aggregates out of place, missing groups, wide sub-queries."""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from macsql.checks.analysis import Analysis
from macsql.checks.edits import Fix
from macsql.checks.joins import links
from macsql.checks.problems import Problem
from macsql.checks.rules import aggregates
from macsql.checks.scopes import Scope, Status, Use, star_qualifier
from macsql.checks.text import Edit, Statement, clause_end, conjuncts, quote, span
from macsql.schema import Schema, Table

_KEYWORDS = {
    "where": TokenType.WHERE,
    "group": TokenType.GROUP_BY,
    "having": TokenType.HAVING,
    "order": TokenType.ORDER_BY,
}
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


def structure_fixes(problem: Problem, analysis: Analysis) -> list[Fix]:
    """Cures for a problem with the structure of a query, cheapest first."""
    scope = problem.scope
    if scope is None:
        return []
    cures = {
        "aggregate-in-where": _move_aggregates,
        "group-by": _add_group_by,
        "sub-query-arity": _narrow,
    }
    cure = cures.get(problem.finding.code)
    return sorted(cure(problem, scope, analysis), key=lambda f: f.cost) if cure else []


def _clause(scope: Scope, name: str, statement: Statement) -> tuple[int, int] | None:
    """(start, end) of a whole clause, its keyword included."""
    node = scope.select.args.get(name)
    inside = [s[0] for n in node.walk() if (s := span(n))] if node is not None else []
    if not inside:
        return None
    keywords = [
        t.start
        for t in statement.tokens
        if t.token_type is _KEYWORDS[name] and t.start < min(inside)
    ]
    return (keywords[-1], clause_end(statement, keywords[-1])) if keywords else None


# Aggregates in WHERE --------------------------------------------------------------------------


def _move_aggregates(problem: Problem, scope: Scope, analysis: Analysis) -> Iterator[Fix]:
    statement = analysis.statement
    place = _clause(scope, "where", statement)
    if place is None:
        return
    aliased = {
        id(u.column)
        for u in scope.uses
        if u.clause == "where"
        and u.status is Status.ALIAS
        and aggregates(scope.aliases.get(u.name.casefold()))
    }
    parts = conjuncts(scope.select.args["where"].this)
    moving = [
        c for c in parts if aggregates(c) or any(id(n) in aliased for n in c.find_all(exp.Column))
    ]
    staying = [c for c in parts if c not in moving]
    if not moving:
        return
    if fix := _as_sub_query(moving, staying, scope, statement, place):
        yield fix
    if all(_is_of_groups(c, aliased, scope) for c in moving):
        yield _as_having(moving, staying, scope, statement, place)


def _is_of_groups(condition: exp.Expr, aliased: set[int], scope: Scope) -> bool:
    """Whether HAVING can ask it: ``cost = MAX(cost)`` is true of every group of one cost."""
    inside = [c for a in aggregates(condition) for c in a.find_all(exp.Column)]
    beside = [
        c
        for c in condition.find_all(exp.Column)
        if id(c) not in aliased and all(c is not other for other in inside)
    ]
    group = scope.select.args.get("group")
    grouped = group.expressions if group is not None else _shown_columns(scope)
    names = {g.name.casefold() for g in grouped} - {c.name.casefold() for c in inside}
    return all(c.name.casefold() in names for c in beside)


def _as_having(
    moving: list[exp.Expr],
    staying: list[exp.Expr],
    scope: Scope,
    statement: Statement,
    place: tuple[int, int],
) -> Fix:
    condition = " AND ".join(c.sql(dialect=statement.dialect) for c in moving)
    where = " AND ".join(c.sql(dialect=statement.dialect) for c in staying)
    edits = [Edit(*place, f"WHERE {where}" if where else "")]
    having, group = _clause(scope, "having", statement), _clause(scope, "group", statement)
    if having is not None:
        edits.append(Edit(having[1], having[1], f" AND {condition}"))
    elif group is not None:
        edits.append(Edit(group[1], group[1], f" HAVING {condition}"))
    else:
        grouped = _group_by(scope, statement)
        edits[0] = Edit(*place, " ".join(p for p in (edits[0].text, grouped) if p))
        edits[0] = Edit(*place, f"{edits[0].text} HAVING {condition}".strip())
    return Fix(tuple(edits), 1.2, f"moved {condition} to HAVING")


def _as_sub_query(
    moving: list[exp.Expr],
    staying: list[exp.Expr],
    scope: Scope,
    statement: Statement,
    place: tuple[int, int],
) -> Fix | None:
    """``age > AVG(age)`` means the average of all rows: ``age > (SELECT AVG(age) FROM …)``.

    ``cost = MAX(cost)`` means the highest of the rows that the other conditions leave.
    """
    edits = []
    for conjunct in moving:
        if not isinstance(conjunct, _COMPARISONS):
            return None
        aggregate = next((s for s in (conjunct.left, conjunct.right) if aggregates(s) == [s]), None)
        other = conjunct.right if aggregate is conjunct.left else conjunct.left
        if aggregate is None or not isinstance(other, exp.Column):
            return None
        call = _call_place(aggregate, statement)
        if isinstance(conjunct, exp.EQ) and isinstance(aggregate, (exp.Max, exp.Min)):
            source = _same_rows(staying, scope, statement, place)
        else:
            source = _all_rows(aggregate, scope, statement)
        if call is None or not source:
            return None
        call_text = statement.sql[call[0] : call[1]]
        edits.append(Edit(*call, "".join(("(SELECT ", call_text, " FROM ", source, ")"))))
    return Fix(tuple(edits), 1.0, "compared with a sub-query in place of an aggregate")


def _all_rows(aggregate: exp.Expr, scope: Scope, statement: Statement) -> str:
    """The one table that the columns of an aggregate are of; "" when there is no such."""
    inside = {id(c) for c in aggregate.find_all(exp.Column)}
    read = {id(u.relation): u.relation for u in scope.uses if id(u.column) in inside}
    found = list(read.values()) if inside else scope.relations
    if len(found) != 1 or found[0] is None or found[0].table is None:
        return ""
    return found[0].node.sql(dialect=statement.dialect)


def _same_rows(
    staying: list[exp.Expr], scope: Scope, statement: Statement, place: tuple[int, int]
) -> str:
    """The tables of a query with its conditions; "" for groups, each of which has its own rows."""
    source = scope.select.args.get("from_")
    inside = [s[0] for n in source.walk() if (s := span(n))] if source is not None else []
    starts = [
        t.end + 1
        for t in statement.tokens
        if t.token_type is TokenType.FROM and inside and t.start < min(inside)
    ]
    if not starts or scope.select.args.get("group") is not None:
        return ""
    where = " AND ".join(c.sql(dialect=statement.dialect) for c in staying)
    tables = statement.sql[starts[-1] : place[0]].strip()
    return f"{tables} WHERE {where}" if where else tables


def _call_place(node: exp.Expr, statement: Statement) -> tuple[int, int] | None:
    start = span(node)
    if start is None:
        return None
    depth = 0
    for token in statement.tokens:
        if token.start < start[0]:
            continue
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if token.token_type is TokenType.R_PAREN and depth == 0:
            return start[0], token.end + 1
    return None


# Missing groups -------------------------------------------------------------------------------


def _shown_columns(scope: Scope) -> list[exp.Expr]:
    shown = (e.unalias() for e in scope.select.expressions)
    return [e for e in shown if isinstance(e, exp.Column) and not e.is_star]


def _group_by(scope: Scope, statement: Statement) -> str:
    bare = [e.sql(dialect=statement.dialect) for e in _shown_columns(scope)]
    return f"GROUP BY {', '.join(dict.fromkeys(bare))}" if bare else ""


def _add_group_by(problem: Problem, scope: Scope, analysis: Analysis) -> Iterator[Fix]:
    statement = analysis.statement
    grouped = _group_by(scope, statement)
    place = _clause(scope, "having", statement) or _clause(scope, "order", statement)
    if grouped and place:
        yield Fix((Edit(place[0], place[0], f"{grouped} "),), 1.0, f"added {grouped}")


# Sub-queries with too many columns ------------------------------------------------------------


def _narrow(problem: Problem, scope: Scope, analysis: Analysis) -> Iterator[Fix]:
    """Keep the one column that belongs to the compared one: the same, or joined to it by a key."""
    statement, membership, schema = analysis.statement, problem.node, analysis.schema
    place = _select_list(scope, statement)
    if not isinstance(membership, exp.In) or place is None:
        return
    compared = next(
        (_stored(u) for u in analysis.resolution.uses if u.column is membership.this), None
    )
    fitting = [
        (cost, text)
        for text, stored in _selected(scope, statement)
        if compared and stored and (cost := _distance(compared, stored, schema)) is not None
    ]
    meant = list(_aliases_written_out(scope, statement))
    for cost, text in fitting:
        yield Fix((Edit(*place, text), *meant), cost, f"the sub-query selects {text} only")


def _aliases_written_out(scope: Scope, statement: Statement) -> Iterator[Edit]:
    """``HAVING n > 0``, where n is no longer selected, asks for what n stands for."""
    for use in scope.uses:
        expression = scope.aliases.get(use.name.casefold())
        place = span(use.column)
        if use.status is Status.ALIAS and use.clause != "select" and expression and place:
            yield Edit(*place, expression.unalias().sql(dialect=statement.dialect))


Stored = tuple[Table, str]
"""A table, and the folded name of one of its columns."""


def _stored(use: Use) -> Stored | None:
    table = use.relation.table if use.relation else None
    return (table, use.name.casefold()) if table is not None else None


def _selected(scope: Scope, statement: Statement) -> Iterator[tuple[str, Stored | None]]:
    """The columns that a SELECT shows, as written, and where they are stored; stars in full."""
    uses = {id(u.column): u for u in scope.uses}
    for expression in scope.select.expressions:
        shown, qualifier = expression.unalias(), star_qualifier(expression)
        if qualifier is None:
            use = uses.get(id(shown))
            text = shown.sql(dialect=statement.dialect)
            yield text, _stored(use) if use is not None else None
            continue
        for relation in scope.relations:
            if qualifier in ("", relation.name.casefold()) and relation.table is not None:
                name = quote(relation.name, statement.dialect)
                before = f"{name}." if len(scope.relations) > 1 else ""
                for column in relation.columns or ():
                    text = before + quote(column, statement.dialect)
                    yield text, (relation.table, column.casefold())


def _distance(one: Stored, other: Stored, schema: Schema) -> float | None:
    """The cost of taking ``other`` for ``one``; None when nothing says that they belong together.

    Names alone say so of columns that are no keys: every table may have an id.
    """
    if one[0] is other[0] and one[1] == other[1]:
        return 0.6
    if _met_by_key(one, schema) & _met_by_key(other, schema):
        return 0.8
    is_key = any(name in schema.key_columns(table) for table, name in (one, other))
    return 1.0 if one[1] == other[1] and not is_key else None


def _met_by_key(column: Stored, schema: Schema) -> set[tuple[str, str]]:
    """A column, and those that a key joins it to."""
    own = (column[0].name, column[1])
    both = (one for link in links(schema) for one in (link, link.turned()))
    return {own} | {
        (link.right, right.casefold())
        for link in both
        for left, right in link.pairs
        if (link.left, left.casefold()) == own
    }


def _select_list(scope: Scope, statement: Statement) -> tuple[int, int] | None:
    """From the first to the last selected expression."""
    inside = [s[0] for e in scope.select.expressions for n in e.walk() if (s := span(n))]
    if not inside:
        return None
    before = [t for t in statement.tokens if t.start < min(inside)]
    opening = [t.end + 1 for t in before if t.token_type in (TokenType.SELECT, TokenType.DISTINCT)]
    depth = 0
    for token in statement.tokens:
        if not opening or token.start < opening[-1]:
            continue
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth < 0 or (depth == 0 and token.token_type is TokenType.FROM):
            return opening[-1] + 1, token.start - 1
    return None
