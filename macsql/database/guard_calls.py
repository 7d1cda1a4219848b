"""The names of the functions that a statement calls, as they are written in its text.

sqlglot gives many functions a name of its own, and may take a call for syntax. The engine calls
what is written; so each word before "(" is looked at here, whatever the tree says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType, exp

from macsql.database.functions import names

# After these, "(" opens an expression, a list or a sub-query.
_KEYWORDS = names(
    "select from where join on using as in and or not is by having when then else case exists any"
    " all some union intersect except minus distinct limit offset over filter group within lateral"
    " between like ilike rlike regexp similar escape materialized overlaps partition sets"
    " rollup cube pivot unpivot for percent tablesample sample repeatable exclude replace rename"
    " columns struct map"
    " array row rows unnest values qualify order div mod xor binary fetch first next"
)
_KEYWORDS_OF = {
    "mysql": names("against index key use ignore force sounds"),
    "tsql": names("top apply"),
    "duckdb": names("positional asof anti semi"),
    "spark": names("anti semi"),
}
_SAMPLING = names("system bernoulli reservoir")
# Types with a length or parts; as functions they convert.
_TYPES = names(
    "bigint binary bit blob bool boolean bytea char character clob date datetime datetime2"
    " datetimeoffset dec decimal double enum float float4 float8 int integer interval json list map"
    " nchar nested number numeric nvarchar real signed smallint string struct text time timestamp"
    " timestamptz timetz tinyint union unsigned varbinary varchar varchar2 varying year zone"
)
_QUOTES = ("'", '"', "`", "[")


@dataclass(frozen=True, slots=True)
class Call:
    """A function call: the name in lower case, what stands before it with a dot, and where."""

    name: str
    qualifier: str
    start: int


def find_calls(
    sql: str, tokens: Sequence[Token], nodes: Sequence[exp.Expr], dialect: str
) -> Iterator[Call]:
    """Every name that is followed by "(", but for keywords, types and aliases with columns."""
    keywords = _KEYWORDS | _KEYWORDS_OF.get(dialect, frozenset())
    aliases = _alias_places(nodes)
    for place in range(len(tokens) - 1):
        token = tokens[place]
        if tokens[place + 1].token_type != TokenType.L_PAREN or token.start in aliases:
            continue
        written = sql[token.start : token.end + 1]
        is_quoted = written.startswith(_QUOTES)
        if not is_quoted and not (written[0].isalpha() or written[0] == "_"):
            continue
        if token.token_type in (TokenType.STRING, TokenType.NUMBER):
            continue
        qualifier = _qualifier(sql, tokens, place)
        # The last word of what sqlglot reads as one: "GROUP BY", "NOT MATERIALIZED".
        name = token.text if is_quoted else written.split()[-1].lower()
        is_plain = not is_quoted and not qualifier
        if is_plain and (name in keywords or name in _TYPES or _is_sampling(tokens, place, name)):
            continue
        yield Call(name.lower() if name.isascii() else name, qualifier, token.start)


def _alias_places(nodes: Sequence[exp.Expr]) -> frozenset[int]:
    """Where the names of aliases and of common table expressions begin."""
    places = (
        node.this.meta.get("start")
        for node in nodes
        if isinstance(node, exp.TableAlias) and isinstance(node.this, exp.Identifier)
    )
    return frozenset(place for place in places if place is not None)


def _qualifier(sql: str, tokens: Sequence[Token], place: int) -> str:
    """What stands before the name and a dot, as it is written, with the dot."""
    start = place
    while start >= 2 and tokens[start - 1].token_type == TokenType.DOT:
        start -= 2
    return sql[tokens[start].start : tokens[place].start]


def _is_sampling(tokens: Sequence[Token], place: int, name: str) -> bool:
    before = tokens[place - 1].text.upper() if place else ""
    return name in _SAMPLING and before in ("TABLESAMPLE", "SAMPLE")
