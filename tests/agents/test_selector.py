"""The Selector: when it asks, what it keeps, what happens when the reply is bad."""

import json
import sqlite3
from pathlib import Path

import pytest

from macsql.agents import Selector
from macsql.database import Database
from macsql.llm import ScriptedLLM
from macsql.message import Message
from macsql.prompts import PromptSet


@pytest.fixture
def wide_db(tmp_path: Path) -> Path:
    """Eight tables of twelve columns, each but the first referring to the first."""
    path = tmp_path / "wide.sqlite"
    connection = sqlite3.connect(path)
    for i in range(8):
        columns = ", ".join(f"field_{i}_{j} TEXT" for j in range(10))
        key = ", main_id INTEGER REFERENCES t0(id)" if i else ""
        connection.execute(f"CREATE TABLE t{i} (id INTEGER PRIMARY KEY, {columns}{key})")
    connection.execute("CREATE TABLE small (id INTEGER PRIMARY KEY, a TEXT, b TEXT)")
    connection.commit()
    connection.close()
    return path


def select(
    path: Path, *replies: str, prune: str = "paper", window: int = 32768
) -> tuple[Message, ScriptedLLM]:
    model = ScriptedLLM(list(replies), context_window=window)
    selector = Selector(model, PromptSet.load("default"), prune=prune)
    with Database(path) as database:
        message = Message("How many field 3?", database.schema)
        list(selector.run(message, database))
    return message, model


def columns(message: Message, table: str) -> list[str]:
    found = message.schema.table(table)
    assert found is not None
    return [c.name for c in found.columns]


def test_a_small_schema_is_not_pruned(school_db: Path) -> None:
    message, model = select(school_db, prune="auto")
    assert model.calls == []
    assert "kept whole" in message.steps[0].note


def test_the_papers_rule_asks_for_the_wide_schema(wide_db: Path) -> None:
    answer = {f"t{i}": "drop_all" for i in range(3, 8)} | {"t1": ["field_1_5"], "small": "keep_all"}
    message, model = select(wide_db, json.dumps(answer))
    assert len(model.calls) == 1
    assert [t.name for t in message.schema.tables] == ["t0", "t1", "t2", "small"]
    assert columns(message, "t1") == [
        "id",
        "field_1_0",
        "field_1_1",
        "field_1_2",
        "field_1_5",
        "main_id",
    ]


def test_at_least_three_tables_stay(wide_db: Path) -> None:
    answer = {f"t{i}": "drop_all" for i in range(8)} | {"small": "drop_all"}
    message, _ = select(wide_db, json.dumps(answer))
    assert len(message.schema.tables) == 3
    assert message.schema.table("t3") is not None


def test_a_small_table_stays_whole(wide_db: Path) -> None:
    message, _ = select(wide_db, json.dumps({"small": ["a"]}))
    assert columns(message, "small") == ["id", "a", "b"]


@pytest.mark.parametrize("reply", ["", "I would keep everything.", "[1, 2", '{"nothing": "here"}'])
def test_a_bad_reply_keeps_the_whole_schema_and_is_recorded(wide_db: Path, reply: str) -> None:
    message, _ = select(wide_db, reply)
    assert len(message.schema.tables) == 9
    assert message.selection is None
    assert message.steps[-1].error


def test_a_schema_beyond_the_window_never_makes_a_prompt_beyond_it(tmp_path: Path) -> None:
    path = tmp_path / "huge.sqlite"
    connection = sqlite3.connect(path)
    for i in range(300):
        columns = ", ".join(f"measure_{i}_{j} TEXT" for j in range(40))
        connection.execute(f"CREATE TABLE part_{i} (id INTEGER PRIMARY KEY, {columns})")
    connection.commit()
    connection.close()
    model = ScriptedLLM(["{}"], context_window=8192)
    selector = Selector(model, PromptSet.load("default"))
    with Database(path) as database:
        message = Message("What is measure 77 12 of part 77?", database.schema)
        list(selector.run(message, database))
    sent = sum(model.count_tokens(m["content"]) for m in model.calls[0])
    assert sent < 8192 - 1024
    assert message.schema.table("part_77") is not None
    assert "tables left out" in message.steps[0].note


def test_the_model_does_not_drop_where_a_linked_value_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "museum.sqlite"
    notes = ", ".join(f"note_{i} TEXT" for i in range(12))
    with sqlite3.connect(path) as connection:
        connection.executescript(f"""
            CREATE TABLE painter (pk INTEGER PRIMARY KEY, called TEXT, {notes});
            CREATE TABLE hall (hk INTEGER PRIMARY KEY, wing TEXT, {notes});
            CREATE TABLE hung (pk INTEGER REFERENCES painter, hk INTEGER REFERENCES hall);
            CREATE TABLE ticket (tk INTEGER PRIMARY KEY, {notes});
            CREATE TABLE tour (uk INTEGER PRIMARY KEY, {notes});
            CREATE TABLE guard (gk INTEGER PRIMARY KEY, {notes});
            INSERT INTO painter (pk, called) VALUES (1, 'Hilma Okonkwo');
            INSERT INTO hall (hk, wing) VALUES (1, 'Peristyle');
        """)
    connection.close()
    reply = dict.fromkeys(("painter", "hung"), "drop_all") | {"hall": ["note_3"]}
    model = ScriptedLLM([json.dumps(reply)])
    selector = Selector(model, PromptSet.load("default"), prune="paper")
    with Database(path) as database:
        message = Message("Does Hilma Okonkwo hang in the Peristyle?", database.schema)
        list(selector.run(message, database))
    assert "called" in columns(message, "painter")
    assert {"wing", "note_3"} <= set(columns(message, "hall"))
    assert columns(message, "hung") == ["pk", "hk"]
