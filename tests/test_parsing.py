"""What is read from replies, family by family; the pairs are in fixtures/replies.txt."""

import re
from pathlib import Path

import pytest

from macsql.errors import ParseError
from macsql.message import SubQuestion
from macsql.parsing import read_abstention, read_selection, read_sql, read_sub_questions
from macsql.schema import Column, Schema, Table

FIXTURE = Path(__file__).parent / "fixtures" / "replies.txt"


def _characters(text: str) -> str:
    text = text.replace("{{CR}}\n", "\r\n").replace("{{CR}}", "\r").replace("{{SP}}", " ")
    return re.sub(r"\{\{U\+([0-9A-F]{4})\}\}", lambda m: chr(int(m[1], 16)), text)


def _cases() -> list[object]:
    found = []
    for case in re.split(r"^######## ", FIXTURE.read_text("utf-8"), flags=re.M)[1:]:
        title, _, body = case.partition("\n")
        reply, _, expected = body.partition("-------->\n")
        found.append(
            pytest.param(
                _characters(reply.removesuffix("\n")), _characters(expected.strip()), id=title
            )
        )
    return found


@pytest.mark.parametrize(("reply", "expected"), _cases())
def test_reply_gives_its_sql_or_the_named_error(reply: str, expected: str) -> None:
    if expected.startswith("ParseError "):
        with pytest.raises(ParseError, match=expected.removeprefix("ParseError ")) as caught:
            read_sql(reply)
        assert caught.value.reply == reply
    else:
        assert read_sql(reply) == expected


def test_every_family_has_pairs() -> None:
    assert len(_cases()) >= 80


STATEMENTS = [
    "SELECT count(*) FROM pupil WHERE age > 12",
    "SELECT a, b FROM t WHERE c = 'x; y' ORDER BY a DESC LIMIT 3",
    "WITH a AS (SELECT 1 AS x), b AS (SELECT 2 AS y) SELECT x, y FROM a, b",
    'SELECT "last name" FROM pupil WHERE grade IS NOT NULL',
    "SELECT a\nFROM t\nGROUP BY a\nHAVING count(*) > 1",
    "SELECT a FROM t UNION ALL SELECT b FROM u",
    "select first_name from pupil where city like 'b%'",
]
DECORATIONS = {
    "none": "{}",
    "semicolon": "{};",
    "upper-case fence": "```SQL\n{}\n```",
    "sqlite fence": "```sqlite\n{};\n```",
    "bare fence": "```\n{}\n```",
    "tilde fence": "~~~sql\n{}\n~~~",
    "unclosed fence": "```sql\n{}",
    "fence between prose": "Sure, here it is:\n\n```sql\n{}\n```\n\nIt doesn't use joins.",
    "fence after reasoning": "<think>First SELECT 1?</think>\n```sql\n{}\n```",
    "fence after a draft": "```sql\nSELECT 0\n```\nBetter:\n```sql\n{}\n```",
    "label": "SQL: {}",
    "bold label": "**Final SQL:** {}",
    "sentence before": "This is the query you need. {}",
    "sentence after": "{}\n\nThis query doesn't change any rows.",
    "list after": "{}\n\n1. It reads the table.\n2. It counts.",
    "reasoning": "<think>maybe SELECT * FROM wrong</think>{}",
    "closing tag only": "SELECT * FROM wrong</think>\n{}",
    "echo": "Question: How many?\nSQL: {}",
    "run-on": "{}\n\nQuestion: Which?\nSQL: SELECT 9",
    "element": "<sql>{}</sql>",
    "answer element": "<answer>\n{}\n</answer>",
    "quote of triple marks": '"""\n{}\n"""',
    "end of turn": "{}<|im_end|>",
    "byte order mark": "\ufeff{}",
}


@pytest.mark.parametrize("decoration", DECORATIONS.values(), ids=DECORATIONS.keys())
@pytest.mark.parametrize("sql", STATEMENTS)
def test_every_decoration_gives_the_statement_back(sql: str, decoration: str) -> None:
    assert read_sql(decoration.format(sql)) == sql


@pytest.mark.parametrize("sql", ["SELECT `a;b` FROM `t`", r"SELECT a FROM t WHERE b = 'it\'s; x'"])
def test_literals_are_those_of_the_dialect(sql: str) -> None:
    assert read_sql(f"```sql\n{sql};\n```", "mysql") == sql


