"""Descriptions from BIRD's folders, CSV and YAML."""

import dataclasses
from pathlib import Path

import pytest

from macsql.database import Database, describe
from macsql.errors import ConfigError
from macsql.schema import Column, Schema, Table

SCHEMA = Schema(
    "sqlite",
    (
        Table("loan", (Column("loan_id", "INTEGER"), Column("Status", "TEXT"))),
        Table("order", (Column("k_symbol", "TEXT"), Column("amount", "REAL"))),
    ),
)
HEADER = "original_column_name,column_name,column_description,data_format,value_description\n"


def said(schema: Schema) -> dict[str, str]:
    columns = {f"{t.name}.{c.name}": c.description for t in schema.tables for c in t.columns}
    tables = {t.name: t.description for t in schema.tables}
    return {name: text for name, text in (tables | columns).items() if text}


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("status,loan status,state of it,text,A: ended", "loan status: state of it. A: ended"),
        ("status,,state of the loan,text,", "state of the loan"),
        ("status,Status,status,text,", ""),
        ("status,loan status,Loan Status,text,", "loan status"),
        ("status,loan status,-,text,A", "loan status: A"),
        (" status ,, state  of ,text,\"A: ended\nB: runs\"", "state of. A: ended B: runs"),
        ("status,,state.,text,commonsense evidence: B is bad", "state. B is bad"),
        ("status,,state", "state"),
        ("STATUS,,a,text,b,extra,cells", "a. b"),
        ("unknown,,state,text,", ""),
        (",,state,text,", ""),
    ],
)  # fmt: skip
def test_a_line_of_bird_becomes_one_text_without_repeats(
    tmp_path: Path, row: str, text: str
) -> None:
    write(tmp_path / "d", "Loan.csv", HEADER + row + "\n")
    assert said(describe(SCHEMA, tmp_path / "d")).get("loan.Status", "") == text


def test_files_of_bird_that_fit_no_table_are_ignored(tmp_path: Path) -> None:
    write(tmp_path / "d", "nothing.csv", HEADER + "a,,b,,\n")
    assert describe(SCHEMA, tmp_path / "d") == SCHEMA


def test_the_folder_above_database_description_is_understood(tmp_path: Path) -> None:
    (tmp_path / "loans").mkdir()
    write(tmp_path / "loans/database_description", "order.csv", HEADER + "amount,,money,,\n")
    assert said(describe(SCHEMA, tmp_path / "loans")) == {"order.amount": "money"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_usual_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    write(tmp_path / "d", "loan.csv", (HEADER + "status,,“naïve”,,\n").encode(encoding))
    assert said(describe(SCHEMA, tmp_path / "d")) == {"loan.Status": "“naïve”"}


def test_a_csv_of_ones_own_describes_tables_and_columns(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "own.csv",
        "Table, Column ,description\nLOAN,,all loans\nloan,status,how\n",
    )
    assert said(describe(SCHEMA, path)) == {"loan": "all loans", "loan.Status": "how"}


def test_a_yaml_of_ones_own_describes_tables_and_columns(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "own.yaml",
        'tables:\n  loan:\n    description: "all\\nloans\\u0007"\n    columns: {status: how}\n'
        "  order: what is paid\n",
    )
    assert said(describe(SCHEMA, path)) == {
        "loan": "all loans",
        "loan.Status": "how",
        "order": "what is paid",
    }


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("own.csv", "table,column,description\nlaon,,x\n", "'laon'.*Did you mean 'loan'"),
        ("own.csv", "table,column,description\nloan,stats,x\n", "loan.stats.*mean 'Status'"),
        ("own.csv", "a,b\n1,2\n", "needs the columns table, column and description"),
        ("own.csv", "", "needs the columns"),
        ("own.csv", "table,column,description\n" + "x" * 200_000, "not a valid CSV"),
        ("own.yml", "tables: {laon: x}", "Did you mean 'loan'"),
        ("own.yml", "tables: {loan: {columns: {amuont: x}}}", "loan.amuont"),
        ("own.yml", "tables: [", "not valid YAML near line 1"),
        ("own.yml", "tables: !!python/object:os.system {}", "not valid YAML"),
        ("own.yml", "[1]", "must have the form"),
        ("own.yml", "", "must have the form"),
        ("own.yml", "other: 1", "must have the form"),
        ("own.yml", "tables: {loan: {columns: [a]}}", "must have the form"),
    ],
)
def test_a_mistake_in_a_file_of_ones_own_is_said(
    tmp_path: Path, name: str, content: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        describe(SCHEMA, write(tmp_path, name, content))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["no/such.csv", "a\x00b", "."])
def test_descriptions_that_cannot_be_read_are_a_config_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="descriptions"):
        describe(SCHEMA, tmp_path / name)


def test_what_is_not_described_stays_as_it_was(tmp_path: Path) -> None:
    loan, order = SCHEMA.tables
    described = dataclasses.replace(
        SCHEMA, tables=(dataclasses.replace(loan, description="kept"), order)
    )
    path = write(tmp_path, "own.csv", "table,column,description\nloan,status,new\n")
    assert said(describe(described, path)) == {"loan": "kept", "loan.Status": "new"}


def test_a_database_takes_descriptions(school_db: Path) -> None:
    path = write(school_db.parent, "own.csv", "table,column,description\npupil,grade,1 is best\n")
    with Database(school_db, descriptions=path) as database:
        assert said(database.schema) == {"pupil.grade": "1 is best"}


def test_missing_descriptions_are_noticed_when_the_database_is_opened(school_db: Path) -> None:
    with pytest.raises(ConfigError, match="no-such"):
        Database(school_db, descriptions="no-such.csv")
