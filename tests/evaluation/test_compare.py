"""When two results are equal, by each rule."""

import itertools
import random
from collections import Counter

import pytest

from macsql.evaluation.compare import bird_equal, same_up_to_columns, spider_equal, strict_equal
from macsql.evaluation.compare_order import equal_but_for_ties, outermost_is_ordered, sort_keys
from macsql.evaluation.official_text import (
    is_ordered,
    spider_executed,
    spider_prediction,
    without_distinct,
)
from macsql.evaluation.soft_f1 import soft_f1

NULL_FIRST = [(None, "a"), (None, "b"), (3, "c")]

# gold, predicted, Spider's rule as a bag, as a sequence, BIRD's rule
RESULTS = [
    ([], [], True, True, True),
    ([], [(1,)], False, False, False),
    ([(1,), (2,)], [(2,), (1,)], True, False, True),
    ([(1,), (1,)], [(1,)], False, False, True),
    ([(1,), (1,), (2,)], [(1,), (2,), (2,)], False, False, True),
    ([(1, "a")], [("a", 1)], True, True, False),
    ([(1, 2), (3, 4)], [(2, 1), (4, 3)], True, True, False),
    ([(1, 2), (3, 4)], [(2, 1), (3, 4)], False, False, False),
    ([(1, 2), (2, 1)], [(2, 1), (1, 2)], True, True, True),
    ([(1,)], [(1, 1)], False, False, False),
    ([(6,)], [(6.0,)], True, True, True),
    ([(6,)], [("6",)], False, False, False),
    (NULL_FIRST, [(b, a) for a, b in NULL_FIRST], True, True, False),
    # Sorted as texts 1 comes after 10, 1.0 before it: turned down at once, though equal.
    ([(1, 10)], [(1.0, 10)], False, False, True),
    # The same three numbers in each column, but no order of the columns fits all rows.
    ([(1, 2, 3), (2, 3, 1), (3, 1, 2)], [(1, 2, 3), (2, 1, 3), (3, 1, 2)], False, False, False),
    ([(b"\x00", "x")], [("x", b"\x00")], True, True, False),
]


@pytest.mark.parametrize(("gold", "predicted", "bag", "sequence", "bird"), RESULTS)
def test_rules(gold, predicted, bag, sequence, bird) -> None:
    assert spider_equal(gold, predicted, ordered=False) is bag
    assert spider_equal(gold, predicted, ordered=True) is sequence
    assert bird_equal(gold, predicted) is bird


def by_all_orders(gold, predicted, labels) -> bool:
    """The rule as it is told, in factorial time."""
    wanted = Counter(zip(labels, gold, strict=True))
    for order in itertools.permutations(range(len(gold[0]))):
        moved = [tuple(row[i] for i in order) for row in predicted]
        if wanted == Counter(zip(labels, moved, strict=True)):
            return True
    return False


def test_any_order_of_columns_is_found_exactly_when_there_is_one() -> None:
    chance = random.Random(3)
    found = Counter()
    for _ in range(2500):
        width, height = chance.randint(1, 4), chance.randint(1, 5)
        cells = chance.choice([[0, 1], [0, 1, 2], [None, 1, "a", 1.0]])
        gold = [tuple(chance.choice(cells) for _ in range(width)) for _ in range(height)]
        order = chance.sample(range(width), width)
        predicted = [tuple(row[i] for i in order) for row in gold]
        chance.shuffle(predicted)
        if chance.random() < 0.5:
            row, column = chance.randrange(height), chance.randrange(width)
            changed = list(predicted[row])
            changed[column] = chance.choice(cells)
            predicted[row] = tuple(changed)
        groups = [chance.randint(0, 1) for _ in range(height)]
        for labels in ([0] * height, list(range(height)), groups):
            expected = by_all_orders(gold, predicted, labels)
            assert same_up_to_columns(gold, predicted, labels) is expected, (
                gold,
                predicted,
                labels,
            )
            found[expected] += 1
    assert min(found[True], found[False]) > 1000


def test_wide_results_need_no_search_through_all_orders() -> None:
    chance = random.Random(5)
    gold = [tuple(chance.randint(0, 1) for _ in range(40)) for _ in range(60)]
    order = chance.sample(range(40), 40)
    predicted = [tuple(row[i] for i in order) for row in gold]
    assert spider_equal(gold, predicted, ordered=False)
    swapped = [list(row) for row in predicted]
    first = next(i for i in range(60) if swapped[i][0] != swapped[i][1])
    swapped[first][0], swapped[first][1] = swapped[first][1], swapped[first][0]
    assert not spider_equal(gold, [tuple(row) for row in swapped], ordered=False)


