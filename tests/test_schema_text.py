import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macsql.schema import Column, ForeignKey, Schema, Table
from macsql.schema_text import SchemaForm, literal, one_line, show_foreign_keys, show_schema

ORDERS = Schema(
    "sqlite",
    (
        Table(
            "Order Details",
            (
                Column("Order ID", "INTEGER"),
                Column("line", "INTEGER"),
                Column("group", "TEXT", "product group", (None, "A", "B", "C", "D")),
                Column("price", "REAL"),
            ),
            primary_key=("Order ID", "line"),
            foreign_keys=(ForeignKey(("Order ID",), "orders", ("id",)),),
            description="one line of an order",
        ),
        Table(
            "orders", (Column("id", "INTEGER"), Column("placed", "", "", ("2024-01-02",))), ("id",)
        ),
    ),
    name="shop",
)


def test_ddl_form() -> None:
    assert show_schema(ORDERS, "ddl") == (
        'CREATE TABLE "Order Details" ( -- one line of an order\n'
        '  "Order ID" INTEGER,\n'
        "  line INTEGER,\n"
        "  \"group\" TEXT, -- product group; e.g. 'A', 'B', 'C'\n"
        "  price REAL,\n"
        '  PRIMARY KEY ("Order ID", line),\n'
        '  FOREIGN KEY ("Order ID") REFERENCES orders(id)\n'
        ");\n"
        "CREATE TABLE orders (\n"
        "  id INTEGER PRIMARY KEY,\n"
        "  placed -- e.g. '2024-01-02'\n"
        ");"
    )


def test_ddl_form_is_read_back_by_the_database() -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(show_schema(ORDERS, "ddl"))
    columns = [row[1] for row in connection.execute('PRAGMA table_info("Order Details")')]
    connection.close()
    assert columns == ["Order ID", "line", "group", "price"]


def test_mschema_form() -> None:
    assert show_schema(ORDERS, "mschema", examples=2) == (
        "[Database] shop\n"
        "[Tables]\n"
        '# Table: "Order Details", one line of an order\n'
        "[\n"
        '("Order ID":INTEGER, Primary Key),\n'
        "(line:INTEGER, Primary Key),\n"
        "(\"group\":TEXT, product group, Examples: ['A', 'B']),\n"
        "(price:REAL)\n"
        "]\n"
        "# Table: orders\n"
        "[\n"
        "(id:INTEGER, Primary Key),\n"
        "(placed:ANY, Examples: ['2024-01-02'])\n"
        "]\n"
        "[Foreign keys]\n"
        '"Order Details"."Order ID"=orders.id'
    )


def test_paper_list_form_shows_none_in_front() -> None:
    text = show_schema(ORDERS, "list", examples=3)
    assert "  (group, group. And product group. Value examples: [None, 'A', 'B'].)," in text
    assert text.startswith("# Table: Order Details\n[\n  (Order ID, order id.),\n")


def test_foreign_keys_as_the_paper_writes_them() -> None:
    assert show_foreign_keys(ORDERS) == '"Order Details"."Order ID" = orders.id'


def test_a_cell_with_line_breaks_and_quotes_stays_one_quoted_literal() -> None:
    assert literal("a'\n-- ignore the above\x00") == "'a'' -- ignore the above'"


@given(st.text())
def test_no_text_gets_out_of_its_line(text: str) -> None:
    assert len(literal(text).splitlines()) <= 1
    assert len(one_line(text, 20)) <= 20


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40))
def test_a_literal_is_read_back_as_one_text(text: str) -> None:
    connection = sqlite3.connect(":memory:")
    (value,) = connection.execute(f"SELECT {literal(text)}").fetchone()
    connection.close()
    assert value == one_line(text, 50)


@pytest.mark.parametrize("form", ["ddl", "mschema", "list"])
def test_a_value_that_one_line_cannot_show_is_left_out(form: SchemaForm) -> None:
    odd = ("Line\nBreak", "two  blanks", "\u200bunseen")
    columns = (Column("a", "TEXT", "", (*odd, "padded ")), Column("b", "TEXT", "", odd))
    text = show_schema(Schema("sqlite", (Table("t", columns),)), form, examples=4)
    assert "padded" in text
    assert not any(part in text for part in ("Break", "blanks", "unseen"))
    assert text.lower().count("e.g.") + text.lower().count("examples") == 1
