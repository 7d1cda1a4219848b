"""Access policy: what is hidden does not exist, in results, schema, values, errors and hints."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macsql.checks import check, explain_failure, repair
from macsql.database import Database
from macsql.database.policy import Policy, Role, TableRule, convert_parameters
from macsql.database.policy_expressions import literal_sql
from macsql.errors import AccessDenied, ConfigError, DatabaseError, ExecutionError, UnsafeSQLError
from macsql.llm import ScriptedLLM
from macsql.pipeline import Pipeline
from macsql.schema_text import show_schema

CASES = Path(__file__).parent.parent / "fixtures" / "policy.txt"
SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, email TEXT, ssn TEXT, region TEXT);
CREATE TABLE "order" (id INTEGER PRIMARY KEY, customer_id INT REFERENCES customer(id), total REAL);
CREATE TABLE salary (id INTEGER PRIMARY KEY, customer_id INT REFERENCES customer(id), pay INT);
CREATE TABLE note (customer_id INT REFERENCES customer(id), card TEXT REFERENCES customer(ssn));
CREATE VIEW v_customer AS SELECT * FROM customer;
CREATE VIEW v_names(who) AS SELECT name FROM v_customer WHERE region <> 'east';
CREATE VIEW v_ssn AS SELECT ssn FROM customer;
CREATE VIEW v_quoted AS SELECT name, "ssn" FROM customer;
CREATE VIEW v_pay AS SELECT sum(pay) AS pay FROM salary;
CREATE VIEW v_order AS SELECT id, total FROM "order";
INSERT INTO customer VALUES (1, 'Ann', 'ann@x.org', 'ssn-111', 'north'),
    (2, 'Bob', 'bob@x.org', 'ssn-222', 'south'), (3, 'Cy', 'cy@x.org', 'ssn-333', 'north');
INSERT INTO "order" VALUES (1, 1, 10), (2, 2, 20), (3, 3, 30);
INSERT INTO salary VALUES (1, 1, 7777);
INSERT INTO note VALUES (1, 'c-111');
"""
POLICY = """
roles:
  clerk:
    parameters: {user_region: text}
    tables:
      customer:
        hide: [ssn]
        masks: {email: "substr(email, 1, 1) || '***'"}
        rows: region = :user_region
      "*": all
      v_pay: {trusted: true}
    hide: [salary]
  guest:
    tables:
      customer: {columns: [name]}
"""
HIDDEN = ("ssn", "salary", "Bob", "bob@", "south", "pay INT", "v_ssn", "user_region")

Build = Callable[..., Path]


@pytest.fixture
def shop(build: Build, tmp_path: Path) -> Path:
    (tmp_path / "policy.yaml").write_text(POLICY)
    return build(SHOP, "shop.db")


@pytest.fixture
def clerk(shop: Path) -> Database:
    return Database(
        shop,
        policy=shop.with_name("policy.yaml"),
        role="clerk",
        parameters={"user_region": "north"},
    )


def cases() -> list[tuple[str, str]]:
    """Pairs of the fixture: a statement, and behind => its rows, or the error."""
    text = "\n".join(line for line in CASES.read_text().splitlines() if not line.startswith("#"))
    pairs = [block.split("\n=> ") for block in text.split("\n\n") if block.strip()]
    return [(sql.strip(), expected.strip()) for sql, expected in pairs]


def outcome(database: Database, sql: str) -> str:
    try:
        return repr([list(row) for row in database.execute(sql).rows])
    except DatabaseError as error:
        return f"{type(error).__name__}: {error}" if error.sql == sql else error.sql


@pytest.mark.parametrize(("sql", "expected"), cases())
def test_statements_under_the_policy(clerk: Database, sql: str, expected: str) -> None:
    assert outcome(clerk, sql) == expected


def test_a_refusal_says_the_same_whether_or_not_the_table_exists(clerk: Database) -> None:
    texts = set()
    for name in ("salary", "nosuch", "v_ssn", "sqlite"):
        with pytest.raises(AccessDenied) as caught:
            clerk.execute(f"SELECT * FROM {name}")
        texts.add(str(caught.value).replace(name, "NAME"))
    assert len(texts) == 1


def test_the_schema_has_nothing_of_what_is_hidden(clerk: Database) -> None:
    shown = "".join(show_schema(clerk.schema, form) for form in ("ddl", "mschema", "list"))
    shown += repr(clerk.schema)
    for name in HIDDEN:
        assert name not in shown
    assert [t.name for t in clerk.schema.tables] == [
        *("customer", "order", "note", "v_customer", "v_names", "v_pay", "v_order")
    ]
    assert len(clerk.schema.tables[2].foreign_keys) == 1  # the one by ssn is gone
    assert clerk.schema.tables[3].column("email").examples in ((), ("a***", "c***"))


