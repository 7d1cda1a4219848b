"""Words of a question against names, descriptions and stored values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macsql.linking import link_names, rank_columns, rank_tables, shrink_to
from macsql.linking.names import words
from macsql.linking.pins import pinned
from macsql.message import ValueMatch
from macsql.schema import Column, ForeignKey, Schema, Table
from macsql.schema_text import show_schema

SHOP = Schema(
    "sqlite",
    (
        Table(
            "customer", (Column("customer_id", "INT"), Column("cityName", "TEXT")), ("customer_id",)
        ),
        Table(
            "orders",
            (
                Column("order_id", "INT"),
                Column("customer_id", "INT"),
                Column("amt_2", "REAL", "net revenue"),
            ),
            ("order_id",),
            (ForeignKey(("customer_id",), "customer", ("customer_id",)),),
        ),
        Table("colour", (Column("code", "TEXT", "", ("red", "green")),)),
        Table("empty_one", (Column("x", "TEXT"),)),
    ),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SingersIn_Concerts", ["singer", "in", "concert"]),
        ("HTTPServer", ["http", "server"]),
        ("cities", ["city"]),
        ("movie_Movies", ["movy", "movy"]),
        ("addresses", ["address"]),
        ("class", ["class"]),
        ("Straße 12", ["straße", "12"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_a_question_is_linked_to_the_tables_and_columns_it_names() -> None:
    focus = link_names("In which cities do our customers live?", "", SHOP)
    assert focus.tables == ("customer",)
    assert "customer.cityName" in focus.columns


def test_a_description_links_a_column_with_a_cryptic_name() -> None:
    assert "orders.amt_2" in link_names("What is the net revenue?", "", SHOP).columns


def test_a_stored_value_brings_its_table_forward() -> None:
    assert rank_tables("How many are red?", "", SHOP)[0].name == "colour"


def test_keys_and_names_that_are_only_half_there_are_not_in_focus() -> None:
    focus = link_names("How many orders does each customer have?", "", SHOP)
    assert focus.tables == ("customer", "orders")
    assert focus.columns == ()


def test_neighbours_of_a_named_table_come_before_strangers() -> None:
    ranked = [t.name for t in rank_tables("Which customer paid most?", "", SHOP)]
    assert ranked.index("customer") == 0
    assert ranked.index("orders") < ranked.index("empty_one")


def test_columns_named_in_the_question_come_first() -> None:
    orders = SHOP.tables[1]
    assert rank_columns("net revenue", "", orders)[0].name == "amt_2"


@given(st.integers(min_value=60, max_value=400), st.text(max_size=40))
def test_a_shrunk_schema_fits_its_budget_or_is_one_table(budget: int, question: str) -> None:
    shrunk = shrink_to(budget, SHOP, show_schema, len, question)
    assert len(show_schema(shrunk.schema)) <= budget or len(shrunk.schema.tables) == 1


def test_examples_go_before_names() -> None:
    whole = len(show_schema(SHOP))
    shrunk = shrink_to(whole - 1, SHOP, show_schema, len, "red")
    assert (shrunk.examples, shrunk.summary) == (1, "")
    assert len(shrunk.schema.tables) == 4


def test_what_was_left_out_is_said() -> None:
    shrunk = shrink_to(130, SHOP, show_schema, len, "Which customers?")
    assert "customer" in [t.name for t in shrunk.schema.tables]
    assert "tables left out" in shrunk.summary


def test_a_table_is_ranked_by_its_examples_though_these_are_no_longer_shown() -> None:
    shrunk = shrink_to(90, SHOP, show_schema, len, "How many are red?")
    assert [t.name for t in shrunk.schema.tables] == ["colour"]
    assert shrunk.schema.tables[0].columns == (Column("code", "TEXT"),)


def archive(count: int) -> Schema:
    """Two tables that a third one joins, among ``count`` tables that a question names."""

    def table(name: str, *columns: str, keys: tuple[ForeignKey, ...] = ()) -> Table:
        return Table(name, tuple(Column(c, "TEXT") for c in columns), columns[:1], keys)

    keys = (ForeignKey(("p",), "zp", ("p",)), ForeignKey(("q",), "zq", ("q",)))
    others = [table(f"tool_{i}", f"tool_{i}_id", "owner") for i in range(count)]
    wide = table("zq", "q", *(f"z_{i}" for i in range(40)))
    return Schema(
        "sqlite", (*others, table("zp", "p", "n"), wide, table("zz", "p", "q", keys=keys))
    )


def test_where_values_are_stored_stays_and_what_joins_it() -> None:
    schema = archive(50)
    values = [ValueMatch("zp", "n", "x", "x", 0.9), ValueMatch("ZQ", "z_31", "y", "y", 0.8)]
    shrunk = shrink_to(
        500, schema, show_schema, len, "Whose tool is it?", pins=pinned(schema, values)
    )
    kept = {t.name: [c.name for c in t.columns] for t in shrunk.schema.tables}
    assert kept["zp"] == ["p", "n"]
    assert "z_31" in kept["zq"]
    assert kept["zz"] == ["p", "q"]
    assert "tool_0" in kept
    assert len(show_schema(shrunk.schema)) <= 500


def test_values_of_tables_that_nothing_joins_pin_these_alone() -> None:
    values = [ValueMatch(t, "x", "x", "x", 0.9) for t in ("colour", "orders", "gone", "customer")]
    assert list(pinned(SHOP, values)) == ["colour", "orders", "customer"]
