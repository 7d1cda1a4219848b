"""Spider's four classes of hardness, counted from the clauses of the gold query."""

from macsql.evaluation.clauses import Conditions, Query
from macsql.evaluation.clauses_reader import Unreadable, read_clauses
from macsql.schema import Schema

HARDNESS = ("easy", "medium", "hard", "extra")
"""The classes, easiest first."""


def hardness(gold_sql: str, schema: Schema) -> str | None:
    """The class of ``gold_sql`` by the official rule, None where that cannot read it."""
    try:
        return hardness_of(read_clauses(gold_sql, schema))
    except Unreadable:
        return None


def hardness_of(query: Query) -> str:
    """The class by three counts: parts of the query, queries inside it, and things in plenty."""
    parts, inside, plenty = _parts(query), len(query.nested), _plenty(query)
    if inside == 0 and parts <= 1 and plenty == 0:
        return "easy"
    if inside == 0 and ((parts <= 1 and plenty <= 2) or (parts == 2 and plenty <= 1)):
        return "medium"
    if inside == 0 and ((parts <= 2 and plenty > 2) or (parts == 3 and plenty <= 2)):
        return "hard"
    # Two parts with two things in plenty fall through the official table, and are "extra".
    return "hard" if inside == 1 and parts <= 1 and plenty == 0 else "extra"


def _parts(query: Query) -> int:
    """WHERE, GROUP BY, ORDER BY, LIMIT, each join, each OR, each LIKE."""
    clauses = (query.where, query.group_by, query.order_by is not None, query.limit)
    joins = max(0, len(query.sources) - 1)
    likes = sum(c.operator == "like" for c in query.conditions)
    return sum(map(bool, clauses)) + joins + query.condition_words.count("or") + likes


def _plenty(query: Query) -> int:
    """How many of these come more than once: aggregates, SELECT, WHERE and GROUP BY entries."""
    entries = (query.select, query.where.terms + query.where.words, query.group_by)
    return (_aggregates(query) > 1) + sum(len(e) > 1 for e in entries)


def _aggregates(query: Query) -> int:
    """Aggregates as the official script counts them.

    It takes negation in a condition for one, and each word between the conditions of HAVING, but
    misses the aggregates inside conditions.
    """
    found = sum(s.aggregate != "" for s in query.select)
    found += sum(use.aggregate != "" for use in query.group_by)
    for term in query.order_by.terms if query.order_by else ():
        found += term.left.aggregate != ""
        found += term.right is not None and term.right.aggregate != ""
    return found + _negations(query.where) + _negations(query.having) + len(query.having.words)


def _negations(conditions: Conditions) -> int:
    return sum(c.negated for c in conditions.terms)
