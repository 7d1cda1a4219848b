"""Words that look like a stored value and mean another, and values that are written otherwise."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from macsql.database import Database
from macsql.linking import link_values

Match = tuple[str, str]
Link = Callable[..., list[Match]]

CLINIC = """
CREATE TABLE patient (id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, sex TEXT,
    country TEXT, city TEXT, blood TEXT);
INSERT INTO patient VALUES (1, 'May', 'Price', 'F', 'Iceland', 'Łódź', 'A'),
    (2, 'Erik', 'Ørsted', 'M', 'Niger', 'Rotterdam', 'B'),
    (3, 'Ana', 'Groß', 'F', 'Spain', 'Nice', 'AB');
CREATE TABLE visit (id INTEGER PRIMARY KEY, patient_id INTEGER REFERENCES patient(id),
    diagnosis TEXT, urgency TEXT, state TEXT, seen TEXT, billed TEXT, paid TEXT);
INSERT INTO visit VALUES
    (1, 1, 'Hepatitis A', 'high', 'complete', '05/04/2023', '03/02/2021', '4 May 2023'),
    (2, 2, 'Tonsillitis', 'HIGH', 'open', '04/05/2023', '02/03/2021', '20230506'),
    (3, 3, 'Migraine', 'low', 'open', '31/12/2022', '05/05/2021', '2023-05-07');
CREATE TABLE crew (id INTEGER PRIMARY KEY, team TEXT, motto TEXT);
INSERT INTO crew VALUES (1, 'Team A', 'Line' || char(10) || 'Break'), (2, 'Team C', 'Up  High');
CREATE TABLE member (id INTEGER PRIMARY KEY, full_name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
INSERT INTO member SELECT i, 'Quilla ' || char(97 + i % 26) || 'orbin' || char(97 + i / 26 % 26)
    || char(97 + i / 676) FROM n;
INSERT INTO member VALUES (0, 'Bridget Hanlon');
"""


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Link]:
    """A function from a question about a clinic to the (table.column, value) pairs it mentions."""
    path = tmp_path_factory.mktemp("clinic") / "clinic.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(CLINIC)
    with Database(path) as database:
        index = database.value_index(60)

        def link(question: str) -> list[Match]:
            matches = link_values(question, "", database.schema, index)
            return [(f"{m.table}.{m.column}", m.value) for m in matches]

        yield link


@pytest.mark.parametrize(
    "question",
    [
        "How many visits were for Hepatitis C?",
        "Which patients come from Ireland?",
        "Which patients come from Nigeria?",
        "Is Team D the best?",
        "Who has the last name Pride?",
        'Count the visits that are "incomplete".',
        "Which last names start with 'M'?",
        "Whose last name begins with the letter B or A?",
        'Whose last name contains "A" or "B"?',
        "Which last names end with A?",
        "Which names have the letter M?",
        "Which names have the letters 'ab'?",
        "Who was seen in May 2023?",
        "Who was not seen in May, 2023, or May of 2024?",
        "Which motto is 'Line Break'?",
        "Which motto is 'Up High'?",
    ],
)
def test_what_looks_like_a_value_is_not_linked(link: Link, question: str) -> None:
    assert link(question) == []


@pytest.mark.parametrize(
    ("question", "match"),
    [
        ("Who lives in Lodz?", ("patient.city", "Łódź")),
        ("Is Orsted ill?", ("patient.last_name", "Ørsted")),
        ("Is Gross ill?", ("patient.last_name", "Groß")),
        ("Who lives in Roterdam?", ("patient.city", "Rotterdam")),
        ("Who lives in Rotetrdam?", ("patient.city", "Rotterdam")),
        ("Who has Tonsilitis?", ("visit.diagnosis", "Tonsillitis")),
        ("Who has the blood group A?", ("patient.blood", "A")),
        ("Did May come in June 2023?", ("patient.first_name", "May")),
        ("Who paid on 2023-05-04?", ("visit.paid", "4 May 2023")),
        ("Who paid on 04.05.2023?", ("visit.paid", "4 May 2023")),
        ("Who paid on May 6th, 2023?", ("visit.paid", "20230506")),
        ("Who paid on 7 May 2023?", ("visit.paid", "2023-05-07")),
        ("Who was billed on 2021-05-05?", ("visit.billed", "05/05/2021")),
        ("When did bridget hanlon join?", ("member.full_name", "Bridget Hanlon")),
        ("When did Hanlon Bridget join?", ("member.full_name", "Bridget Hanlon")),
    ],
)
def test_a_value_is_found_though_it_is_stored_otherwise(
    link: Link, question: str, match: Match
) -> None:
    assert link(question) == [match]


def test_all_spellings_of_a_text_in_a_column_are_one_place(link: Link) -> None:
    found = [("visit.urgency", "high"), ("visit.urgency", "HIGH")]
    assert link("Which visits have the urgency 'high'?") == found
    assert link("Which visits were of high urgency?") == found


def test_a_common_word_is_a_value_only_beside_its_column(link: Link) -> None:
    assert link("Which patients have a high number of visits?") == []


def test_other_days_of_a_column_tell_whether_the_day_is_first(link: Link) -> None:
    assert link("Who was seen on 5 April 2023?") == [("visit.seen", "05/04/2023")]
    assert link("Who was seen on May 4, 2023?")[0] == ("visit.seen", "04/05/2023")


def test_where_nothing_tells_the_order_of_a_day_it_is_not_linked(link: Link) -> None:
    assert link("Who was billed on 3 February 2021?") == []
