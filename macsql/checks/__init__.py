"""What is wrong with this SQL, without a model; and deterministic repair."""

from macsql.checks.analysis import check
from macsql.checks.repair import Repair, repair

__all__ = ["Repair", "check", "repair"]
