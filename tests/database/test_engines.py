"""URLs, engines and dialect names."""

import subprocess
import sys

import pytest

from macsql.database import Database, dialect_name
from macsql.errors import ConfigError


@pytest.mark.parametrize(
    ("url", "extra"),
    [
        ("postgresql://ann:s3cret@db.example.org/shop", "postgres"),
        ("postgres://ann:s3cret@db/shop", "postgres"),
        ("postgresql+psycopg://ann:s3cret@db/shop", "postgres"),
        ("mysql://ann:s3cret@db/shop", "mysql"),
        ("mariadb+pymysql://ann:s3cret@db/shop", "mysql"),
        ("duckdb:///shop.duckdb", "duckdb"),
    ],
)
def test_an_engine_without_its_driver_names_the_extra(url: str, extra: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Database(url)
    message = str(caught.value)
    assert f'pip install "macsql[{extra}]"' in message or "not supported" in message
    assert "s3cret" not in message
    assert "\n" not in message


@pytest.mark.parametrize(
    "url",
    ["oracle://ann:s3cret@db/x", "jdbc:sqlserver://ann:s3cret@db", "://s3cret", "ann:s3cret://x"],
)
def test_an_unknown_engine_lists_the_known_ones_and_no_password(url: str) -> None:
    with pytest.raises(
        ConfigError, match="sqlite://, postgresql://, mysql://, duckdb://"
    ) as caught:
        Database(url)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        ("mssql", "tsql"), ("tsql", "tsql"), ("SQLServer", "tsql"), (" SQL Server ", "tsql"),
        ("sqlite3", "sqlite"), ("SQLite", "sqlite"), ("PostgreSQL", "postgres"), ("pg", "postgres"),
        ("mariadb", "mysql"), ("bigquery", "bigquery"), ("snowflake", "snowflake"),
    ],
)  # fmt: skip
def test_usual_names_of_dialects_are_understood(name: str, dialect: str) -> None:
    assert dialect_name(name) == dialect


@pytest.mark.parametrize(("name", "hint"), [("postgre", "postgres"), ("xyz", "Known are: ")])
def test_an_unknown_dialect_gets_a_hint(name: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        dialect_name(name)


def test_importing_the_package_loads_no_engine() -> None:
    code = (
        "import sys, macsql.database; "
        "loaded = {'sqlalchemy', 'sqlite3', 'sqlglot', 'rapidfuzz', 'yaml'} & set(sys.modules); "
        "sys.exit(', '.join(loaded) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_public_names_exist() -> None:
    import macsql.database as package

    for name in package.__all__:
        assert getattr(package, name)
    with pytest.raises(AttributeError, match="no_such"):
        package.no_such  # noqa: B018
