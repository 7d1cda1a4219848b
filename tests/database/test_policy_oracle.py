"""The policy against a database that physically lacks what it hides: the answers are the same."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from macsql.database import Database
from macsql.errors import AccessDenied, ExecutionError

POLICY = {
    "roles": {
        "clerk": {
            "parameters": {"team": "text", "limit": "integer"},
            "tables": {
                "person": {
                    "hide": ["secret", "team"],
                    "masks": {"note": "substr(note, 1, 1) || '*'", "age": None},
                    "rows": "team = :team",
                },
                "visit": {
                    "columns": ["id", "person_id", "cost"],
                    "rows": "cost < :limit AND person_id IN "
                    "(SELECT p.id FROM person p WHERE p.team = :team AND visit.cost IS NOT NULL)",
                },
                "place": "all",
                "v_*": "all",
                "t_blue": {"trusted": True},
            },
            "hide": ["vault"],
        }
    }
}
PARAMETERS = {"team": "red", "limit": 60}
WHOLE = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, secret TEXT, team TEXT, age INT, note TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, person_id INT, day TEXT, cost INT);
CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT, code TEXT);
CREATE TABLE vault (id INTEGER PRIMARY KEY, gold INT);
CREATE VIEW t_blue AS SELECT id, name FROM person WHERE team = 'blue';
"""
LACKING = """
CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, age INT, note TEXT);
CREATE TABLE visit (id INTEGER PRIMARY KEY, person_id INT, cost INT);
CREATE TABLE place (id INTEGER PRIMARY KEY, name TEXT, code TEXT);
CREATE TABLE t_blue (id INTEGER PRIMARY KEY, name TEXT);
"""
VIEWS = """
CREATE VIEW v_all AS SELECT * FROM person;
CREATE VIEW v_cost(who, total) AS SELECT person_id, sum(cost) FROM visit GROUP BY person_id;
CREATE VIEW v_mix AS WITH person AS (SELECT id, name FROM v_all)
    SELECT p.name, q.code FROM person AS p JOIN place AS q ON q.id = p.id;
CREATE VIEW v_place AS SELECT code, id FROM place;
"""
CLOSED_VIEWS = """
CREATE VIEW v_secret AS SELECT id, p.secret FROM person p;
CREATE VIEW v_gold AS SELECT * FROM vault;
CREATE VIEW v_deep AS SELECT count(*) AS n FROM v_secret;
"""
COLUMNS = {
    "person": ("id", "name", "age", "note"),
    "visit": ("id", "person_id", "cost"),
    "place": ("id", "name", "code"),
    "v_all": ("id", "name", "age", "note"),
    "v_cost": ("who", "total"),
    "v_mix": ("name", "code"),
    "v_place": ("code", "id"),
    "t_blue": ("id", "name"),
    "vault": ("id", "gold"),
    "v_secret": ("id", "secret"),
    "v_gold": ("id", "gold"),
    "v_deep": ("n",),
    "nowhere": ("id",),
}
OPEN = [
    name for name in COLUMNS if name not in ("vault", "v_secret", "v_gold", "v_deep", "nowhere")
]
HIDDEN = ("secret", "team", "day", "gold", "missing")

Draw = Callable[[st.SearchStrategy[Any]], Any]
Cells = st.sampled_from(["ann", "bob", "x", "5", "", None])
Numbers = st.one_of(st.none(), st.integers(0, 99))
Rows = st.fixed_dictionaries(
    {
        "person": st.lists(
            st.tuples(Cells, Cells, st.sampled_from(["red", "blue", None]), Numbers, Cells),
            max_size=6,
        ),
        "visit": st.lists(st.tuples(st.integers(1, 6), Cells, Numbers), max_size=8),
        "place": st.lists(st.tuples(Cells, Cells), max_size=4),
    }
)


@dataclass
class _Scope:
    """Names that a query being written can use."""

    ctes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    outer: tuple[tuple[str, tuple[str, ...]], ...] = ()
    depth: int = 0

    def inside(self, *relations: tuple[str, tuple[str, ...]]) -> "_Scope":
        return _Scope(self.ctes, (*self.outer, *relations), self.depth + 1)