@pytest.mark.parametrize("seconds", [0, 60])
def test_values_are_looked_up_among_visible_ones(clerk: Database, seconds: float) -> None:
    index = clerk.value_index(seconds)
    assert clerk.similar_values("customer", "name", "ann") == ["Ann"]
    assert clerk.similar_values("v_customer", "name", "bob") == []
    assert clerk.similar_values("customer", "email", "bob@x.org") == []
    for table, column in (("salary", "pay"), ("customer", "ssn"), ("v_ssn", "ssn")):
        assert index.column_texts(table, column, "", 99) == []
        assert clerk.similar_values(table, column, "ssn-111") == []
    if seconds:
        assert index.column_texts("customer", "name", "", 99) == ["Ann", "Cy"]
        assert index.column_texts("customer", "email", "", 99) == ["a***", "c***"]


@pytest.mark.parametrize(
    "sql", ["SELECT ss FROM customer", "SELECT salry FROM v_customer", "SELECT * FROM salarys"]
)
def test_hints_and_repairs_propose_only_what_is_visible(clerk: Database, sql: str) -> None:
    with pytest.raises(DatabaseError) as caught:
        clerk.execute(sql)
    said = repr(explain_failure(sql, str(caught.value), clerk.schema))
    said += repr(check(sql, clerk.schema)) + repr(repair(sql, clerk.schema, failed=True))
    said = said.replace("salarys", "").replace("salry", "")
    assert not any(name in said for name in HIDDEN)