def test_hash_comments_belong_to_their_dialect() -> None:
    assert read_sql("```sql\nSELECT 1 # a; b\n```", "mysql") == "SELECT 1 # a; b"


def test_lone_surrogates_do_not_reach_the_database() -> None:
    assert read_sql('{"sql": "SELECT \'\\ud800\'"}') == "SELECT '?'"


@pytest.mark.parametrize(
    "reply",
    [
        "SELECT the best.\n" * 30 + "SELECT a FROM t",
        "Use `SELECT the " + "` x" * 20,
        "SELECT " + "(" * 300 + "1" + ")" * 300,
        "SELECT " + "NOT " * 5_000 + "1",
        "\n".join("`" * n for n in range(9, 3, -1)) + "\nSELECT the",
        '{"sql": ' * 12 + '"SELECT the"',
    ],
)
def test_what_cannot_be_checked_outside_a_fence_is_refused(reply: str) -> None:
    with pytest.raises(ParseError):
        read_sql(reply)


def test_paper_format_gives_the_steps_and_the_last_sql() -> None:
    reply = (
        "Sub question 1: Get the average.\nSQL\n```sql\nSELECT avg(a) FROM t\n```\n\n"
        "Sub question 2: Who is above?\nSQL\n```sql\nSELECT b FROM t WHERE a > 1\n```\n\n"
        "Question Solved.\n\n==========\n\nSub question 1: Other?\n```sql\nSELECT 9\n```"
    )
    assert read_sub_questions(reply) == (
        (
            SubQuestion("Get the average.", "SELECT avg(a) FROM t"),
            SubQuestion("Who is above?", "SELECT b FROM t WHERE a > 1"),
        ),
        "SELECT b FROM t WHERE a > 1",
    )


@pytest.mark.parametrize(
    "label",
    [
        "Sub question 1: {}",
        "Sub-question 1: {}",
        "### Sub question 1: {}",
        "**Sub question 1**: {}",
        "**Sub question 1:** {}",
        "- Subquestion #1 - {}",
        "SUB QUESTION: {}",
        "Step 1. {}",
    ],
)
def test_sub_question_labels(label: str) -> None:
    reply = label.format("Which one?") + "\n```sql\nSELECT 1\n```"
    assert read_sub_questions(reply) == ((SubQuestion("Which one?", "SELECT 1"),), "SELECT 1")


def test_unfenced_steps_are_read() -> None:
    reply = "Sub question 1: a?\nSQL: SELECT 1\nSub question 2: b?\nSQL: SELECT 2"
    steps, sql = read_sub_questions(reply)
    assert ([s.sql for s in steps], sql) == (["SELECT 1", "SELECT 2"], "SELECT 2")


def test_plan_before_the_only_sql_keeps_its_steps() -> None:
    reply = "Sub question 1: a?\nSub question 2: b?\n```sql\nSELECT 2\n```"
    assert read_sub_questions(reply)[0] == (SubQuestion("a?", ""), SubQuestion("b?", "SELECT 2"))


def test_final_sql_after_the_last_step_answers() -> None:
    reply = "Sub question 1: a?\n```sql\nSELECT 1\n```\nFinal SQL:\n```sql\nSELECT 3\n```"
    assert read_sub_questions(reply) == ((SubQuestion("a?", "SELECT 1"),), "SELECT 3")


def test_reply_without_sub_questions_has_no_steps() -> None:
    assert read_sub_questions("```sql\nSELECT 1\n```") == ((), "SELECT 1")


@pytest.mark.parametrize("end", ["Sub question 2: b?", "Sub question 2: b?\n```sql\nSELECT a FROM"])
def test_earlier_step_never_answers_for_a_cut_last_one(end: str) -> None:
    with pytest.raises(ParseError, match="cut"):
        read_sub_questions("Sub question 1: a?\n```sql\nSELECT 1\n```\n" + end)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("NO SQL: no states here.", "no states here."),
        ("no sql: small talk", "small talk"),
        ("I looked.\n**NO SQL:** nothing fits", "nothing fits"),
        ("```\nNO SQL: nothing fits\n```", "nothing fits"),
        ("```sql\n-- NO SQL: nothing fits\n```", "nothing fits"),
        ("<think>NO SQL: maybe</think>\nNO_SQL: certainly", "certainly"),
        ("NO SQL", "the question cannot be answered from this database"),
        ("SELECT 1", None),
        ("<think>NO SQL: maybe</think>SELECT 1", None),
        ("There is NO SQL: injection here", None),
        ("NoSQL: a kind of database", None),
        ("", None),
    ],
)
def test_abstention(reply: str, reason: str | None) -> None:
    assert read_abstention(reply) == reason


