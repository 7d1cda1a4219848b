"""Properties that hold for every reply, whatever a model writes."""

import contextlib
import re
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from macsql.errors import ParseError
from macsql.parsing import read_abstention, read_selection, read_sql, read_sub_questions
from macsql.parsing.words import STATEMENT
from macsql.schema import Column, Schema, Table

SCHEMA = Schema("sqlite", (Table("t", (Column("a", "INTEGER"), Column("b", "TEXT"))),))
PIECES = (
    "SELECT_select_a, b_FROM_t_WHERE_x =_'it''s'_AND_ORDER BY_WITH c AS (_SELECT 1_)_;_DROP TABLE t"
    '_```sql_```_~~~_`_\'_"_(_--_/*_*/_<think>_</think>_<|channel|>final_{"sql":_}_[_]_:_,_NO'
    '_Question:_SQL:_Sure!_please_the rows_from_with care._{"t": ["a"]}_\\n_é_‘_’_“_”_\n_\n\n'
)
replies = st.one_of(
    st.text(max_size=200), st.lists(st.sampled_from(PIECES.split("_")), max_size=40).map(" ".join)
)
words = st.sampled_from(["a", "bee", "city", "n_1", "Größe"])
literals = st.text(alphabet="xy;'\"`-/*<>() \n“é", max_size=8).map(
    lambda s: "'" + s.replace("'", "''") + "'"
)


@st.composite
def queries(draw: st.DrawFn) -> str:
    column, table, value = draw(words), draw(words), draw(literals)
    operator = draw(st.sampled_from(["=", "<>", "LIKE", "IS NOT"]))
    sql = f"SELECT {column}, count(*) FROM {table} WHERE {column} {operator} {value}"
    tail = draw(st.sampled_from(["", f"\nGROUP BY {column}", f" ORDER BY {column} DESC LIMIT 3"]))
    start = draw(st.sampled_from(["", "WITH w AS (SELECT 1 AS one)\n"]))
    return start + sql + tail


@pytest.mark.parametrize("read", [read_sql, read_sub_questions, read_abstention])
@settings(max_examples=150, deadline=None)
@given(reply=replies)
def test_any_text_is_read_or_refused(read: Callable[[str], object], reply: str) -> None:
    with contextlib.suppress(ParseError):
        read(reply)


@settings(max_examples=150, deadline=None)
@given(replies)
def test_any_text_selects_known_names_or_is_refused(reply: str) -> None:
    try:
        selection = read_selection(reply, SCHEMA)
    except ParseError:
        return
    assert set(selection) == {"t"}
    assert selection["t"] in ("keep_all", "drop_all") or set(selection["t"]) <= {"a", "b"}


@settings(max_examples=300, deadline=None)
@given(replies)
def test_sql_never_begins_with_prose(reply: str) -> None:
    try:
        sql = read_sql(reply)
    except ParseError:
        return
    assert STATEMENT.match(sql)
    assert sql == sql.strip()
    assert "--" in sql or not sql.endswith(";")


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(["please", "select", "the", "rows", "with", "care", "from", "a", "table"])
    )
)
def test_a_sentence_of_keywords_is_not_sql(words: list[str]) -> None:
    with pytest.raises(ParseError):
        read_sql("You may " + " ".join(words))


DECORATIONS = (
    *("{}", "{};", "SQL: {}", "```\n{}\n```", "~~~sql\n{};\n~~~"),
    *("So:\n```sql\n{}\n```\nIt's done.", "<think>SELECT 0</think>\n{}", "{}\n\nQuestion: more?"),
    *("```sql\n{}", "```sqlite\nSELECT 0\n```\nor\n```sqlite\n{}\n```", "{}\n\nThat's all!"),
)


@settings(max_examples=200, deadline=None)
@given(sql=queries(), decoration=st.sampled_from(DECORATIONS))
def test_decoration_comes_off(sql: str, decoration: str) -> None:
    assume("```" not in sql or decoration != "```sql\n{}")
    assert read_sql(decoration.format(sql)) == sql


@settings(max_examples=100, deadline=None)
@given(sql=queries(), end=st.integers(min_value=1))
def test_cut_sql_is_a_beginning_of_it_or_refused(sql: str, end: int) -> None:
    try:
        found = read_sql("```sql\n" + sql[: end % len(sql)])
    except ParseError:
        return
    assert sql.startswith(found)


@pytest.mark.parametrize(
    "unit",
    [
        "please select the rows with care. ",
        "SELECT (",
        "SELECT x[",
        "```sql\n",
        "'",
        '{"t": ',
        "{'",
        "Sub question 1: ",
        "/*",
    ],
)
def test_a_megabyte_of_anything_is_read_or_refused(unit: str) -> None:
    reply = unit * (1_000_000 // len(unit))
    for read in (read_sql, lambda text: read_selection(text, SCHEMA)):
        with contextlib.suppress(ParseError):
            read(reply)


def test_a_megabyte_of_sql_in_a_fence_is_read() -> None:
    sql = f"SELECT a FROM t WHERE b IN ({','.join(map(str, range(150_000)))})"
    assert read_sql(f"```sql\n{sql};\n```") == sql


def test_nesting_without_end_in_a_fence_is_left_to_the_guard() -> None:
    sql = "SELECT " + "(" * 50_000 + "1" + ")" * 50_000
    assert read_sql(f"```sql\n{sql}\n```") == sql


def test_sql_keeps_its_inner_lines() -> None:
    assert re.fullmatch(r"SELECT a\n\nFROM t", read_sql("SELECT a\n\nFROM t"))
