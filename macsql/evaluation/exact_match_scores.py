"""How Spider's exact match compares two queries: clause by clause, without values.

Every clause is right or wrong, there is nothing between; the official script calls that the F1 of
the clause. A clause that neither query has is right.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import replace

from macsql.evaluation.clauses import ColumnUse, Condition, Conditions, OrderBy, Query, Term

CLAUSE_SCORES = (
    "select",
    "select(no AGG)",
    "where",
    "where(no OP)",
    "group(no Having)",
    "group",
    "order",
    "and/or",
    "IUEN",
    "keywords",
)
"""The official names of the partial scores, in the official order."""


def without_values(query: Query) -> Query:
    """``query`` without values in its conditions; sub-queries there stay, without theirs.

    Sub-queries in FROM keep their values, as in the official script.
    """
    return replace(
        query,
        joins=_blank(query.joins),
        where=_blank(query.where),
        having=_blank(query.having),
        operand=None if query.operand is None else without_values(query.operand),
    )


def _blank(conditions: Conditions) -> Conditions:
    terms = tuple(
        replace(
            c,
            value=without_values(c.value) if isinstance(c.value, Query) else None,
            upper=without_values(c.upper) if isinstance(c.upper, Query) else None,
        )
        for c in conditions.terms
    )
    return replace(conditions, terms=terms)


def with_shared_keys(query: Query, keys: Mapping[str, str]) -> Query:
    """``query`` with each key column replaced by the one that stands for it, and no DISTINCT.

    Only columns of tables in FROM of the outermost query are replaced, also in what it is combined
    with. Nothing changes inside sub-queries, so their DISTINCT is compared.
    """
    tables = query.tables
    return _renamed(query, {c: k for c, k in keys.items() if c.partition(".")[0] in tables})


def _renamed(query: Query, keys: Mapping[str, str]) -> Query:
    def column(use: ColumnUse) -> ColumnUse:
        return ColumnUse(use.aggregate, keys.get(use.column, use.column))

    def term(old: Term) -> Term:
        right = None if old.right is None else column(old.right)
        return Term(column(old.left), old.operator, right)

    def conditions(old: Conditions) -> Conditions:
        return replace(old, terms=tuple(replace(c, term=term(c.term)) for c in old.terms))

    order = query.order_by
    return replace(
        query,
        distinct=False,
        select=tuple(replace(s, term=term(s.term)) for s in query.select),
        joins=conditions(query.joins),
        where=conditions(query.where),
        group_by=tuple(column(c) for c in query.group_by),
        having=conditions(query.having),
        order_by=order and OrderBy(order.direction, tuple(term(t) for t in order.terms)),
        operand=None if query.operand is None else _renamed(query.operand, keys),
    )


def clause_scores(gold: Query, predicted: Query) -> dict[str, bool]:
    """Whether each clause is right; keys are ``CLAUSE_SCORES``.

    - select: the same columns with the same aggregates, in any order; "no AGG" leaves aggregates
      at the start of an entry out.
    - where: the same conditions, in any order; "no OP" compares their left sides only.
    - group(no Having): the same column names, whatever the table, in any order; group: the same
      columns in the same order, and the same HAVING.
    - order: the same terms in the same order, the same direction, and LIMIT in both or in neither.
    - and/or: WHERE uses the same set of words between its conditions.
    - IUEN: combined by the same set operator with a query that itself matches.
    - keywords: the same set of the words of ``_keywords``.
    """
    return {
        "select": _same_items(gold.select, predicted.select),
        "select(no AGG)": _same_items(
            [s.term for s in gold.select], [s.term for s in predicted.select]
        ),
        "where": _same_items(gold.where.terms, predicted.where.terms),
        "where(no OP)": _same_items(
            [c.term for c in gold.where.terms], [c.term for c in predicted.where.terms]
        ),
        "group(no Having)": _same_items(_group_names(gold), _group_names(predicted)),
        "group": _same_groups(gold, predicted),
        "order": _same_order(gold, predicted),
        "and/or": set(gold.where.words) == set(predicted.where.words),
        "IUEN": _same_operand(gold, predicted),
        "keywords": _keywords(gold) == _keywords(predicted),
    }


def matches(gold: Query, predicted: Query) -> bool:
    """Whether all clauses are right and FROM has the same tables and sub-queries, in any order."""
    return all(clause_scores(gold, predicted).values()) and same_sources(gold, predicted)


def same_sources(gold: Query, predicted: Query) -> bool:
    """Whether FROM has the same tables and sub-queries, in any order."""
    return _same_items(gold.sources, predicted.sources)


def _same_items(gold: Iterable[Hashable], predicted: Iterable[Hashable]) -> bool:
    return Counter(gold) == Counter(predicted)


def _group_names(query: Query) -> list[str]:
    return [use.column.rpartition(".")[2] for use in query.group_by]


def _same_groups(gold: Query, predicted: Query) -> bool:
    if not gold.group_by or not predicted.group_by:
        return not gold.group_by and not predicted.group_by
    same_columns = [u.column for u in gold.group_by] == [u.column for u in predicted.group_by]
    return same_columns and gold.having == predicted.having


def _same_order(gold: Query, predicted: Query) -> bool:
    if gold.order_by is None or predicted.order_by is None:
        return gold.order_by is None and predicted.order_by is None
    return gold.order_by == predicted.order_by and gold.limit == predicted.limit


def _same_operand(gold: Query, predicted: Query) -> bool:
    if gold.operand is None or predicted.operand is None:
        return gold.operand is None and predicted.operand is None
    return gold.set_operator == predicted.set_operator and matches(gold.operand, predicted.operand)


def _keywords(query: Query) -> set[str]:
    """Which clauses there are, the direction of ORDER BY, and or, not, in, like in conditions."""
    conditions: tuple[Condition, ...] = query.conditions
    order = query.order_by
    found = {
        "where": bool(query.where),
        "group": bool(query.group_by),
        "having": bool(query.having),
        "order": order is not None,
        order.direction if order else "asc": order is not None,
        "limit": query.limit,
        query.set_operator: query.operand is not None,
        "or": "or" in query.condition_words,
        "not": any(c.negated for c in conditions),
        "in": any(c.operator == "in" for c in conditions),
        "like": any(c.operator == "like" for c in conditions),
    }
    return {word for word, there in found.items() if there}
