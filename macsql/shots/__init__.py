"""Worked examples for the Decomposer's prompt: the pairs of a store that fit the question best."""

from macsql.shots.shape import shape_of
from macsql.shots.store import BUILTIN, FIXED, ExampleStore, open_examples
from macsql.shots.worked import WorkedExample

__all__ = ["BUILTIN", "FIXED", "ExampleStore", "WorkedExample", "open_examples", "shape_of"]
