"""Cures for joins that cannot be as written: over tables left out, or of one table twice."""

from collections.abc import Iterator, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from macsql.checks.analysis import Analysis
from macsql.checks.edits import Fix, requalify, table_place
from macsql.checks.join_fixes import explain, free_name, join_text, keep_meaning
from macsql.checks.joins import Link, paths
from macsql.checks.problems import Problem
from macsql.checks.scopes import Relation, Scope, Status, Use
from macsql.checks.text import Edit, Statement, closing_parenthesis, quote, span

_KIND_WORDS = frozenset(
    {
        *(TokenType.INNER, TokenType.LEFT, TokenType.RIGHT, TokenType.FULL),
        *(TokenType.OUTER, TokenType.CROSS, TokenType.NATURAL),
    }
)


def bridge_fixes(uses: Sequence[Use], scope: Scope, analysis: Analysis) -> Iterator[Fix]:
    """``client JOIN loan ON client.id = loan.client_id`` where loan has no such column: the two
    tables are joined along their keys instead, over the tables between them.
    """
    by_column = {id(u.column): u for u in analysis.resolution.uses}
    for use in uses:
        equality = use.column.parent
        join = equality.find_ancestor(exp.Join) if isinstance(equality, exp.EQ) else None
        if use.clause != "join" or join is None or not isinstance(equality, exp.EQ):
            continue
        other = by_column.get(id(equality.right if equality.left is use.column else equality.left))
        new = next((r for r in scope.relations if r.node is join.this), None)
        if other is None or new is None or new.table is None:
            continue
        earlier = scope.relations[: scope.relations.index(new)]
        # The table that the condition names already is the likelier end of the path.
        named = [r for r in (other.relation, use.relation) if r in earlier and r is not None]
        if condition := _condition_place(equality):
            yield from _bridges(condition, "", named or earlier, new, scope, analysis)


def using_fixes(problem: Problem, analysis: Analysis) -> Iterator[Fix]:
    """``JOIN loan USING (client_id)`` where one side has no such column: along the keys instead."""
    scope, new, place = problem.scope, problem.relation, problem.finding.span
    if scope is None or new is None or place is None:
        return
    before = [i for i, t in enumerate(analysis.statement.tokens) if t.start < place[0]]
    words = [i for i in before if analysis.statement.tokens[i].token_type is TokenType.USING]
    closing = closing_parenthesis(analysis.statement, words[-1] + 1) if words else None
    if closing is None:
        return
    tokens = analysis.statement.tokens
    condition = (tokens[words[-1]].start, tokens[closing].end + 1)
    earlier = scope.relations[: scope.relations.index(new)]
    yield from _bridges(condition, "ON ", earlier[::-1], new, scope, analysis)


def _bridges(
    condition: tuple[int, int],
    word: str,
    ends: Sequence[Relation],
    new: Relation,
    scope: Scope,
    analysis: Analysis,
) -> Iterator[Fix]:
    start = _join_start(new, analysis.statement)
    dialect = analysis.statement.dialect
    sources = [r.table.name for r in ends if r.table is not None]
    if start is None or new.table is None or new.table.name in sources:
        return
    replaced = [u for u in analysis.resolution.uses if _is_within(u, condition)]
    for path in paths(analysis.schema, sources, new.table.name):
        anchor = next(r for r in ends if r.table and r.table.name == path[0].left)
        joined, text = join_text(analysis, scope, path[:-1], anchor)
        left = joined[-1][0] if joined else anchor.name
        edits = [
            Edit(start, start, text.lstrip() + " " if text else ""),
            Edit(*condition, word + _condition(left, new.name, path[-1], dialect)),
            *keep_meaning(analysis, scope, [t for _, t in joined], replaced),
        ]
        cost = 0.85 + 0.2 * sum(link.cost for link in path)
        yield Fix(tuple(e for e in edits if e.start < e.end or e.text), cost, explain(path))


def _is_within(use: Use, place: tuple[int, int]) -> bool:
    written = span(use.column)
    return written is not None and place[0] <= written[0] and written[1] <= place[1]


