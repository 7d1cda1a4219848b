"""JOIN without ON where one key leads to the table: the condition that was left out."""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from macsql.checks.edits import Fix
from macsql.checks.joins import Link, links
from macsql.checks.problems import Problem
from macsql.checks.rules import connected
from macsql.checks.scopes import Relation, Resolution, Scope
from macsql.checks.text import Edit, Statement, quote, whole_span
from macsql.message import Finding
from macsql.schema import Schema


def open_joins(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """A table joined without any condition, though the schema has the one that is meant."""
    by_column = {id(u.column): u for u in resolution.uses}
    for scope in resolution.scopes:
        lonely = [r for r in scope.relations[1:] if _has_no_condition(r, statement)]
        groups = list(connected(scope, by_column)) if lonely else []
        for relation in lonely:
            alone = all(id(relation) not in group or len(group) == 1 for group in groups)
            if alone and len(_ways(relation, scope, schema)) == 1:
                message = f"{relation.name} is joined without a condition"
                hint = f"write {_condition(relation, scope, statement, schema)}"
                finding = Finding("cartesian-join", "error", message, hint)
                yield Problem(finding, scope, relation=relation)


def open_join_fixes(problem: Problem, statement: Statement, schema: Schema) -> list[Fix]:
    """The condition along the one key."""
    relation, scope = problem.relation, problem.scope
    place = whole_span(relation.node) if relation else None
    if relation is None or scope is None or place is None:
        return []
    [(_, link)] = _ways(relation, scope, schema)
    text = _condition(relation, scope, statement, schema)
    edit = Edit(place[1], place[1], f" {text}")
    return [Fix((edit,), 0.6, f"joined {relation.name} {text}", is_certain=not link.inferred)]


def _has_no_condition(relation: Relation, statement: Statement) -> bool:
    """Whether JOIN is written before it, and neither ON nor USING; CROSS JOIN is meant so."""
    join, place = relation.node.parent, whole_span(relation.node)
    if not isinstance(join, exp.Join) or place is None or relation.table is None:
        return False
    # The parser writes ON TRUE where there is nothing, so that only the text tells.
    if join.args.get("method") or join.kind == "CROSS" or relation.node.args.get("joins"):
        return False
    before = [t.token_type for t in statement.tokens if t.start < place[0]]
    behind = [t.token_type for t in statement.tokens if t.start >= place[1]]
    conditions = (TokenType.ON, TokenType.USING)
    return before[-1:] == [TokenType.JOIN] and not any(k in conditions for k in behind[:1])


def _ways(relation: Relation, scope: Scope, schema: Schema) -> list[tuple[Relation, Link]]:
    """The keys between a table and those before it."""
    earlier = scope.relations[: scope.relations.index(relation)]
    both = [way for link in links(schema) for way in (link, link.turned())]
    return [
        (other, link)
        for other in earlier
        for link in dict.fromkeys(both)
        if other.table is not None
        and relation.table is not None
        and other.table is not relation.table
        and (link.left, link.right) == (other.table.name, relation.table.name)
    ]


def _condition(relation: Relation, scope: Scope, statement: Statement, schema: Schema) -> str:
    [(other, link)] = _ways(relation, scope, schema)
    one, two = (quote(r.name, statement.dialect) for r in (other, relation))
    pairs = (
        f"{one}.{quote(a, statement.dialect)} = {two}.{quote(b, statement.dialect)}"
        for a, b in link.pairs
    )
    return f"ON {' AND '.join(pairs)}"
