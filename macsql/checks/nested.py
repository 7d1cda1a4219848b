"""Aggregates of aggregates, and windows in WHERE: what is meant takes a sub-query."""

from collections.abc import Iterator

from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from macsql.checks.edits import Fix
from macsql.checks.problems import Problem
from macsql.checks.rules import aggregates, own_nodes
from macsql.checks.scopes import Resolution, Scope, Status
from macsql.checks.text import Edit, Statement, conjuncts, shorten
from macsql.message import Finding
from macsql.names import fold
from macsql.schema import Schema

_SHAPING = ("order", "limit", "offset", "distinct", "with_", "qualify")


def windows_in_where(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """A window function in WHERE, by itself or behind an alias: WHERE is asked before it."""
    for scope in resolution.scopes:
        if moving := _window_conditions(scope):
            message = f"{shorten(moving[0])} asks for a window function, which WHERE cannot use"
            hint = "compute it in a sub-query"
            yield Problem(Finding("misused-window", "error", message, hint), scope, node=moving[0])


def nested_in_having(
    statement: Statement, resolution: Resolution, schema: Schema
) -> Iterator[Problem]:
    """``HAVING COUNT(*) = MAX(COUNT(*))``."""
    for scope in resolution.scopes:
        for outer in aggregates(scope.select.args.get("having")):
            if len(inner := aggregates(outer)) > 1:
                message = f"{shorten(inner[1])} is inside another aggregate"
                hint = "compute the inner one in a sub-query"
                finding = Finding("nested-aggregate", "error", message, hint)
                yield Problem(finding, scope, node=outer)


def nested_fixes(problem: Problem, statement: Statement) -> list[Fix]:
    """The same with a sub-query."""
    scope, tree = problem.scope, statement.tree
    if scope is None or tree is None or problem.node is None:
        return []
    made = _rewritten(problem, scope, tree)
    if made is None:
        return []
    try:
        text = made.sql(dialect=statement.dialect, unsupported_level=ErrorLevel.IGNORE)
    except (SqlglotError, ValueError):
        return []
    is_window = problem.finding.code == "misused-window"
    why = "the window function" if is_window else "the inner aggregate"
    # Beside other conditions the window may have been meant of all rows, or of those that are left.
    is_certain = not is_window or (
        _window_conditions(scope) == conjuncts(scope.select.args["where"].this)
    )
    edit = Edit(0, len(statement.sql), text)
    return [Fix((edit,), 1.0, f"{why} computed in a sub-query", is_certain)]


def _rewritten(problem: Problem, scope: Scope, tree: exp.Query) -> exp.Expr | None:
    """The whole query, with a sub-query in it."""
    copied = dict(zip(map(id, tree.walk()), (copy := tree.copy()).walk(), strict=True))
    select = copied[id(scope.select)]
    if not isinstance(select, exp.Select):
        return None
    if problem.finding.code == "misused-window":
        changed = _qualified(select, [copied[id(c)] for c in _window_conditions(scope)])
    elif any(u.is_outer for u in scope.uses) or select.args.get("group") is None:
        return None
    else:
        changed = _of_groups(select, copied[id(problem.node)])
    if changed is None or select is copy:
        return changed
    if changed is not select:
        select.replace(changed)
    return copy


def _window_conditions(scope: Scope) -> list[exp.Expr]:
    where = scope.select.args.get("where")
    if where is None:
        return []
    aliased = {
        id(u.column)
        for u in scope.uses
        if u.clause == "where" and u.status is Status.ALIAS and _is_window(scope, u.name)
    }
    return [
        c
        for c in conjuncts(where.this)
        if any(isinstance(n, exp.Window) or id(n) in aliased for n in own_nodes(c))
    ]


def _is_window(scope: Scope, name: str) -> bool:
    expression = scope.aliases.get(fold(name))
    return expression is not None and any(isinstance(n, exp.Window) for n in own_nodes(expression))


def _qualified(select: exp.Select, moving: list[exp.Expr]) -> exp.Select | None:
    """QUALIFY says it; what has none gets a sub-query when it is written."""
    if any(select.args.get(key) for key in _SHAPING) or select.args.get("group") is not None:
        return None
    staying = [c for c in conjuncts(select.args["where"].this) if all(c is not m for m in moving)]
    moved = [m.copy() for m in moving]
    select.set("where", exp.Where(this=exp.and_(*(c.copy() for c in staying))) if staying else None)
    select.set("qualify", exp.Qualify(this=exp.and_(*moved)))
    return select


def _of_groups(select: exp.Select, node: exp.Expr) -> exp.Select | None:
    """``MAX(COUNT(*))`` is the highest of the counts of the groups."""
    in_having = node.find_ancestor(exp.Having, exp.Select)
    if not isinstance(in_having, exp.Having) and any(select.args.get(k) for k in _SHAPING):
        return None
    outer = next((a for a in _outermost(select) if any(node is n for n in aggregates(a))), None)
    if (
        outer is None
        or len(aggregates(outer)) != 2
        or not any(outer.this is n for n in aggregates(outer))
    ):
        return None
    groups = exp.select(exp.alias_(outer.this.copy(), "one"))
    for key in ("from_", "joins", "where", "group"):
        if (part := select.args.get(key)) is not None:
            groups.set(key, [p.copy() for p in part] if isinstance(part, list) else part.copy())
    whole = outer.copy()
    whole.set("this", exp.column("one"))
    if isinstance(in_having, exp.Having):
        outer.replace(exp.select(whole).from_(groups.subquery("of_groups")).subquery())
        return select
    if len(select.expressions) != 1 or select.expressions[0].unalias() is not outer:
        return None
    if (having := select.args.get("having")) is not None:
        groups.set("having", having.copy())
    name = select.expressions[0].alias
    shown = exp.alias_(whole, name) if name else whole
    return exp.select(shown).from_(groups.subquery("of_groups"))


def _outermost(select: exp.Select) -> Iterator[exp.Expr]:
    for root in (*select.expressions, select.args.get("having")):
        yield from (a for a in aggregates(root) if len(aggregates(a)) > 1)