def test_columns_that_only_a_trial_tells_apart() -> None:
    # Every row has one 1, every column one 1: all columns look alike until one is chosen.
    size = 12
    gold = [tuple(int(i == j) for j in range(size)) for i in range(size)]
    order = [(i * 5 + 3) % size for i in range(size)]
    predicted = [gold[i] for i in order]
    assert spider_equal(gold, predicted, ordered=True)
    # Two rings of three against one of six: the same counts everywhere, and yet different.
    rings = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]
    two, one = ([tuple(int(c in pair) for c in range(6)) for pair in r] for r in (rings, ring))
    assert not spider_equal(two, one, ordered=False)
    assert spider_equal(one, [row[::-1] for row in one][::-1], ordered=False)


# gold, predicted, ordered, any order of columns, groups, equal
STRICT = [
    ([(1,), (1,)], [(1,)], False, False, None, False),
    ([(1,), (2,)], [(2,), (1,)], False, False, None, True),
    ([(1,), (2,)], [(2,), (1,)], True, False, None, False),
    ([(1,), (2,)], [(2,), (1,)], True, False, [0, 0], True),
    ([(1,), (2,), (3,)], [(2,), (3,), (1,)], True, False, [0, 0, 1], False),
    ([(1, "a")], [("a", 1)], False, False, None, False),
    ([(1, "a")], [("a", 1)], False, True, None, True),
    ([(1, "a"), (2, "b")], [("b", 2), ("a", 1)], True, True, [0, 0], True),
    ([], [], True, False, None, True),
    ([(1,)], [(1, 2)], False, True, None, False),
]


@pytest.mark.parametrize(("gold", "predicted", "ordered", "free", "groups", "equal"), STRICT)
def test_strict_rule(gold, predicted, ordered, free, groups, equal) -> None:
    given = strict_equal(gold, predicted, ordered=ordered, any_column_order=free, groups=groups)
    assert given is equal


# gold SQL, ordered by Spider's script, outermost query ordered, statement with the sort keys
ORDERS = [
    ("SELECT a FROM t", False, False, None),
    ("SELECT a FROM t ORDER BY b", True, True, "SELECT a, b FROM t ORDER BY b"),
    ("SELECT a FROM t ORDER BY 1 DESC LIMIT 2", True, True, "SELECT a, a FROM t ORDER BY 1 DESC"),
    ("SELECT a FROM t WHERE b = (SELECT b FROM t ORDER BY b LIMIT 1)", True, False, None),
    ("SELECT a FROM t WHERE b = 'order by'", True, False, None),
    ("SELECT a FROM t ORDER  BY b", False, True, "SELECT a, b FROM t ORDER BY b"),
    (
        "SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY n",
        True,
        True,
        "SELECT a, COUNT(*) AS n, COUNT(*) FROM t GROUP BY a ORDER BY n",
    ),
    ("SELECT DISTINCT a FROM t ORDER BY a", True, True, "SELECT DISTINCT a FROM t ORDER BY a"),
    ("SELECT DISTINCT a FROM t ORDER BY b", True, True, None),
    ("SELECT *, a FROM t ORDER BY 2", True, True, None),
    ("SELECT * FROM t ORDER BY b", True, True, "SELECT *, b FROM t ORDER BY b"),
    (
        "SELECT a FROM t UNION SELECT b FROM t ORDER BY a LIMIT 1",
        True,
        True,
        "SELECT a FROM t UNION SELECT b FROM t ORDER BY a",
    ),
    ("SELECT a FROM t ORDER BY a LIMIT (SELECT 1)", True, True, "SELECT a, a FROM t ORDER BY a"),
    ("SELECT a FROM t ORDER BY a LIMIT 1 OFFSET (SELECT 1)", True, True, None),
    ("no SQL, order by nothing (", True, True, None),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "official", "outermost", "keyed"), ORDERS)
def test_order_that_a_gold_query_demands(sql, official, outermost, keyed) -> None:
    assert is_ordered(sql) is official
    assert outermost_is_ordered(sql) is outermost
    known = sort_keys(sql)
    assert (known.sql if known else None) == keyed


# The keyed rows are name and age; limit and offset, gold, predicted, equal.
KEYED = [("ann", 1), ("bob", 2), ("cem", 2), ("dan", 2), ("eva", 3)]
TIES = [
    (None, 0, "ann bob cem dan eva", "ann dan bob cem eva", True),
    (None, 0, "ann bob cem dan eva", "bob ann cem dan eva", False),
    (2, 0, "ann bob", "ann dan", True),
    (2, 0, "ann bob", "dan ann", False),
    (2, 0, "ann bob", "ann eva", False),
    (2, 2, "cem dan", "bob cem", True),
    (2, 2, "cem dan", "cem cem", False),
    (2, 2, "cem dan", "cem", False),
    (1, 4, "eva", "eva", True),
    (1, 9, "eva", "eva", False),
]


