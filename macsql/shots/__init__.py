"""Worked examples for the Decomposer's prompt: the pairs of a store that fit the question best."""

from macsql.shots.store import FIXED, ExampleStore, open_examples
from macsql.shots.worked import WorkedExample

__all__ = ["FIXED", "ExampleStore", "WorkedExample", "open_examples"]
