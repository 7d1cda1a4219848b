"""What is wrong with this SQL, without a model; and deterministic repair."""

from macsql.checks.analysis import check
from macsql.checks.edits import Repair
from macsql.checks.emptiness import why_no_rows
from macsql.checks.failure import explain_failure
from macsql.checks.key_fixes import repair_keys
from macsql.checks.literals import padded_values, repair_literals
from macsql.checks.output import check_output
from macsql.checks.output_fixes import repair_output
from macsql.checks.repair import repair
from macsql.checks.same_text import StoredValues
from macsql.checks.silent import diagnose_result
from macsql.checks.stored import check_literals, check_values_used

__all__ = [
    "Repair",
    "StoredValues",
    "check",
    "check_literals",
    "check_output",
    "check_values_used",
    "diagnose_result",
    "explain_failure",
    "padded_values",
    "repair",
    "repair_keys",
    "repair_literals",
    "repair_output",
    "why_no_rows",
]
