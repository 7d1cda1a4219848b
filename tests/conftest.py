"""Shared fixtures: a small real database, the scripted model, a clean environment, no sockets."""

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

WaitUntil = Callable[[Callable[[], bool]], None]

settings.register_profile("macsql", deadline=None, max_examples=100)
settings.load_profile("macsql")

SCHOOL = """
CREATE TABLE school (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, founded DATE);
CREATE TABLE pupil (
    id INTEGER PRIMARY KEY, first_name TEXT, "last name" TEXT, age INTEGER, grade TEXT,
    school_id INTEGER REFERENCES school(id)
);
CREATE TABLE course (code TEXT PRIMARY KEY, title TEXT, "group" TEXT);
CREATE TABLE enrolment (
    pupil_id INTEGER REFERENCES pupil(id), course_code TEXT REFERENCES course(code),
    term TEXT, mark REAL, PRIMARY KEY (pupil_id, course_code, term)
);
CREATE TABLE certificate (
    pupil_id INTEGER, course_code TEXT, term TEXT, issued DATE,
    FOREIGN KEY (pupil_id, course_code, term)
        REFERENCES enrolment(pupil_id, course_code, term)
);
CREATE VIEW v_marks AS
    SELECT p.first_name, c.title, e.mark FROM enrolment e
    JOIN pupil p ON p.id = e.pupil_id JOIN course c ON c.code = e.course_code;
INSERT INTO school VALUES (1, 'Hill School', 'BERLIN', '1950-09-01'),
    (2, 'Lake School', 'PARIS', '1988-01-15'), (3, 'New School', NULL, '2020-08-20');
INSERT INTO pupil VALUES (1, 'Ann', 'Bo', 12, '7', 1), (2, 'Ben', 'Cox', 13, '8', 1),
    (3, 'Cai', 'Dee', 12, '7', 2), (4, 'Dan', 'Eck', NULL, NULL, 2),
    (5, 'Eve', 'Fox', 17, '12', NULL);
INSERT INTO course VALUES ('M1', 'Maths', 'science'), ('P1', 'Physics', 'science'),
    ('A1', 'Art', 'arts');
INSERT INTO enrolment VALUES (1, 'M1', '2024', 1.5), (1, 'A1', '2024', 2.0),
    (2, 'M1', '2024', 3.0), (3, 'P1', '2024', NULL), (3, 'M1', '2025', 1.0);
INSERT INTO certificate VALUES (1, 'M1', '2024', '2024-07-01');
"""


@pytest.fixture
def school_db(tmp_path: Path) -> Path:
    """Keys (one composite), a view, NULLs, a name with a space, a reserved word."""
    path = tmp_path / "school.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(SCHOOL)
    connection.commit()
    connection.close()
    return path


@pytest.fixture(autouse=True)
def clean_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """No key, setting or cache of the developer reaches a test, but the weights a live one."""
    cache = os.environ.get("MACSQL_CACHE_DIR")
    for name in list(os.environ):
        if name.startswith(("MACSQL_", "OPENAI_", "ANTHROPIC_", "AZURE_")):
            monkeypatch.delenv(name)
    if "live" not in request.keywords:
        monkeypatch.setenv("MACSQL_CACHE_DIR", str(tmp_path / "cache"))
    elif cache is not None:
        monkeypatch.setenv("MACSQL_CACHE_DIR", cache)
    monkeypatch.setenv("MACSQL_CONFIG", str(tmp_path / "no-config.toml"))
    monkeypatch.setenv("MACSQL_STATE_DIR", str(tmp_path / "state"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--live", action="store_true", help="run tests that need the real local model")
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--live"):
        skip = pytest.mark.skip(reason="needs --live")
        for item in items:
            if "live" in item.keywords:
                item.add_marker(skip)


@pytest.fixture
def wait_until() -> WaitUntil:
    """Look again and again until something in another process or thread is so; a minute at most."""

    def wait(is_so: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not is_so():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    return wait