def _condition(left: str, right: str, link: Link, dialect: str) -> str:
    return " AND ".join(
        f"{quote(left, dialect)}.{quote(a, dialect)} = {quote(right, dialect)}.{quote(b, dialect)}"
        for a, b in link.pairs
    )


def _condition_place(equality: exp.EQ) -> tuple[int, int] | None:
    left, right = span(equality.left), span(equality.right)
    return (left[0], right[1]) if left and right else None


def _join_start(relation: Relation, statement: Statement) -> int | None:
    """Where the join of a table begins: at INNER, LEFT or JOIN."""
    place = table_place(relation)
    if place is None:
        return None
    start = None
    for token in reversed([t for t in statement.tokens if t.start < place[0]]):
        if token.token_type is TokenType.JOIN or token.token_type in _KIND_WORDS:
            start = token.start
        else:
            return start
    return start


def doubled_fixes(uses: Sequence[Use], analysis: Analysis) -> Iterator[Fix]:
    """One table joined twice under one name: the second gets a name of its own. Its own ON means
    it; elsewhere the first mention of a column means the first table, the second the second.
    """
    first, *others = uses[0].owners
    place = table_place(others[0]) if len(others) == 1 else None
    if place is None or first.table is None or first.table is not others[0].table:
        return
    scope, dialect = uses[0].scope, analysis.statement.dialect
    second = others[0]
    alias = free_name(first.name, {r.name.casefold() for r in scope.relations})
    edits = [Edit(place[1], place[1], f" AS {quote(alias, dialect)}")]
    if second.node.alias:
        edits = [Edit(*(span(second.node.args["alias"].this) or place), quote(alias, dialect))]
    seen: dict[tuple[str, str], int] = {}
    for use in analysis.resolution.uses:
        if use.status is not Status.AMBIGUOUS or second not in use.owners:
            continue
        if use.clause == "join":
            mine = use.column.find_ancestor(exp.Join) is second.node.parent
        else:
            key = (use.clause, use.name.casefold())
            mine = seen.get(key, 0) % 2 == 1
            seen[key] = seen.get(key, 0) + 1
        if mine:
            edits += requalify([use], alias, dialect)
    yield Fix(tuple(edits), 1.0, f"the second {first.name} is called {alias}")


def same_name_fixes(uses: Sequence[Use], analysis: Analysis) -> Iterator[Fix]:
    """``JOIN b ON k = k``: the column of an earlier table, and that of the joined one."""
    dialect = analysis.statement.dialect
    edits: list[Edit] = []
    seen: set[int] = set()
    for use in uses:
        pair = _sides(use, uses)
        if pair is None:
            edits += requalify([use], use.owners[0].name, dialect)
            continue
        join = use.column.find_ancestor(exp.Join)
        new = next((r for r in use.owners if join is not None and r.node is join.this), None)
        if new is None or new is use.owners[0]:
            return
        seen.add(id(use))
        owner = use.owners[0] if use is pair[0] else new
        edits += requalify([use], owner.name, dialect)
    if seen and edits:
        names = f"{uses[0].owners[0].name} and of the table joined"
        yield Fix(tuple(edits), 0.6, f"{uses[0].name} on both sides of = taken as of {names}")


def _sides(use: Use, uses: Sequence[Use]) -> tuple[Use, Use] | None:
    """The uses on both sides of an equality in ON that says the same on both."""
    equality = use.column.parent
    if use.clause != "join" or not isinstance(equality, exp.EQ):
        return None
    by_column = {id(u.column): u for u in uses}
    left, right = by_column.get(id(equality.left)), by_column.get(id(equality.right))
    return (left, right) if left is not None and right is not None else None


def equated(use: Use) -> bool:
    """Whether an inner join makes the columns that ``use`` may be of equal."""
    names = {r.name.casefold() for r in use.owners}
    joins = use.scope.select.args.get("joins") or ()
    conditions = [join.args.get("on") for join in joins if not join.side]
    return any(
        isinstance(equality.left, exp.Column)
        and isinstance(equality.right, exp.Column)
        and {equality.left.name.casefold(), equality.right.name.casefold()} == {use.name.casefold()}
        and {equality.left.table.casefold(), equality.right.table.casefold()} == names
        for condition in conditions
        if condition is not None
        for equality in condition.find_all(exp.EQ)
    )
