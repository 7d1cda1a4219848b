"""The words and patterns by which SQL is known from prose."""

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LEAD = r"(?:\s|--[^\n]*+(?:\n|\Z)|/\*(?s:.)*?\*/|\()*+"

STATEMENT = re.compile(
    _LEAD
    + r"(?:SELECT|WITH|VALUES|TABLE|FROM|EXPLAIN|SHOW|DESCRIBE|DESC|PRAGMA|INSERT|UPDATE|DELETE"
    r"|REPLACE|MERGE|UPSERT|CREATE|ALTER|DROP|TRUNCATE|RENAME|GRANT|REVOKE|ATTACH|DETACH|COPY|CALL"
    r"|EXEC|EXECUTE|DO|SET|RESET|USE|BEGIN|START|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|END|VACUUM"
    r"|ANALYZE|REINDEX|LOAD|INSTALL|IMPORT|EXPORT|UNLOAD|LOCK|UNLOCK|KILL|FLUSH|OPTIMIZE|REFRESH"
    r"|CLUSTER|COMMENT|DECLARE|PREPARE|DEALLOCATE|LISTEN|NOTIFY|HANDLER|CHECKPOINT|PIVOT|SUMMARIZE"
    r"|SHUTDOWN|PURGE|ABORT|DISCARD|REASSIGN|SECURITY|RESTORE|BACKUP|UNSET|MSCK)\b",
    re.IGNORECASE,
)
"""The beginning of any statement, after comments and brackets."""

_CTE = (
    r"WITH\s+(?:RECURSIVE\s+)?(?:\w+|\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`|\[[^\]\n]{1,200}\])\s*"
    r"(?:\([^()]{0,2000}\)\s*)?AS\s*(?:NOT\s+)?(?:MATERIALIZED\s*)?\("
)
_WRITE = (
    r"INSERT\s+(?:OR\s+\w+\s+)?INTO\s|REPLACE\s+INTO\s|DELETE\s+FROM\s"
    r"|UPDATE\s+[^\s,;]{1,200}\s+SET\s|MERGE\s+INTO\s|TRUNCATE\s+(?:TABLE\s+)?\S"
    r"|ATTACH\s+(?:DATABASE\s+)?'|PRAGMA\s+\w|(?:DROP|ALTER|CREATE)\s+(?:OR\s+REPLACE\s+)?"
    r"(?:TEMP(?:ORARY)?\s+|UNIQUE\s+|MATERIALIZED\s+)?"
    r"(?:TABLE|VIEW|INDEX|TRIGGER|DATABASE|SCHEMA|USER|ROLE|FUNCTION|PROCEDURE)\s"
)
CERTAIN = re.compile(
    _LEAD + rf"(?:SELECT\b|{_CTE}|{_WRITE}|VALUES\s*\(|EXPLAIN\s+(?:QUERY|ANALYZE|SELECT|WITH)\b"
    r"|SHOW\s+[A-Z]+|DESCRIBE\s+\w+\s*;?\s*\Z)",
    re.IGNORECASE,
)
"""The beginning of a statement that prose hardly has."""

CANDIDATE = re.compile(rf"(?<![\w.$])(?:SELECT\b|{_CTE}|{_WRITE})", re.IGNORECASE)
"""Where a statement may begin in running text."""

WRITE = re.compile(_WRITE, re.IGNORECASE)
"""The beginning of a statement that changes something."""

INTRODUCERS = _words(
    "sql sqlite query statement is use using run try execute answer be following code okay ok "
    "sure here yes and finally then"
)
"""Words after which SQL may begin within a sentence."""

CONTINUES = _words(
    "FROM WHERE GROUP ORDER HAVING LIMIT OFFSET UNION INTERSECT EXCEPT MINUS JOIN INNER LEFT RIGHT "
    "FULL CROSS OUTER NATURAL ON USING AND OR NOT IN IS LIKE ILIKE GLOB BETWEEN AS CASE WHEN THEN "
    "ELSE END ASC DESC NULLS WINDOW QUALIFY FETCH FOR OVER PARTITION COLLATE SELECT VALUES ROWS "
    "RANGE FILTER WITHIN LATERAL REGEXP RLIKE MATCH SIMILAR DISTINCT INTO SET RETURNING ESCAPE "
    "DELETE INSERT UPDATE ALL PIVOT UNPIVOT TABLESAMPLE ASOF SEMI ANTI DIV MOD XOR INTERVAL AT "
    "WITH BY EXISTS TOP ANY SOME"
)
"""Keywords a later line of one statement may begin with."""

OPEN_WORDS = _words(
    "SELECT FROM WHERE BY AND OR NOT ON JOIN AS IN LIKE ILIKE GLOB BETWEEN UNION INTERSECT EXCEPT "
    "DISTINCT CASE WHEN THEN ELSE WITH LIMIT OFFSET HAVING GROUP ORDER USING IS INNER LEFT RIGHT "
    "FULL CROSS OUTER NATURAL OVER PARTITION RECURSIVE SET INTO VALUES INTERVAL ESCAPE ALL"
)
OPEN_CHARS = frozenset(",(=<>+-/%|.~&^*")
"""Words and characters after which a statement has to go on."""

ARTICLES = _words(
    "the this that these those your my our their its each every which it them an some"
)
"""Words that begin a noun phrase of prose where SQL has a column or table."""