class _Writer:
    """Writes random queries over the visible tables, now and then over what is not there."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.count = 0

    def one_of(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def sometimes(self, percent: int) -> bool:
        # Hypothesis likes small numbers: the rare thing is at the other end.
        return bool(self.draw(st.integers(0, 99)) >= 100 - percent)

    def spelled(self, name: str) -> str:
        return str(self.one_of(name, name, name.upper(), f'"{name}"', f"[{name}]", f"`{name}`"))

    def query(self, scope: _Scope, width: int | None = None) -> tuple[str, tuple[str, ...]]:
        if scope.depth < 2 and self.sometimes(25):
            return self.with_ctes(scope, width)
        if scope.depth < 3 and self.sometimes(20):
            return self.set_operation(scope, width)
        return self.select(scope, width)

    def with_ctes(self, scope: _Scope, width: int | None) -> tuple[str, tuple[str, ...]]:
        known = dict(scope.ctes)
        parts = []
        for name in self.draw(
            st.lists(
                st.sampled_from(["c1", "c2", "person", "vault", "place", "v_secret"]),
                min_size=1,
                max_size=2,
                unique=True,
            )
        ):
            inner = _Scope(dict(known), scope.outer, scope.depth + 1)
            sql, columns = self.query(inner)
            parts.append(f"{self.spelled(name)} AS ({sql})")
            known[name] = columns
        sql, columns = self.query(_Scope(known, scope.outer, scope.depth + 1), width)
        if sql.startswith("WITH"):
            return sql, columns
        return f"WITH {', '.join(parts)} {sql}", columns

    def set_operation(self, scope: _Scope, width: int | None) -> tuple[str, tuple[str, ...]]:
        width = width or self.one_of(1, 2)
        inner = _Scope(scope.ctes, scope.outer, 3)
        left, columns = self.select(inner, width)
        right, _ = self.select(inner, width)
        word = self.one_of("UNION", "UNION ALL", "INTERSECT", "EXCEPT")
        return f"{left} {word} {right}", columns

    def relation(self, scope: _Scope) -> tuple[str, str, tuple[str, ...]]:
        """SQL, name and columns of one item of FROM."""
        self.count += 1
        alias = f"r{self.count}"
        if scope.depth < 2 and self.sometimes(20):
            sql, columns = self.query(_Scope(scope.ctes, scope.outer, scope.depth + 1))
            return f"({sql}) AS {alias}", alias, columns
        names = [*OPEN, *scope.ctes] if self.sometimes(96) else list(COLUMNS)
        name = self.draw(st.sampled_from(names))
        is_cte = name in scope.ctes
        columns = scope.ctes[name] if is_cte else COLUMNS[name]
        written = self.spelled(name)
        if not is_cte and self.sometimes(15):
            written = f"main.{written}"
        if self.sometimes(70):
            return f"{written} {self.one_of('AS ', '')}{alias}", alias, columns
        return written, name, columns

    def column(self, relations: list[tuple[str, tuple[str, ...]]]) -> str:
        name, columns = self.draw(st.sampled_from(relations))
        if self.sometimes(2) or not columns:
            return f"{name}.{self.one_of(*HIDDEN)}" if self.sometimes(50) else self.one_of(*HIDDEN)
        column = self.spelled(self.draw(st.sampled_from(columns)))
        return column if len(relations) == 1 and self.sometimes(60) else f"{name}.{column}"

    def source(self, scope: _Scope) -> tuple[str, list[tuple[str, tuple[str, ...]]]]:
        sql, name, columns = self.relation(scope)
        relations = [(name, columns)]
        for _ in range(self.one_of(0, 0, 0, 1, 1, 2)):
            more, other, others = self.relation(scope)
            if other in dict(relations):
                continue
            relations.append((other, others))
            sql = self.joined(sql, more, relations)
        return sql, relations

    def joined(self, left: str, right: str, relations: list[tuple[str, tuple[str, ...]]]) -> str:
        shared = set(relations[-1][1]) & {c for _, columns in relations[:-1] for c in columns}
        kind = self.one_of("cross", "comma", "on", "on", "left", "natural", "using")
        if kind == "natural":
            return f"{left} NATURAL JOIN {right}"
        if kind == "using" and shared:
            return f"{left} JOIN {right} USING ({sorted(shared)[0]})"
        if kind in ("on", "left"):
            on = f"{self.column(relations[:-1])} = {self.column(relations[-1:])}"
            return f"{left} {'LEFT ' if kind == 'left' else ''}JOIN {right} ON {on}"
        return f"{left}, {right}" if kind == "comma" else f"{left} CROSS JOIN {right}"

    def condition(self, scope: _Scope, relations: list[tuple[str, tuple[str, ...]]]) -> str:
        column = self.column([*relations, *scope.outer[-1:]])
        kind = self.one_of("compare", "compare", "null", "in", "exists", "scalar")
        inner = scope.inside(*relations)
        if scope.depth >= 2 and kind in ("in", "exists", "scalar"):
            kind = "compare"
        if kind == "compare":
            return f"{column} {self.one_of('=', '<', '<>', '>=')} {self.one_of(5, 30, 'NULL')}"
        if kind == "null":
            return f"{column} IS {self.one_of('', 'NOT ')}NULL"
        if kind == "in":
            return f"{column} {self.one_of('', 'NOT ')}IN ({self.query(inner, 1)[0]})"
        if kind == "exists":
            return f"{self.one_of('', 'NOT ')}EXISTS ({self.query(inner)[0]})"
        return f"{column} = (SELECT max(w) FROM (SELECT 0 AS w UNION {self.query(inner, 1)[0]}))"

    def select(self, scope: _Scope, width: int | None = None) -> tuple[str, tuple[str, ...]]:
        source, relations = self.source(scope)
        where = f" WHERE {self.condition(scope, relations)}" if self.sometimes(50) else ""
        if width is None and self.sometimes(25):
            return f"SELECT {self.star(relations)} FROM {source}{where}", ()
        if self.sometimes(25):
            return self.grouped(source + where, relations, width)
        count = width or self.one_of(1, 2, 3)
        items = [f"{self.column(relations)} AS k{i}" for i in range(count)]
        distinct = self.one_of("", "", "DISTINCT ")
        outputs = tuple(f"k{i}" for i in range(count))
        return f"SELECT {distinct}{', '.join(items)} FROM {source}{where}", outputs

    def star(self, relations: list[tuple[str, tuple[str, ...]]]) -> str:
        return "*" if self.sometimes(70) else f"{relations[0][0]}.*"

    def grouped(
        self, source: str, relations: list[tuple[str, tuple[str, ...]]], width: int | None
    ) -> tuple[str, tuple[str, ...]]:
        total = self.one_of("count(*)", f"max({self.column(relations)})", "count(DISTINCT 1)")
        if width == 1:
            return f"SELECT {total} AS k0 FROM {source}", ("k0",)
        key = self.column(relations)
        having = self.one_of("", "", " HAVING count(*) > 1")
        keys = ", ".join(f"{key} AS k{i}" for i in range((width or 2) - 1))
        last = f"k{(width or 2) - 1}"
        outputs = (*(f"k{i}" for i in range((width or 2) - 1)), last)
        return f"SELECT {keys}, {total} AS {last} FROM {source} GROUP BY {key}{having}", outputs


@st.composite
def queries(draw: Draw) -> str:
    return _Writer(draw).query(_Scope())[0]


def fill(path: Path, rows: dict[str, list[tuple[Any, ...]]]) -> None:
    """Put numbered ``rows`` into the tables."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        for table, values in rows.items():
            connection.execute(f"DELETE FROM {table}")
            for row in values:
                places = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} VALUES ({places})", row)
        connection.commit()


