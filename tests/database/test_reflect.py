"""What is read from the catalog of a SQLite file."""

from pathlib import Path

from macsql.database import Database
from macsql.schema import ForeignKey, Schema


def schema_of(path: Path) -> Schema:
    with Database(path) as database:
        return database.schema


def test_tables_and_views_come_in_the_order_of_creation(school_db: Path) -> None:
    schema = schema_of(school_db)
    assert [t.name for t in schema.tables] == [
        "school", "pupil", "course", "enrolment", "certificate", "v_marks",
    ]  # fmt: skip
    assert [t.name for t in schema.tables if t.is_view] == ["v_marks"]
    assert (schema.dialect, schema.name) == ("sqlite", "school")


def test_a_view_has_its_columns(school_db: Path) -> None:
    view = schema_of(school_db).table("v_marks")
    assert [(c.name, c.type) for c in view.columns] == [
        ("first_name", "TEXT"), ("title", "TEXT"), ("mark", "REAL"),
    ]  # fmt: skip


def test_keys_of_several_columns_are_read_in_order(school_db: Path) -> None:
    schema = schema_of(school_db)
    key = ("pupil_id", "course_code", "term")
    assert schema.table("enrolment").primary_key == key
    assert schema.table("certificate").foreign_keys == (ForeignKey(key, "enrolment", key),)


def test_foreign_keys_come_in_the_order_of_declaration(school_db: Path) -> None:
    assert schema_of(school_db).table("enrolment").foreign_keys == (
        ForeignKey(("pupil_id",), "pupil", ("id",)),
        ForeignKey(("course_code",), "course", ("code",)),
    )


def test_a_primary_key_keeps_its_own_order(build) -> None:
    schema = schema_of(build("CREATE TABLE t (a, b, c, PRIMARY KEY (c, a)) WITHOUT ROWID"))
    assert schema.table("t").primary_key == ("c", "a")


def test_declared_types_are_verbatim(build) -> None:
    schema = schema_of(
        build("CREATE TABLE t (a VARCHAR(20), b decimal(10,2), c, d 'my type', e DateTime)")
    )
    assert [c.type for c in schema.table("t").columns] == [
        "VARCHAR(20)", "decimal(10,2)", "", "my type", "DateTime",
    ]  # fmt: skip


def test_a_foreign_key_without_columns_refers_to_the_primary_key(build) -> None:
    schema = schema_of(
        build(
            "CREATE TABLE p (x, y, z, PRIMARY KEY (x, y));"
            "CREATE TABLE q (a, b, FOREIGN KEY (a, b) REFERENCES p);"
        )
    )
    assert schema.table("q").foreign_keys == (ForeignKey(("a", "b"), "p", ("x", "y")),)


def test_unusable_foreign_keys_are_dropped(build) -> None:
    schema = schema_of(
        build(
            "CREATE TABLE p (x PRIMARY KEY); CREATE TABLE nokey (x);"
            "CREATE TABLE q (a REFERENCES missing(x), b REFERENCES p(nope), c REFERENCES nokey,"
            " d REFERENCES p(x), e, FOREIGN KEY (d, e) REFERENCES p);"
        )
    )
    assert schema.table("q").foreign_keys == (ForeignKey(("d",), "p", ("x",)),)


def test_foreign_keys_use_the_names_as_stored(build) -> None:
    schema = schema_of(
        build(
            'CREATE TABLE "Parent" ("Id" INTEGER PRIMARY KEY, "up" REFERENCES PARENT(ID));'
            "CREATE TABLE child (pid REFERENCES parent(ID), FOREIGN KEY (PID) REFERENCES Parent);"
        )
    )
    assert schema.table("child").foreign_keys == (ForeignKey(("pid",), "Parent", ("Id",)),)
    assert schema.table("Parent").foreign_keys == (ForeignKey(("up",), "Parent", ("Id",)),)


def test_internal_tables_are_left_out(build) -> None:
    schema = schema_of(
        build(
            "CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a); INSERT INTO t(a) VALUES (1);"
            "CREATE TABLE f4_x (a); CREATE TABLE other_data (a); CREATE TABLE Sqlitex (a);"
            "CREATE VIRTUAL TABLE f5 USING fts5(a); CREATE VIRTUAL TABLE f4 USING fts4(a);"
            'CREATE VIRTUAL TABLE "r t" USING rtree(id, x0, x1); ANALYZE;'
        )
    )
    assert [t.name for t in schema.tables] == [
        "t", "f4_x", "other_data", "Sqlitex", "f5", "f4", "r t",
    ]  # fmt: skip
    assert [c.name for c in schema.table("f5").columns] == ["a"]


def test_a_broken_view_is_left_out(build) -> None:
    schema = schema_of(
        build(
            "CREATE TABLE t (a); CREATE TABLE gone (a);"
            "CREATE VIEW bad AS SELECT * FROM gone; CREATE VIEW good AS SELECT a FROM t;"
            "DROP TABLE gone;"
        )
    )
    assert [t.name for t in schema.tables] == ["t", "good"]


def test_generated_columns_are_columns(build) -> None:
    schema = schema_of(build("CREATE TABLE t (a INT, b INT AS (a * 2), c INT AS (a + 1) STORED)"))
    assert [c.name for c in schema.table("t").columns] == ["a", "b", "c"]


def test_any_name_is_read_as_stored(build) -> None:
    names = [
        "Order Details",
        "select",
        'with "quotes"',
        "it's",
        "Größe 学",
        "a.b",
        "50%",
        "x[1]",
        ";",
    ]
    script = "".join(
        'CREATE TABLE "{0}" ("{0}" TEXT, "group" INT); INSERT INTO "{0}" VALUES (\'v\', 1);'.format(
            name.replace('"', '""')
        )
        for name in names
    )
    schema = schema_of(build(script))
    assert [t.name for t in schema.tables] == names
    for table in schema.tables:
        assert table.columns[0].name == table.name
        assert table.columns[0].examples == ("v",)


def test_a_database_without_tables_has_an_empty_schema(build) -> None:
    assert schema_of(build("CREATE TABLE t (a); DROP TABLE t;")).tables == ()


def test_a_wide_table_and_many_tables_are_read(build) -> None:
    wide = ", ".join(f"c{i}" for i in range(600))
    many = "".join(f"CREATE TABLE t{i} (a, b REFERENCES t0(a));" for i in range(300))
    schema = schema_of(build(f"CREATE TABLE wide ({wide}); {many}"))
    assert len(schema.table("wide").columns) == 600
    assert len(schema.tables) == 301
