"""Reserved words: without quotes, the engine reads none of them as the name of a column or table.

sqlglot does for some, and so takes ``(TABLE 'secret.csv')`` of DuckDB, which reads a file, for a
table called TABLE; ``(TABLE IDENTIFIER('csv.`/x`'))`` of Spark is alike. As asked of PostgreSQL 15
(pg_get_keywords; SYSTEM_USER is of 16), DuckDB 2.0 (duckdb_keywords) and MariaDB 10.11 (each word
tried), without those that MySQL 8 takes for names.
"""

from sqlglot import exp

from macsql.database.functions import names

_COMMON = """
all analyze and any as asc both case check collate column constraint create cross desc distinct else
except false fetch for foreign from full grant group having ilike in inner intersect into is isnull
join lateral leading left like limit natural not notnull null offset on only or order outer overlaps
placing primary references returning right select similar some table tablesample then to trailing
true union unique using verbose when where window with
"""
_POSTGRES = """
analyse array asymmetric authorization binary cast collation concurrently current_catalog
current_role current_schema current_user default deferrable do end freeze initially session_user
symmetric system_user user variadic
"""
_DUCKDB = """
analyse anti array asof asymmetric cast default deferrable describe do end freeze glob initially
lambda pivot pivot_longer pivot_wider positional qualify semi show summarize symmetric unpivot
variadic
"""
_MYSQL = """
accessible add all alter analyze and as asc asensitive before between both by call cascade case
change check collate column condition constraint continue create cross current_role current_user
cursor databases declare delayed delete desc describe deterministic distinct distinctrow div
drop each else elseif enclosed escaped except exists exit explain false fetch for force foreign
from fulltext grant group having high_priority if ignore in index infile inner insensitive
insert intersect interval into is iterate join key keys kill leading leave left like limit linear
lines load lock loop low_priority match maxvalue mod modifies natural not null on optimize option
optionally or order out outer outfile over partition precision primary procedure purge range read
read_write reads recursive references regexp release rename repeat replace require resignal restrict
return revoke right rlike row_number rows schemas select sensitive separator set show signal spatial
specific sql sql_big_result sql_calc_found_rows sql_small_result sqlexception sqlstate sqlwarning
ssl starting straight_join table terminated then to trailing trigger true undo union unique unlock
unsigned update usage use using values varying when where while with write xor zerofill
"""
RESERVED = {
    "postgres": names(_COMMON, _POSTGRES),
    "duckdb": names(_COMMON, _DUCKDB) - names("verbose"),
    "mysql": names(_MYSQL),
    "spark": names("table"),
}
"""Words by dialect, lower case."""


def find_reserved(node: exp.Expr, dialect: str) -> str:
    """The reserved word, if any, that ``node`` has for the name of a column, a table or an alias.

    >>> from sqlglot import parse_one
    >>> tree = parse_one("SELECT 1 FROM (TABLE 'a.csv')", dialect="duckdb")
    >>> [word for node in tree.walk() if (word := find_reserved(node, "duckdb"))]
    ['table']
    """
    if isinstance(node, exp.Column | exp.Table):
        name = node.parts[0] if node.parts else None
    else:
        name = node.this if isinstance(node, exp.TableAlias) else None
    if not isinstance(name, exp.Identifier) or name.quoted:
        return ""
    word = name.name.lower()
    return word if word in RESERVED.get(dialect, ()) else ""