@pytest.mark.parametrize(("limit", "offset", "gold", "predicted", "equal"), TIES)
def test_rows_that_tie_may_change_places(limit, offset, gold, predicted, equal) -> None:
    cut = "" if limit is None else f" LIMIT {limit} OFFSET {offset}"
    known = sort_keys(f"SELECT name FROM t ORDER BY age{cut}")
    assert known is not None
    rows = [[(name,) for name in names.split()] for names in (gold, predicted)]
    assert equal_but_for_ties(known, KEYED, *rows, any_column_order=False) is equal


def test_columns_may_change_places_inside_a_cut_tie() -> None:
    known = sort_keys("SELECT name, age FROM t ORDER BY age LIMIT 2")
    assert known is not None
    keyed = [(name, age, age) for name, age in KEYED]
    gold, predicted = [("ann", 1), ("bob", 2)], [(1, "ann"), (2, "dan")]
    assert equal_but_for_ties(known, keyed, gold, predicted, any_column_order=True)
    assert not equal_but_for_ties(known, keyed, gold, predicted, any_column_order=False)


# gold, predicted, Soft-F1
SOFT = [
    ([], [], 1.0),
    ([("a",)], [], 0.0),
    ([], [("a",)], 0.0),
    ([("a", 1)], [(1, "a")], 1.0),
    ([("a",)], [("a", "b")], 2 / 3),
    ([("a",)], [("a", "a")], 1.0),
    ([("a",), ("b",)], [("b",), ("a",)], 0.0),
    ([("a",), ("b",)], [("a",)], 2 / 3),
    ([("a",), ("a",), ("b",)], [("a",), ("b",), ("b",)], 1.0),
    ([("a",), ("b",)], [("a",), ("b",), ("c",)], 0.8),
    ([(None,)], [(None,)], 1.0),
]


@pytest.mark.parametrize(("gold", "predicted", "score"), SOFT)
def test_soft_f1(gold, predicted, score) -> None:
    assert soft_f1(gold, predicted) == pytest.approx(score, abs=1e-12)


# text, what Spider's script reads of it, what it runs
TEXTS = [
    ("SELECT a\tconcert_singer", "SELECT a", "SELECT a"),
    ("SELECT a\n\tFROM t", "SELECT a\n FROM t", "SELECT a\n FROM t"),
    ("SELECT value, Value, values_", "SELECT 1, Value, 1s_", "SELECT 1, Value, 1s_"),
    ("SELECT a > = 1, b ! = 2", "SELECT a > = 1, b ! = 2", "SELECT a >= 1, b != 2"),
    ("SELECT DISTINCT a; SELECT b", "SELECT DISTINCT a; SELECT b", "SELECT  a;"),
    ("SELECT year(curdate()) - a", "SELECT year(curdate()) - a", "SELECT 2020- a"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "read", "run"), TEXTS)
def test_what_spiders_script_makes_of_a_prediction(sql, read, run) -> None:
    assert spider_prediction(sql) == read
    assert spider_executed(read) == run


# What sqlparse 0.6.1 made of each, as the official remove_distinct uses it.
DISTINCT = [
    ("SELECT CASE WHEN a THEN 1 END; SELECT 2", "SELECT CASE WHEN a THEN 1 END;"),
    ("SELECT (1; SELECT 2", "SELECT (1; SELECT 2"),
    ("select 'it\\'s distinct; ' from t", "select 'it\\'s distinct; ' from t"),
    ('select "a;b" from t', 'select "a;b" from t'),
    (
        "SELECT distinct.a, [distinct] from `distinct` -- distinct\n where x='distinct'",
        "SELECT .a, [distinct] from `distinct` -- distinct\n where x='distinct'",
    ),
    ("select $distinct, :distinct", "select $distinct, :distinct"),
    ("select 'unclosed distinct ; x", "select 'unclosed  ;"),
    ("select count(distinct(a)) /* distinct; */ ; x", "select count((a)) /* distinct; */ ;"),
    ("select (case when a then b end; select 1)", "select (case when a then b end;"),
    ("", ""),
]


@pytest.mark.parametrize(("sql", "left"), DISTINCT)
def test_distinct_goes_and_so_do_further_statements(sql, left) -> None:
    assert without_distinct(sql) == left