SCHEMA = Schema(
    "sqlite",
    (
        Table("account", (Column("Account ID", "INTEGER"), Column("date", "DATE"))),
        Table("client", (Column("id", "INTEGER"), Column("gender", "TEXT"))),
        Table("Order Details", (Column("group", "TEXT"), Column("price", "REAL"))),
    ),
)


@pytest.mark.parametrize(
    ("reply", "selection"),
    [
        ('{"account": "keep_all"}', {"account": "keep_all"}),
        ('{"account": "drop_all", "client": ["id"]}', {"account": "drop_all", "client": ["id"]}),
        ('```json\n{"client": ["gender", "id"]}\n```', {"client": ["gender", "id"]}),
        ('```\n{"client": ["id"]}\n```\nHope it helps', {"client": ["id"]}),
        ('Sure: {"client": ["id"]} is it {ok}.', {"client": ["id"]}),
        ('<think>{"account": "keep_all"}</think>{"client": ["id"]}', {"client": ["id"]}),
        ("{'client': ['id',], 'account': None,}", {"account": "drop_all", "client": ["id"]}),
        ('{"client": ["id"], // ids\n "account": "keep_all" /* x */}', None),
        ('{"client": ["id"] "account": "keep_all"}', None),
        ('{"client": ["id"], "account": "keep_all"', None),
        ('{"client": ["id"}, "account": KEEP ALL}', None),
        ("client: id\naccount: keep_all", None),
        ("{“client”: [“id”], “account”: “keep_all”}", None),
        ('[{"table": "client", "columns": ["id"]}, {"table": "account"}]', None),
        ('[{"client": ["id"]}, {"account": "all"}]', None),
        ('{"tables": {"client": ["id"], "account": true}}', None),
        ('{"tables": [{"name": "client", "columns": ["id"]}, "account"]}', None),
        ('{"client": {"columns": ["id"]}, "account": {"columns": "keep_all"}}', None),
        ('{"client": {"id": true, "gender": false}, "account": "*"}', None),
        ('{"client": ["client.id"], "account": ["*"]}', None),
        ('{"client.id": "keep", "account": "Keep-All"}', None),
        ('{"client": [{"name": "id"}], "account": "yes"}', None),
        ('{"CLIENT": ["ID"], "main.account": "keep_all"}', None),
        ('{"\\"client\\"": ["`id`"], "[account]": "keep_all"}', None),
        ('{"client": "id", "account": "keep_all"}', None),
        ('{"client": ["id", "no_such"], "no_such": ["x"], "account": "keep_all"}', None),
        ('{"client": "drop_all", "Client": ["id"], "account": "keep_all"}', None),
        ('{"client": ["id"], "client": ["id"], "account": "keep_all"}', None),
        ('{"client": ["id"], "client": ["gender"]}', {"client": ["id", "gender"]}),
        ('{"client": ["id"], "client": "keep_all"}', {"client": "keep_all"}),
        ('{"client": ["no_such"]}', {"client": "keep_all"}),
        ('{"client": ["id"], "client": "drop_all"}', {"client": ["id"]}),
        ('{"client": ["id", {"x": 1], "account": "keep_all"}', None),
        ('{"client": []}', {"client": "drop_all"}),
        ('{"client": "id, gender"}', {"client": ["id", "gender"]}),
        ('{"account": ["account id"]}', {"account": ["Account ID"]}),
        ('{"order details": ["GROUP"]}', {"Order Details": ["group"]}),
        ('{"client": ["id", "gen', {"client": ["id"]}),
        ('First {"client": "drop_all"}, then {"client": "keep_all"}', {"client": "keep_all"}),
    ],
)
def test_selection(reply: str, selection: dict[str, object] | None) -> None:
    expected = selection or {"account": "keep_all", "client": ["id"]}
    assert read_selection(reply, SCHEMA) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "keep all",
        "{}",
        "[]",
        "null",
        '{"no_such": "keep_all"}',
        '{"client": 5}',
        "[1, 2]",
        "[" * 9 + '{"client": 1}',
    ],
)
def test_reply_that_selects_nothing_is_named(reply: str) -> None:
    with pytest.raises(ParseError) as caught:
        read_selection(reply, SCHEMA)
    assert caught.value.reply == reply
