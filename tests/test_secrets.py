"""Secrets: a password in every place that it can come from shows up nowhere.

The keys of models have their own tests in llm/test_keys.py.
"""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from macsql.cli.app import app
from macsql.database import Database
from macsql.errors import MacSQLError
from macsql.records import hide_password

CANARY = "canary9f2"
DATABASES = (
    f"postgresql://ann:{CANARY}@db.example/sales",
    f"postgresql+psycopg://ann:{CANARY}%40x@db.example:5432/sales?sslmode=require",
    f"postgres://ann:x@y/{CANARY}@db.example/sales",
    f"mysql://db.example/sales?user=ann&password={CANARY}",
    f"mysql:///sales;PWD={CANARY}",
    f"oracle://ann:{CANARY}@db.example/sales",
    f"jdbc:postgresql://ann:{CANARY}@db.example/sales",
    f"postgresql:/ann:{CANARY}@db.example/sales",
    f"ann:{CANARY}@db.example/sales",
    f"host=db.example user=ann password={CANARY}",
    f"password='{CANARY} x' host=db.example",
    f"sqlite:///missing.db?key={CANARY}",
    f"sqlite://ann:{CANARY}@/missing.db",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the test's own, in which everything is written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(Path(__file__).parent / "fixtures"))
    return tmp_path


def written(folder: Path) -> str:
    """Everything in the files of the folder, and their names."""
    return "\n".join(
        f"{path}\n{path.read_bytes().decode('utf-8', 'replace')}"
        for path in folder.rglob("*")
        if path.is_file() and path.suffix not in (".sqlite", ".toml")
    )


@pytest.mark.parametrize("url", DATABASES)
@pytest.mark.parametrize(
    "command",
    [
        ["ask", "Who?", "--model", "answering:Count"],
        ["ask", "Who?", "--model", "answering:Count", "--trace", "trace.json", "--json"],
        ["check", "SELECT 1"],
        ["settings"],
    ],
    ids=lambda c: " ".join(c[:1] + c[4:]),
)
def test_the_password_of_a_database_is_nowhere(
    home: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], url: str
) -> None:
    if command == ["settings"] or "--json" in command:
        monkeypatch.setenv("MACSQL_DB", url)
    else:
        command = [*command, "--db", url]
    done = CliRunner().invoke(app, command)
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert (done.exit_code == 0) == (command == ["settings"])
    assert CANARY not in done.stdout + done.stderr + written(home)


@pytest.mark.parametrize("url", DATABASES)
def test_the_errors_of_the_library_do_not_name_it_either(url: str) -> None:
    with pytest.raises(MacSQLError) as caught:
        Database(url)
    assert CANARY not in str(caught.value)
    assert CANARY not in hide_password(url) or url.startswith(CANARY)


def test_what_is_no_secret_stays() -> None:
    for text in ("shop.sqlite", "sqlite:///a/b.db?mode=ro", "/data/a@b.db", "C:/x y.db", "50%.db"):
        assert hide_password(text) == text


def test_a_setting_that_does_not_exist_does_not_repeat_its_value(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "config.toml").write_text(f'api_key = "{CANARY}"\n')
    monkeypatch.setenv("MACSQL_CONFIG", str(home / "config.toml"))
    done = CliRunner().invoke(app, ["settings"])
    monkeypatch.setenv("MACSQL_CONFIG", str(home / "none.toml"))
    monkeypatch.setenv("MACSQL_API_KEY", CANARY)
    again = CliRunner().invoke(app, ["settings"])
    assert done.exit_code == again.exit_code == 2
    assert CANARY not in done.stdout + done.stderr + again.stdout + again.stderr
