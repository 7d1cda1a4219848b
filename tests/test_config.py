"""Settings: layers, types, and errors that say where and what was probably meant."""

from pathlib import Path

import pytest

from macsql.config import Settings, config_file, load_settings
from macsql.errors import ConfigError


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def environ(config: Path, **variables: str) -> dict[str, str]:
    return {"MACSQL_CONFIG": str(config), **variables}


def test_without_anything_the_defaults_hold(config: Path) -> None:
    loaded = load_settings(environ=environ(config))
    assert loaded.settings == Settings()
    assert set(loaded.sources.values()) == {"default"}


def test_each_layer_covers_the_ones_below_it(config: Path) -> None:
    config.write_text('model = "file"\nmax_rows = 1\ntimeout = 1\nprompts = "paper"\n')
    variables = environ(config, MACSQL_MODEL="environment", MACSQL_MAX_ROWS="2", MACSQL_TIMEOUT="2")
    settings = load_settings({"timeout": 3.5, "max_rows": 3, "prompts": None}, variables).settings
    assert settings == Settings(prompts="paper", model="environment", max_rows=3, timeout=3.5)


def test_each_value_says_where_it_came_from(config: Path) -> None:
    config.write_text('# mine\nprompts = "paper"\n')
    variables = environ(config, MACSQL_CACHE="yes")
    sources = load_settings({"max_rows": 5}, variables).sources
    assert sources["prompts"] == f"{config}, line 2"
    assert sources["cache"] == "environment variable MACSQL_CACHE"
    assert sources["max_rows"] == "--max-rows"
    assert sources["model"] == "default"


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", True), ("TRUE", True), ("on", True), ("yes", True), ("0", False), ("Off", False)],
)
def test_truth_values_are_read_in_the_usual_spellings(config: Path, text: str, value: bool) -> None:
    assert load_settings(environ=environ(config, MACSQL_CACHE=text)).settings.cache is value


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("max_row = 5", ["line 2", "'max_row'", "did you mean max_rows?"]),
        ("colour = 1", ["line 2", "'colour'", "known are"]),
        ("[model]", ["line 2", "model must be a text"]),
        ("[llm]\nmodel = 'x'", ["line 2", "'llm'"]),
        ("max_rows = '5'", ["line 2", "max_rows must be a whole number, not '5'"]),
        ("max_rows = true", ["line 2", "max_rows must be a whole number, not True"]),
        ("max_rows = 2.5", ["line 2", "max_rows must be a whole number, not 2.5"]),
        ("max_rows = 0", ["line 2", "max_rows must be from 1 to 1e+07, not 0"]),
        ("timeout = nan", ["line 2", "timeout must be from 0.001"]),
        ("cache = 1", ["line 2", "cache must be true or false, not 1"]),
        ("model = 5", ["line 2", "model must be a text, not 5"]),
        ("model = ", ["not valid TOML", "line 2"]),
    ],
)
def test_a_wrong_line_of_the_file_is_named(config: Path, line: str, parts: list[str]) -> None:
    config.write_text(f"# settings\n{line}\n")
    with pytest.raises(ConfigError) as caught:
        load_settings(environ=environ(config))
    for part in [str(config), *parts]:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value", "parts"),
    [
        ("MACSQL_MODLE", "x", ["MACSQL_MODLE", "did you mean MACSQL_MODEL?"]),
        ("MACSQL_TIMEOUT", "soon", ["MACSQL_TIMEOUT", "a number, not 'soon'"]),
        ("MACSQL_TIMEOUT", "-1", ["MACSQL_TIMEOUT", "from 0.001"]),
        ("MACSQL_MAX_ROWS", "1.5", ["MACSQL_MAX_ROWS", "a whole number"]),
        ("MACSQL_CACHE", "maybe", ["MACSQL_CACHE", "true or false"]),
    ],
)
def test_a_wrong_variable_is_named(
    config: Path, variable: str, value: str, parts: list[str]
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings(environ=environ(config, **{variable: value}))
    for part in parts:
        assert part in str(caught.value)


def test_a_wrong_flag_is_named(config: Path) -> None:
    with pytest.raises(ConfigError, match=r"--max-refinements: .* from 0 to 20, not 21"):
        load_settings({"max_refinements": 21}, environ(config))


@pytest.mark.parametrize("variable", ["MACSQL_CACHE_DIR", "MACSQL_STATE_DIR", "MACSQL_TEST_URL"])
def test_variables_of_folders_and_tests_are_no_settings(config: Path, variable: str) -> None:
    assert load_settings(environ=environ(config, **{variable: "x"})).settings == Settings()


def test_an_empty_variable_sets_nothing(config: Path) -> None:
    assert load_settings(environ=environ(config, MACSQL_MODEL="")).settings.model == "local"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"model = 'a'\nmodel = 'b'\n"])
def test_a_file_that_is_no_toml_is_named(config: Path, content: bytes) -> None:
    config.write_bytes(content)
    with pytest.raises(ConfigError, match="is not valid TOML"):
        load_settings(environ=environ(config))


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load_settings(environ=environ(tmp_path))


def test_a_byte_order_mark_does_not_matter(config: Path) -> None:
    config.write_bytes(b"\xef\xbb\xbfmodel = 'x'\n")
    assert load_settings(environ=environ(config)).settings.model == "x"


def test_without_a_variable_the_file_is_in_the_user_s_folder() -> None:
    path = config_file({})
    assert (path.parent.name, path.name) == ("macsql", "config.toml")


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Settings().model = "other"  # type: ignore[misc]