def left_of(rows: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """What POLICY leaves of ``rows``, worked out without SQL; each row with its own number."""
    people = list(enumerate(rows["person"], 1))
    red = {number for number, person in people if person[2] == "red"}
    return {
        "person": [
            (number, name, None, None if note is None else note[:1] + "*")
            for number, (name, _, _, _, note) in people
            if number in red
        ],
        "visit": [
            (number, person, cost)
            for number, (person, _, cost) in enumerate(rows["visit"], 1)
            if cost is not None and cost < 60 and person in red
        ],
        "place": [(number, *place) for number, place in enumerate(rows["place"], 1)],
        "t_blue": [(number, person[0]) for number, person in people if person[2] == "blue"],
    }


def outcome(database: Database, sql: str) -> object:
    """The rows in any order, or the kind of error."""
    try:
        result = database.execute(sql)
    except (AccessDenied, ExecutionError) as error:
        return type(error)
    return [c.casefold() for c in result.columns], sorted(map(repr, result.rows))


def agree(sql: str, restricted: Database, small: Database) -> bool:
    seen, expected = outcome(restricted, sql), outcome(small, sql)
    if seen is AccessDenied:
        # SQLite does not look into a WITH query that nothing reads; the policy does.
        return expected is ExecutionError or "WITH" in sql
    return seen == expected


@dataclass(frozen=True)
class Pair:
    whole: Path
    lacking: Path
    restricted: Database
    small: Database


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    folder = tmp_path_factory.mktemp("oracle")
    whole, lacking = folder / "whole.db", folder / "lacking.db"
    for path, script in ((whole, WHOLE + VIEWS + CLOSED_VIEWS), (lacking, LACKING + VIEWS)):
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(script)
    with closing(sqlite3.connect(whole)) as connection:
        connection.execute("INSERT INTO vault VALUES (1, 999)")
        connection.commit()
    restricted = Database(whole, policy=POLICY, role="clerk", parameters=PARAMETERS)
    return Pair(whole, lacking, restricted, Database(lacking))


WITHOUT_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)


@settings(
    max_examples=int(os.environ.get("MACSQL_TEST_EXAMPLES", "50")),
    derandomize="MACSQL_TEST_EXAMPLES" not in os.environ,
    database=None,
    phases=WITHOUT_SHRINKING,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rows=Rows, sqls=st.lists(queries(), min_size=5, max_size=5))
def test_the_answers_are_those_of_a_database_that_lacks_what_is_hidden(
    pair: Pair, rows: dict[str, list[tuple[Any, ...]]], sqls: list[str]
) -> None:
    numbered = {t: [(i, *row) for i, row in enumerate(told, 1)] for t, told in rows.items()}
    fill(pair.whole, numbered)
    fill(pair.lacking, left_of(rows))
    for sql in sqls:
        assert agree(sql, pair.restricted, pair.small), sql


def test_most_generated_queries_run(pair: Pair) -> None:
    ran = []

    @settings(max_examples=100, derandomize=True, database=None, phases=WITHOUT_SHRINKING)
    @given(sql=queries())
    def count(sql: str) -> None:
        ran.append(not isinstance(outcome(pair.restricted, sql), type))

    count()
    assert sum(ran) > 0.5 * len(ran)
