"""Stored values that a question mentions."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from macsql.database import Database
from macsql.database.value_store import ValueStore
from macsql.linking import link_values
from macsql.linking.values import MAX_MATCHES
from macsql.message import ValueMatch
from macsql.schema import Column, Schema, Table

Match = tuple[str, str]
Link = Callable[[str], list[Match]]

SHOP = """
CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT, continent TEXT);
INSERT INTO country VALUES ('US', 'United States', 'North America'), ('FR', 'France', 'Europe'),
    ('GB', 'United Kingdom', 'Europe'), ('CI', 'Côte d''Ivoire', 'Africa');
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, sex TEXT, grade TEXT, city TEXT,
    country_code TEXT REFERENCES country(code), born DATE);
INSERT INTO customer VALUES
    (1, 'Brittany Harris', 'F', 'A', 'New York City', 'US', '1990-09-07'),
    (2, 'Juan Pérez', 'M', 'B', 'Brooklyn', 'US', '1987-07-09'),
    (3, 'O''Brien-Smith, Pat', 'F', 'A', 'York', 'GB', '1990-01-31');
CREATE TABLE product (id INTEGER PRIMARY KEY, title TEXT, sku TEXT, kind TEXT, maker TEXT);
INSERT INTO product VALUES
    (1, 'Number One', 'AB12', 'Collectible card', 'the two'),
    (2, 'Name', 'PER', 'Video game', 'Of'),
    (3, 'Wall Clock', '1234', 'Clock', 'First'), (4, 'Kite', 'K1', ' Zephyrs', NULL);
