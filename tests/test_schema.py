from hypothesis import given
from hypothesis import strategies as st

from macsql.schema import Column, ForeignKey, Schema, Table


def table(name: str, columns: int, **more: object) -> Table:
    named = tuple(Column(f"c{i}", "TEXT") for i in range(columns))
    return Table(name, named, **more)  # type: ignore[arg-type]


SCHEMA = Schema(
    "sqlite",
    (
        table("a", 12, primary_key=("c0",)),
        table("b", 12, foreign_keys=(ForeignKey(("c11",), "A", ("c0",)),)),
        table("c", 3),
    ),
)


def names(schema: Schema, of: str) -> list[str]:
    found = schema.table(of)
    assert found is not None
    return [c.name for c in found.columns]


def test_key_columns_stay_although_not_selected() -> None:
    kept = names(SCHEMA.select({"b": ["c1", "c2", "c3", "c4", "c5", "c6"]}), "b")
    assert kept == ["c1", "c2", "c3", "c4", "c5", "c6", "c11"]


def test_a_kept_table_is_filled_up_to_six_columns() -> None:
    assert names(SCHEMA.select({"a": ["c7"]}), "a") == ["c0", "c1", "c2", "c3", "c4", "c7"]


def test_dropped_tables_go_with_the_keys_that_point_to_them() -> None:
    part = SCHEMA.select({"A": "drop_all"})
    assert [t.name for t in part.tables] == ["b", "c"]
    assert list(part.joins()) == []


def test_tables_not_named_stay_whole() -> None:
    assert SCHEMA.select({}) == SCHEMA


def test_unknown_names_are_ignored() -> None:
    assert SCHEMA.select({"nowhere": "drop_all", "c": ["nothing"]}) == SCHEMA


answers = st.one_of(
    st.sampled_from(["keep_all", "drop_all"]),
    st.lists(st.sampled_from([f"c{i}" for i in range(13)])),
)


@given(st.dictionaries(st.sampled_from(["a", "B", "c", "x"]), answers))
def test_selecting_twice_changes_nothing(selection: dict[str, object]) -> None:
    once = SCHEMA.select(selection)  # type: ignore[arg-type]
    assert once.select(selection) == once  # type: ignore[arg-type]


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), answers))
def test_kept_tables_keep_six_columns_and_their_keys(selection: dict[str, object]) -> None:
    for part in SCHEMA.select(selection).tables:  # type: ignore[arg-type]
        whole = SCHEMA.table(part.name)
        assert whole is not None
        assert len(part.columns) >= min(6, len(whole.columns))
        assert set(part.primary_key) <= {c.name for c in part.columns}