def test_descriptions_of_hidden_names_are_passed_over(shop: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.yaml"
    words.write_text(
        "tables: {customer: {columns: {name: full name, ssn: secret}}, salary: {description: pay}}"
    )
    restricted = Database(shop, policy=tmp_path / "policy.yaml", role="guest", descriptions=words)
    assert show_schema(restricted.schema) == (
        "CREATE TABLE customer (\n  name TEXT -- full name; e.g. 'Ann', 'Bob', 'Cy'\n);"
    )


def test_a_column_is_called_as_in_the_statement_that_was_asked(clerk: Database) -> None:
    sql = "SELECT (SELECT count(*) FROM customer), exists(SELECT 1 FROM main.v_customer AS v)"
    assert clerk.execute(sql).columns == (
        "(SELECT count(*) FROM customer)",
        "exists(SELECT 1 FROM main.v_customer AS v)",
    )


def test_an_error_in_a_hidden_row_does_not_show_it(clerk: Database) -> None:
    # A condition that fails on Bob would tell that there is a Bob in the south.
    sql = "SELECT name FROM customer WHERE abs(iif(region = 'south', -9223372036854775808, 1)) > 0"
    assert clerk.execute(sql).rows == (("Ann",), ("Cy",))


def test_the_engine_refuses_hidden_columns_and_rows_even_without_the_rewriting(
    clerk: Database,
) -> None:
    backend = clerk._backend
    for sql in (
        "SELECT pay FROM salary",
        "SELECT name FROM customer",
        "WITH c AS (SELECT * FROM customer) SELECT * FROM c",
        "SELECT * FROM v_ssn",
        'SELECT 1 FROM "order" WHERE EXISTS (SELECT 1 FROM salary WHERE pay > 1)',
    ):
        with pytest.raises(DatabaseError, match="refused"), backend.querying(sql, 5) as cursor:
            cursor.execute(sql)
    with backend.querying("", 5) as cursor:
        assert len(cursor.execute('SELECT * FROM "order"').fetchall()) == 3


def test_what_the_engine_refuses_is_denied_without_naming_it(
    clerk: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = clerk._backend.access  # type: ignore[attr-defined]
    access._sources["salary"] = None
    monkeypatch.setattr(access, "may_read", lambda table, inside: False)
    with pytest.raises(AccessDenied, match="something that you may not read") as caught:
        clerk.execute("SELECT pay FROM salary")
    assert "salary" not in str(caught.value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sql FROM sqlite_master",
        "SELECT name FROM sqlite_schema",
        "SELECT name FROM pragma_table_info('salary')",
        "SELECT name FROM pragma_table_list",
        "SELECT name FROM main.sqlite_master WHERE type = 'view'",
    ],
)
def test_the_catalog_is_hidden_even_where_it_may_be_read(shop: Path, sql: str) -> None:
    given = {"policy": shop.with_name("policy.yaml"), "role": "guest"}
    with pytest.raises((AccessDenied, UnsafeSQLError)):
        Database(shop, allow_catalog=True, **given).execute(sql)  # type: ignore[arg-type]


def test_a_table_made_later_is_hidden(clerk: Database, shop: Path) -> None:
    with closing(sqlite3.connect(shop)) as connection:
        connection.execute("CREATE TABLE later AS SELECT 1 AS a")
        connection.execute("ALTER TABLE customer ADD COLUMN later TEXT")
        connection.commit()
    with pytest.raises(AccessDenied):
        clerk.execute("SELECT * FROM later")
    assert "later" not in clerk.execute("SELECT * FROM customer").columns


# Parameters and expressions


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"))
NUMBERS = st.integers(-(2**63) + 1, 2**63 - 1) | st.floats(-1e15, 1e15).map(lambda x: round(x, 6))


@given(TEXTS | NUMBERS | st.booleans())
def test_a_parameter_stays_the_value_that_it_is(value: object) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        (stored,) = connection.execute(f"SELECT {literal_sql(value, 'sqlite')}").fetchone()
    assert stored == value


@pytest.mark.parametrize(
    "region", ["north' OR '1'='1", "x'); DROP TABLE customer; --", "*/ --", ""]
)
def test_a_parameter_is_never_sql(shop: Path, region: str) -> None:
    restricted = Database(
        shop,
        policy=shop.with_name("policy.yaml"),
        role="clerk",
        parameters={"user_region": region},
    )
    assert restricted.execute("SELECT * FROM customer").rows == ()


def restrict(shop: Path, rule: object, **parameters: Any) -> Database:
    policy = {"roles": {"one": {"tables": {"customer": rule}}}}
    return Database(shop, policy=policy, role="one", parameters=parameters)


def test_a_list_of_values_stands_behind_in(shop: Path) -> None:
    rule = {"rows": "region IN (:regions)"}
    count = "SELECT count(*) FROM customer"
    assert restrict(shop, rule, regions=["north", "x"]).execute(count).rows == ((2,),)
    assert restrict(shop, rule, regions=[]).execute(count).rows == ((0,),)
    refused = {"rows": "region NOT IN (:regions)"}
    assert restrict(shop, refused, regions=[]).execute(count).rows == ((0,),)
    with pytest.raises(ConfigError, match=r"IN \(:regions\)"):
        restrict(shop, {"rows": "region = :regions"}, regions=["north"])


def test_a_filter_may_look_into_hidden_tables(shop: Path) -> None:
    rule = {"columns": ["name"], "rows": "id IN (SELECT customer_id FROM salary WHERE pay > :p)"}
    restricted = restrict(shop, rule, p=7000)
    assert restricted.execute("SELECT * FROM customer").rows == (("Ann",),)
    # Not even a WITH query of that name gets between.
    sql = "WITH salary AS (SELECT 2 AS customer_id, 9999 AS pay) SELECT * FROM customer, salary"
    assert restricted.execute(sql).rows == (("Ann", 2, 9999),)


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({"rows": "region = :who"}, "needs the parameter 'who'"),
        ({"rows": "region = "}, "not an SQL expression"),
        ({"rows": "1; DROP TABLE customer"}, "not one SQL expression"),
        ({"rows": "1 ORDER BY 1"}, "not one SQL expression"),
        ({"rows": '"north" = region'}, "texts are in single quotes"),
        ({"rows": "id IN (SELECT nothing FROM salary)"}, "could not be resolved"),
        ({"rows": "load_extension('x')"}, "load_extension"),
        ({"rows": "id IN (SELECT 1 FROM pragma_table_info('x'))"}, "only tables"),
        ({"masks": {"email": "substr(mail, 1)"}}, "mail"),
        ({"masks": {"mail": "1"}}, "customer.mail, which is not there"),
        ({"hide": ["snn"]}, "customer.snn, which is not there"),
        ({"columns": ["name"], "masks": {"email": None}}, "does not show"),
        ({"columns": []}, "leaves no column"),
        ({"row": "1"}, "there is no 'row' here"),
        ("some", "must be a mapping"),
        ({"trusted": "yes"}, "trusted true or false"),
        ({"masks": {"email": ["x"]}}, "must be SQL, a number or null"),
        ({"columns": "name"}, "must be a list of names"),
    ],
)
def test_a_policy_that_does_not_fit_is_refused_at_once(shop: Path, rule: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why) as caught:
        restrict(shop, rule)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("role", "parameters", "why"),
    [
        ("clerk", {}, "needs the parameter 'user_region'"),
        ("clerk", {"user_region": 5}, "of type text"),
        ("clerk", {"user_region": "a\x00b"}, "must be a text"),
        ("boss", {}, "no role 'boss'"),
        (None, {}, "give the role"),
    ],
)
def test_who_asks_must_be_known(
    shop: Path, role: str | None, parameters: dict[str, Any], why: str
) -> None:
    with pytest.raises(ConfigError, match=why):
        Database(shop, policy=shop.with_name("policy.yaml"), role=role, parameters=parameters)


