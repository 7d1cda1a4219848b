"""Which columns a statement reads, and how many of them the Selector kept."""

from pathlib import Path

import pytest

from macsql.database import Database
from macsql.evaluation.linking_recall import Linking, linking, used_columns


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("SELECT NAME FROM School", ["school.name"]),
        ("SELECT * FROM course", ["course.code", "course.group", "course.title"]),
        ("SELECT COUNT(*) FROM course", ["course.*"]),
        (
            "SELECT s.name FROM pupil AS p JOIN school AS s ON p.school_id = s.id "
            'WHERE p."last name" = "Bo" ORDER BY age',
            ["pupil.age", "pupil.last name", "pupil.school_id", "school.id", "school.name"],
        ),
        (
            "SELECT title FROM course WHERE code IN (SELECT course_code FROM enrolment)",
            ["course.code", "course.title", "enrolment.course_code"],
        ),
        (
            "WITH old AS (SELECT id FROM pupil WHERE age > 12) SELECT COUNT(*) FROM old",
            ["pupil.age", "pupil.id"],
        ),
        (
            "SELECT 1 FROM enrolment JOIN certificate USING (pupil_id)",
            ["certificate.pupil_id", "enrolment.pupil_id"],
        ),
        ("SELECT nothing FROM nowhere", []),
        ("SELECT FROM", []),
        ("", []),
    ],
)
def test_used_columns(school_db: Path, sql: str, columns: list[str]) -> None:
    with Database(school_db) as database:
        assert list(used_columns(sql, database.schema)) == columns


@pytest.mark.parametrize(
    ("gold", "kept", "size", "expected"),
    [
        (["t.a", "t.b"], None, 8, Linking(1.0, 0.25, strict=True)),
        (["t.a", "t.b"], ["T.A", "t.B", "t", "u.c", "u.d"], 8, Linking(1.0, 0.5, strict=True)),
        (["t.a", "u.b"], ["t.a"], 8, Linking(0.5, 1.0, strict=False)),
        (["t.*"], ["t.a"], 8, Linking(1.0, 0.0, strict=True)),
        (["t.*", "u.a"], ["u.a"], 8, Linking(0.5, 1.0, strict=False)),
        (["t.a"], [], 8, Linking(0.0, 0.0, strict=False)),
        ([], ["t.a"], 8, None),
    ],
)
def test_linking(
    gold: list[str], kept: list[str] | None, size: int, expected: Linking | None
) -> None:
    assert linking(gold, kept, size) == expected
