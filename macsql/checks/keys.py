"""Keys as what they are: which columns identify rows, and where they lead; sums of them."""

from collections.abc import Iterator

from sqlglot import exp

from macsql.checks.edits import Fix
from macsql.checks.joins import Link, links
from macsql.checks.problems import Problem
from macsql.checks.scopes import Resolution, Use
from macsql.checks.text import Edit, Statement, span
from macsql.message import Finding
from macsql.schema import Schema, Table


def summed_keys(statement: Statement, resolution: Resolution, schema: Schema) -> Iterator[Problem]:
    """SUM of an identifier, which has no meaning: rows were to be counted."""
    by_column = {id(u.column): u for u in resolution.uses}
    for scope in resolution.scopes:
        for node in scope.select.find_all(exp.Sum):
            use = by_column.get(id(_summed(node)))
            if use is not None and use.scope is scope and _is_identifier(use, schema):
                message = f"{use.name} identifies rows: its sum means nothing"
                finding = Finding("summed-key", "error", message, "count rows with COUNT(*)")
                yield Problem(finding, scope, (use,), node=node)


def summed_key_fixes(problem: Problem, statement: Statement) -> list[Fix]:
    """COUNT in place of SUM."""
    node, column = problem.node, problem.uses[0].column
    place, inner = span(node), span(column)
    if not isinstance(node, exp.Sum) or place is None or inner is None:
        return []
    name = statement.sql[place[0] : place[0] + 3]
    if name.upper() != "SUM":
        return []
    edits = [Edit(place[0], place[0] + 3, "COUNT")]
    if not isinstance(node.this, exp.Distinct):
        edits.append(Edit(*inner, "*"))
    return [Fix(tuple(edits), 0.5, f"counted rows in place of adding up {column.sql()}")]


def _summed(node: exp.Sum) -> exp.Expr | None:
    inner = node.this
    if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
        inner = inner.expressions[0]
    return inner if isinstance(inner, exp.Column) else None


def _is_identifier(use: Use, schema: Schema) -> bool:
    table = use.relation.table if use.relation else None
    if table is None or len(table.primary_key) > 1:
        return table is not None and bool(targets(table, use.name, schema))
    is_primary = use.name.casefold() in {k.casefold() for k in table.primary_key}
    return is_primary or bool(targets(table, use.name, schema))


def targets(table: Table, column: str, schema: Schema) -> list[Link]:
    """The declared keys that lead from this column alone to another table."""
    return [
        link
        for link in links(schema)
        if not link.inferred
        and link.left == table.name
        and len(link.pairs) == 1
        and link.pairs[0][0].casefold() == column.casefold()
    ]
