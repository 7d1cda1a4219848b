"""What the official scripts do to the texts of queries before they run or compare them."""

import re

BIRD_MARK = "\t----- bird -----\t"
"""What stands between a prediction and the name of its database in BIRD's JSON files."""

# The lexemes that sqlparse tells apart, as far as they matter for finding the word DISTINCT and
# the end of a statement. A backslash keeps a quote from closing a text there, not in SQLite.
_LEXEMES = re.compile(
    r"""(?P<passed>--[^\r\n]*|\#\ [^\r\n]*|/\*.*?\*/
        |`(?:``|[^`])*`|'(?:''|\\'|[^'])*'|"(?:""|\\"|[^"])*"|\[[^\]\[]+\])
    |(?P<word>[$:?@\#\\]?\w[$\#\w]*)
    |(?P<mark>[();])
    |.""",
    re.DOTALL | re.VERBOSE,
)
_CURRENT_YEAR = re.compile(r"YEAR\s*\(\s*CURDATE\s*\(\s*\)\s*\)\s*", re.IGNORECASE)


def spider_prediction(sql: str) -> str:
    """The prediction as ``evaluation.py`` of taoyds/test-suite-sql-eval reads it from its file.

    That is up to the first tab, with every ``value`` (in lower case, also inside words) made
    ``1``. Exact match and execution both see this text. A query of several lines cannot stand in
    such a file: it keeps its lines, and its tabs are only space.

    >>> spider_prediction("SELECT value FROM t\\tconcert_singer")
    'SELECT 1 FROM t'
    """
    text = sql.strip()
    text = text.replace("\t", " ") if "\n" in text else text.partition("\t")[0]
    return text.replace("value", "1")


def spider_executed(sql: str) -> str:
    """The text that Spider's script executes, of gold and prediction alike (``exec_eval.py``).

    ``> =``, ``< =`` and ``! =`` are joined; without ``--keep_distinct`` every DISTINCT is removed,
    and with it all but the first statement; ``YEAR(CURDATE())`` is 2020.

    >>> spider_executed("SELECT DISTINCT a FROM t WHERE b > = 'DISTINCT'; SELECT 2")
    "SELECT  a FROM t WHERE b >= 'DISTINCT';"
    """
    sql = sql.replace("> =", ">=").replace("< =", "<=").replace("! =", "!=")
    return _CURRENT_YEAR.sub("2020", without_distinct(sql))


def without_distinct(sql: str) -> str:
    """The first statement of ``sql`` without the word DISTINCT (``remove_distinct``, by sqlparse).

    >>> without_distinct('SELECT count(DISTINCT "distinct") FROM t')
    'SELECT count( "distinct") FROM t'
    """
    kept: list[str] = []
    depth = 0
    for lexeme in _LEXEMES.finditer(sql):
        text, word = lexeme[0], (lexeme["word"] or "").lower()
        if word == "distinct":
            continue
        kept.append(text)
        depth += text == "("
        # sqlparse takes END for the end of a block, so what CASE opened is closed twice.
        depth -= text == ")" or word == "end"
        if lexeme["mark"] == ";" and depth <= 0:
            break
    return "".join(kept)


def is_ordered(gold_sql: str) -> bool:
    """Whether Spider's script compares the order of rows: "order by" is somewhere in the text.

    >>> is_ordered("SELECT a FROM t WHERE b = 'order by'"), is_ordered("SELECT a ORDER  BY b")
    (True, False)
    """
    return "order by" in gold_sql.lower()


def bird_prediction(sql: str) -> str:
    """The prediction as BIRD's scripts read it from their file: up to the mark of the database.

    >>> bird_prediction("SELECT 1\\t----- bird -----\\tfinancial")
    'SELECT 1'
    """
    return sql.partition(BIRD_MARK)[0]