def test_a_role_without_a_policy_is_an_error(shop: Path) -> None:
    with pytest.raises(ConfigError, match="without a policy"):
        Database(shop, role="clerk")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("roles: [", "not valid YAML near line 1"),
        ("[]", "must be a mapping"),
        ("roles: {a: {tables: {}, hdie: []}}", "no 'hdie' here"),
        ("roles: {a: {tables: some}}", "must be a mapping"),
        ("roles:\n  a:\n    tables: all\n    hide: [salary]\n    hide: []", "near line 5"),
        ("roles: {a: {tables: {note: all, Note: all}}}", "named twice"),
        ("roles: {a: {tables: {note: !!python/name:os.system }}}", "not valid YAML"),
        ("roles: {a: {tables: {[note]: all}}}", "not valid YAML"),
        ("roles: {a: {tables: all, parameters: {x: date}}}", "type of 'x'"),
        ("roles: {a: {tables: [nosuch]}}", "'nosuch', which is not there"),
        ("roles: {a: {tables: all, hide: [salaries]}}", "'salaries', which is not there"),
        ("roles: {a: {tables: []}}", "leaves nothing"),
    ],
)
def test_a_bad_policy_file_is_said_in_one_line(
    shop: Path, tmp_path: Path, text: str, why: str
) -> None:
    (tmp_path / "bad.yaml").write_text(text)
    with pytest.raises(ConfigError, match=why):
        Database(shop, policy=tmp_path / "bad.yaml", role="a")


def test_a_missing_policy_file_is_said_in_one_line(shop: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.yaml cannot be read"):
        Database(shop, policy="nowhere.yaml", role="a")


def test_parameters_that_come_as_text_get_their_type() -> None:
    role = Role({}, parameters={"n": "integer", "x": "number", "b": "boolean"})
    given = {"n": "7", "x": "2.5", "b": "TRUE", "t": "7"}
    assert convert_parameters(role, given) == {"n": 7, "x": 2.5, "b": True, "t": "7"}
    with pytest.raises(ConfigError, match="of type integer"):
        convert_parameters(role, {"n": "7 OR 1=1"})


def test_a_policy_from_python_is_the_same(shop: Path) -> None:
    policy = Policy({"one": Role({"customer": TableRule(columns=("name",), rows="id = 2")})})
    with Database(shop, policy=policy, role="one") as restricted:
        assert restricted.execute("SELECT * FROM customer").rows == (("Bob",),)
        assert restricted.fetch_all("SELECT * FROM customer").rows == (("Bob",),)
        with pytest.raises(AccessDenied):
            restricted.check('SELECT * FROM "order"')
        with pytest.raises(ExecutionError, match="no such column: id"):
            restricted.execute("SELECT id FROM customer")


def test_a_pattern_may_name_columns_that_only_some_tables_have(shop: Path) -> None:
    def open_with(rule: dict[str, Any]) -> Database:
        return Database(shop, policy={"roles": {"a": {"tables": {"*": rule}}}}, role="a")

    schema = open_with({"hide": ["ssn", "pay"]}).schema
    names = {c.name for t in schema.tables for c in t.columns}
    assert "total" in names
    assert not names & {"ssn", "pay"}
    assert [t.name for t in open_with({"columns": ["card"]}).schema.tables] == ["note"]
    with pytest.raises(ConfigError, match=r"'snn' for '\*': no table has it"):
        open_with({"hide": ["snn"]})


def test_a_view_that_is_not_trusted_shows_no_more_than_its_tables(shop: Path) -> None:
    policy = {"roles": {"a": {"tables": {"customer": {"hide": ["ssn"]}, "v_*": "all"}}}}
    names = [t.name for t in Database(shop, policy=policy, role="a").schema.tables]
    # v_order and v_pay read tables that are not allowed, v_ssn a column.
    assert names == ["customer", "v_customer", "v_names"]


def test_a_row_that_is_hidden_since_is_no_example(shop: Path) -> None:
    policy = {"roles": {"clerk": {"tables": {"customer": {"rows": "region <> 'south'"}}}}}
    with Database(shop, policy=policy, role="clerk") as database:
        assert "'Cy'" in show_schema(database.schema)
        with closing(sqlite3.connect(shop)) as connection:
            connection.execute("UPDATE customer SET region = 'south' WHERE name = 'Cy'")
            connection.commit()
        pipeline = Pipeline.of(ScriptedLLM(["SELECT name FROM customer"], loop=True))
        message = pipeline.run("Who are the customers?", database)
        assert message.result is not None
        assert message.result.rows == (("Ann",),)
        assert "Cy" not in repr(message)