CREATE TABLE warehouse (id INTEGER PRIMARY KEY, state TEXT, chief_nationality TEXT, language TEXT);
INSERT INTO warehouse VALUES (1, 'CA', 'Swiss', 'Italian'), (2, 'ME', 'Dutch', 'Dutch');
CREATE VIEW v_customer AS SELECT name, city FROM customer;
"""


@pytest.fixture
def link(tmp_path: Path) -> Iterator[Link]:
    """A function from a question about a shop to the (table.column, value) pairs it mentions."""
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SHOP)
    with Database(path) as database:
        index = database.value_index(60)

        def link(question: str, evidence: str = "") -> list[Match]:
            matches = link_values(question, evidence, database.schema, index)
            return [(f"{m.table}.{m.column}", m.value) for m in matches]

        yield link


@pytest.mark.parametrize(
    ("question", "match"),
    [
        ("Who lives in new york city?", ("customer.city", "New York City")),
        ('Who lives in "york city, new"?', ("customer.city", "New York City")),
        ("What did Juan Perez buy?", ("customer.name", "Juan Pérez")),
        ("What did Pat O'Brien Smith buy?", ("customer.name", "O'Brien-Smith, Pat")),
        ("Which customers are from Cote d’Ivoire?", ("country.name", "Côte d'Ivoire")),
        ("How many customers are in the United States?", ("country.name", "United States")),
        ("How many customers are in the U.S.?", ("customer.country_code", "US")),
        ("List all collectible cards.", ("product.kind", "Collectible card")),
        ("Which video games are there?", ("product.kind", "Video game")),
        ("Show the product with the sku ab-12.", ("product.sku", "AB12")),
        ("Which product has the sku 1234?", ("product.sku", "1234")),
        ("How many female customers are there?", ("customer.sex", "F")),
        ("How many men are customers?", ("customer.sex", "M")),
        ("Which customers have grade A?", ("customer.grade", "A")),
        ("Who was born on September 7th, 1990?", ("customer.born", "1990-09-07")),
        ("Who was born on the 9th of July 1987?", ("customer.born", "1987-07-09")),
        ("What did Britanny Harris buy?", ("customer.name", "Brittany Harris")),
        ("Who lives in Brooklin?", ("customer.city", "Brooklyn")),
        ("How many French customers are there?", ("country.name", "France")),
        ("how many customers are british?", ("customer.country_code", "GB")),
        ("Who comes from Ivory Coast?", ("country.name", "Côte d'Ivoire")),
        ("How many warehouses are in California?", ("warehouse.state", "CA")),
        (
            "Which chiefs of warehouses are from Switzerland?",
            ("warehouse.chief_nationality", "Swiss"),
        ),
    ],
)
def test_a_value_is_found_however_it_is_written(link: Link, question: str, match: Match) -> None:
    assert match in link(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the name of the first customer of each country?",
        "How many products per kind are there, and which two are the most popular?",
        "Show the number of customers, one line for each year.",
        "What is the number one?",
        "Count them by the two grades.",
        "Is there a customer with 12 products?",
        "",
        "?!",
    ],
)
def test_words_that_ask_are_no_values(link: Link, question: str) -> None:
    assert link(question) == []


@pytest.mark.parametrize(
    "question",
    [
        "Which warehouses are in Canada?",
        "Who comes from Italy?",
        "Give me the number of warehouses.",
    ],
)
def test_a_region_is_not_looked_for_where_it_cannot_be(link: Link, question: str) -> None:
    assert link(question) == []


def test_another_day_is_not_the_same_numbers_in_another_order(link: Link) -> None:
    assert link("Who was born on September 7th, 1987?") == []


def test_a_cell_with_a_blank_before_it_is_not_copied(link: Link) -> None:
    assert link("Which products are 'Zephyrs'?") == []


def test_the_longest_group_wins(link: Link) -> None:
    assert link("Who lives in New York City?") == [("customer.city", "New York City")]


def test_a_code_that_differs_by_a_digit_is_another_code(link: Link) -> None:
    assert link("Show the sku 'AB13'.") == []


def test_the_column_that_is_named_comes_first(link: Link) -> None:
    question = "Which country has the code 'US'?"
    assert link(question)[0] == ("country.code", "US")


def test_evidence_is_read_too(link: Link) -> None:
    assert ("customer.city", "Brooklyn") in link("Who is it?", "the city refers to 'Brooklyn'")


def test_quoted_words_are_one_phrase(link: Link) -> None:
    assert ("product.title", "Number One") in link('Who makes "number one"?')


def test_a_view_repeats_nothing(link: Link) -> None:
    assert link("What did Juan Pérez buy?") == [("customer.name", "Juan Pérez")]


def test_the_match_says_which_words_it_comes_from(school_db: Path) -> None:
    with Database(school_db) as database:
        index = database.value_index(60)
        (match,) = link_values("Which school is in Berlin?", "", database.schema, index)
    assert match == ValueMatch("school", "city", "BERLIN", "Berlin", match.score)
    assert 0 < match.score < 1


def test_a_column_that_is_not_in_the_schema_is_not_shown(school_db: Path) -> None:
    with Database(school_db) as database:
        index = database.value_index(60)
        schema = database.schema.only([t for t in database.schema.tables if t.name != "school"])
        assert link_values("Which school is in Berlin?", "", schema, index) == ()


@given(question=st.text(), evidence=st.text())
@example(question="'" * 300 + "US " * 300, evidence="³ ½ 0 ﬁ İ ٣ “„")
def test_any_text_may_be_asked(question: str, evidence: str) -> None:
    store = ValueStore(None)
    texts = ["US", "Rome", "New York City", "0", "²", "İzmir", question[:50], *question.split()]
    with store.changing():
        store.add("t", "a", dict.fromkeys(texts))
    schema = Schema("sqlite", (Table("t", (Column("a", "TEXT"),)),))
    matches = link_values(question, evidence, schema, store)
    assert len(matches) <= MAX_MATCHES
    assert all(0 <= match.score <= 1 for match in matches)
    assert {match.value for match in matches} <= set(texts)
    store.close()


def test_without_time_nothing_is_found(school_db: Path) -> None:
    with Database(school_db) as database:
        index = database.value_index(0)
        assert link_values("Which school is in Berlin?", "", database.schema, index) == ()


def test_a_last_name_does_not_hide_the_country(tmp_path: Path) -> None:
    path = tmp_path / "club.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE member (id INTEGER, last_name TEXT, country_code TEXT);"
            "INSERT INTO member VALUES (1, 'India', 'FR'), (2, 'Ode', 'IN')"
        )
    with Database(path) as database:
        index = database.value_index(60)
        india = link_values("Which members are from India?", "", database.schema, index)
    assert {(m.column, m.value) for m in india} == {("country_code", "IN"), ("last_name", "India")}
