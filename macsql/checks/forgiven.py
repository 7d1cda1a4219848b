"""What the parser forgives and SQLite does not: found here, since the tree looks healthy."""

from collections.abc import Iterator
from itertools import pairwise

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from macsql.checks.edits import Fix
from macsql.checks.problems import Problem
from macsql.checks.scopes import Resolution
from macsql.checks.text import Edit, Statement, closing_parenthesis, span, token_at
from macsql.message import Finding
from macsql.schema import Schema

_ORDER = {
    TokenType.FROM: 1,
    TokenType.JOIN: 1,
    TokenType.WHERE: 2,
    TokenType.GROUP_BY: 3,
    TokenType.HAVING: 4,
    TokenType.WINDOW: 5,
    TokenType.ORDER_BY: 6,
    TokenType.LIMIT: 7,
}
_BEHIND_A_COMMA = frozenset(
    {
        *(TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING),
        *(TokenType.ORDER_BY, TokenType.LIMIT),
    }
)
_ANEW = frozenset(
    {TokenType.SELECT, TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT, TokenType.COMMA}
)


def forgiven_faults(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """Syntax that SQLite refuses although it can be read."""
    if statement.dialect != "sqlite" or statement.tree is None:
        return
    yield from _commas(statement)
    yield from _clause_order(statement)
    for select in statement.tree.find_all(exp.Select):
        if not select.expressions:
            yield Problem(Finding("syntax", "error", "SELECT of nothing", "name the columns"))
    for node in statement.tree.find_all(exp.Any, exp.All):
        finding = Finding(
            "other-dialect",
            "error",
            f"sqlite has no {node.key.upper()}",
            "write IN, NOT EXISTS, or compare with the MIN or MAX of the sub-query",
        )
        yield Problem(finding, node=node)
    for operation in statement.tree.find_all(exp.SetOperation):
        for side in (operation.this, operation.expression):
            # INTERSECT binds tighter for the parser: a sub-query may be of its own making.
            if isinstance(side, exp.Subquery) and parentheses(side, statement):
                message = f"sqlite takes no parentheses around a side of {operation.key.upper()}"
                finding = Finding("other-dialect", "error", message, "remove the parentheses")
                yield Problem(finding, node=side)


def _commas(statement: Statement) -> Iterator[Problem]:
    for one, other in pairwise(statement.tokens):
        if one.token_type is TokenType.COMMA and other.token_type in _BEHIND_A_COMMA:
            place = (one.start, one.end + 1)
            message = f"a comma before {other.text.upper()}"
            yield Problem(Finding("syntax", "error", message, "remove the comma", place))


def _clause_order(statement: Statement) -> Iterator[Problem]:
    """WHERE after GROUP BY, JOIN after WHERE."""
    reached = [0]
    for token in statement.tokens:
        if token.token_type is TokenType.L_PAREN:
            reached.append(0)
        elif token.token_type is TokenType.R_PAREN and len(reached) > 1:
            reached.pop()
        elif token.token_type in _ANEW and (
            token.token_type is not TokenType.COMMA or reached[-1] == 1
        ):
            reached[-1] = 0
        elif (rank := _ORDER.get(token.token_type, 0)) and not _is_name(token, statement):
            if rank < reached[-1]:
                message = f"{token.text.upper()} is in the wrong place"
                hint = "the order is FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT"
                place = (token.start, token.end + 1)
                yield Problem(Finding("syntax", "error", message, hint, place), node=statement.tree)
                return
            reached[-1] = rank


def _is_name(token: Token, statement: Statement) -> bool:
    """Whether a keyword stands for something else: FROM in IS DISTINCT FROM, a quoted name."""
    index = token_at(statement, token.start) or 0
    before = statement.tokens[index - 1].token_type if index else None
    return before in (TokenType.DISTINCT, TokenType.DOT, TokenType.ALIAS)


# Cures ----------------------------------------------------------------------------------------


def forgiven_fixes(problem: Problem, statement: Statement) -> list[Fix]:
    """The same, as SQLite takes it."""
    node, place = problem.node, problem.finding.span
    if isinstance(node, (exp.Any, exp.All)):
        fix = _without_quantifier(node, statement)
    elif isinstance(node, exp.Subquery):
        fix = _without_parentheses(node, statement)
    elif isinstance(node, exp.Query) and problem.finding.code == "syntax":
        whole = Edit(0, len(statement.sql), node.sql(dialect=statement.dialect))
        fix = Fix((whole,), 1.0, "put the clauses in order")
    elif place and statement.sql[place[0] : place[1]] == ",":
        fix = Fix((Edit(*place, ""),), 0.3, "removed a comma")
    else:
        return []
    return [fix] if fix else []


def _without_quantifier(node: exp.Expr, statement: Statement) -> Fix | None:
    """``= ANY`` is IN, ``<> ALL`` is NOT IN; an order compares one by one, or with the extreme."""
    comparison, query = node.parent, node.this.unnest()
    inside = [s[0] for n in query.walk() if (s := span(n))]
    indexes = [
        i
        for i, t in enumerate(statement.tokens)
        if t.text.upper() in {"ANY", "ALL", "SOME"} and inside and t.start < min(inside)
    ]
    if not indexes or not isinstance(query, exp.Query) or not isinstance(comparison, exp.Binary):
        return None
    sign, word = statement.tokens[indexes[-1] - 1], statement.tokens[indexes[-1]]
    is_all = isinstance(node, exp.All)
    if isinstance(comparison, exp.NEQ if is_all else exp.EQ):
        # IN ((SELECT …)) has one value to compare with: the first row's.
        if statement.tokens[indexes[-1] + 2].token_type is TokenType.L_PAREN:
            return None
        written = "NOT IN" if is_all else "IN"
        edit = Edit(sign.start, word.end + 1, written)
        return Fix((edit,), 0.5, f"{word.text.upper()} written with {written}")
    if not _chooses(comparison):
        return None
    if is_all:
        return _one_by_one(comparison, query, statement, indexes[-1])
    return _with_extreme(comparison, query, word)


def _chooses(comparison: exp.Expr) -> bool:
    """Whether it is a condition of which unknown counts as not true."""
    above = comparison.parent
    while isinstance(above, (exp.Paren, exp.And, exp.Or)):
        above = above.parent
    return isinstance(above, (exp.Where, exp.Having, exp.Join))


def _is_plain(selected: exp.Expr) -> bool:
    return isinstance(selected, exp.Column) and not selected.is_star


def _with_extreme(comparison: exp.Binary, query: exp.Query, word: Token) -> Fix | None:
    """``> ANY (SELECT x …)`` is ``> (SELECT MIN(x) …)``, ``< ANY`` is ``< (SELECT MAX(x) …)``."""
    greater = isinstance(comparison, (exp.GT, exp.GTE))
    shaped = any(query.args.get(k) for k in ("group", "having", "distinct", "limit", "offset"))
    if shaped or not isinstance(query, exp.Select) or len(query.expressions) != 1:
        return None
    selected = query.expressions[0]
    place = span(selected) if _is_plain(selected) else None
    if place is None or not (greater or isinstance(comparison, (exp.LT, exp.LTE))):
        return None
    function = "MIN" if greater else "MAX"
    edits = (
        Edit(word.start, word.end + 1, ""),
        Edit(place[0], place[0], f"{function}("),
        Edit(place[1], place[1], ")"),
    )
    return Fix(edits, 0.5, f"{word.text.upper()} written with {function}")


_SIGNS = {exp.GT: ">", exp.GTE: ">=", exp.LT: "<", exp.LTE: "<=", exp.EQ: "="}


def _one_by_one(
    comparison: exp.Binary, query: exp.Query, statement: Statement, word: int
) -> Fix | None:
    """``x > ALL (SELECT y …)``: no row of which it is not true. MAX would be NULL for no rows."""
    first = query.find(exp.Select)
    place, sign = span(comparison.this), _SIGNS.get(type(comparison))
    closing = closing_parenthesis(statement, word + 1)
    if place is None or sign is None or closing is None or first is None:
        return None
    end = _selected_end(first, statement)
    ordered = isinstance(query, exp.SetOperation) and query.args.get("order")
    if end is None or ordered or query.args.get("with_") or len(first.expressions) != 1:
        return None
    compared = statement.sql[slice(*place)]
    opening, after = statement.tokens[word + 1].start, statement.tokens[closing].end + 1
    if isinstance(comparison.this, exp.Column) and comparison.this.name.lower() != "one":
        pass
    elif isinstance(comparison.this, exp.Count) and isinstance(first.expressions[0], exp.Count):
        return _with_extreme_count(comparison, statement, (opening, end, after), word)
    elif not isinstance(comparison.this, exp.Literal):
        return None
    edits = (
        Edit(place[0], opening, "NOT EXISTS (SELECT 1 FROM "),
        Edit(end, end, " AS one"),
        Edit(after, after, f" WHERE ({compared} {sign} one) IS NOT TRUE)"),
    )
    return Fix(edits, 0.5, "ALL written with NOT EXISTS")


def _with_extreme_count(
    comparison: exp.Binary, statement: Statement, places: tuple[int, int, int], word: int
) -> Fix | None:
    """``COUNT(*) >= ALL (SELECT COUNT(*) …)``: an aggregate cannot be compared in another query,
    but no count is NULL, so that the highest says it; without any it is true.
    """
    opening, end, after = places
    start = span(comparison.this)
    function = {exp.GT: "MAX", exp.GTE: "MAX", exp.LT: "MIN", exp.LTE: "MIN"}.get(type(comparison))
    if start is None or function is None:
        return None
    quantifier = statement.tokens[word].start
    edits = (
        Edit(start[0], start[0], "COALESCE("),
        Edit(quantifier, opening, "".join(("(SELECT ", function, "(one) FROM "))),
        Edit(end, end, " AS one"),
        Edit(after, after, "), TRUE)"),
    )
    return Fix(edits, 0.5, f"ALL written with {function}")


def _selected_end(query: exp.Select, statement: Statement) -> int | None:
    """Where the one expression ends that ``query`` selects; None where it has a name already."""
    selected = query.expressions[0]
    if _is_plain(selected):
        place = span(selected)
        return place[1] if place else None
    place = span(selected)
    index = token_at(statement, place[0]) if place else None
    closing = closing_parenthesis(statement, index + 1) if index is not None else None
    if not isinstance(selected, exp.AggFunc) or closing is None:
        return None
    return statement.tokens[closing].end + 1


def _without_parentheses(node: exp.Subquery, statement: Statement) -> Fix | None:
    pair = parentheses(node, statement)
    inner = node.this
    if pair is None or any(inner.args.get(k) for k in ("order", "limit", "offset", "with_")):
        return None
    edits = tuple(Edit(t.start, t.end + 1, " ") for t in pair)
    return Fix(edits, 0.4, "removed parentheses around a side of a set operation")


def parentheses(node: exp.Subquery, statement: Statement) -> tuple[Token, Token] | None:
    """The parentheses around a sub-query, when they are written."""
    inside = [s[0] for n in node.walk() if (s := span(n))]
    selects = [
        index
        for index, token in enumerate(statement.tokens)
        if token.token_type is TokenType.SELECT and inside and token.start < min(inside)
    ]
    opening = selects[-1] - 1 if selects else -1
    if opening < 0 or statement.tokens[opening].token_type is not TokenType.L_PAREN:
        return None
    closing = closing_parenthesis(statement, opening)
    return None if closing is None else (statement.tokens[opening], statement.tokens[closing])
