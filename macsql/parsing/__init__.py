"""A model's reply → SQL, sub-questions, a selection, or the statement that there is no SQL.

Models wrap what they were asked for in fences, prose, reasoning, JSON and echoes of the prompt. The
readers here undo all of that and raise `ParseError`, nothing else, where it is not to be found.
Prose never comes back as SQL, and a statement that writes is never hidden from the guard.
"""

from macsql.parsing.selection import read_selection
from macsql.parsing.sql import read_abstention, read_sql, read_sub_questions

__all__ = ["read_abstention", "read_selection", "read_sql", "read_sub_questions"]
