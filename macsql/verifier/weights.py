"""What was learnt from training questions: weights of clues, and chances made of them."""

import json
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files

Model = Mapping[str, float]
"""Weights of a logistic regression by the names of its features; "" is the constant."""
Weights = Mapping[str, Mapping[str, Model]]
"""Models by their names: "traits" ("grouped=1", "order=desc") and "usage" ("used", "selected",
"table")."""

_MOST = 30.0


@lru_cache(maxsize=1)
def learnt() -> Weights:
    """The models that come with macsql.

    Made by ``benchmarks/verifier.py`` from Spider's training questions, none of the development
    set.
    """
    text = files("macsql.verifier").joinpath("weights.json").read_text(encoding="utf-8")
    models: Weights = json.loads(text)
    return models


def chance(model: Model, features: Iterable[str]) -> float:
    """The probability that ``model`` gives for what has these features.

    >>> chance({"": 0.0, "rain": 2.0}, ["rain", "wind"]) > 0.8
    True
    """
    total = model[""] + sum(model.get(name, 0.0) for name in features)
    return 1 / (1 + math.exp(-max(-_MOST, min(_MOST, total))))


def trait_chances(
    models: Mapping[str, Model], features: Iterable[str]
) -> dict[str, dict[str, float]]:
    """For each trait the probabilities of its values, which add up to one.

    >>> found = trait_chances({"grouped=1": {"": 0.0, "for each": 2.2}}, ["for each"])
    >>> round(found["grouped"]["1"], 1), round(found["grouped"]["0"], 1)
    (0.9, 0.1)
    """
    known = frozenset(features)
    found: dict[str, dict[str, float]] = {}
    for key, model in models.items():
        name, value = key.split("=")
        found.setdefault(name, {})[value] = chance(model, known)
    return {name: _normal(chances) for name, chances in found.items()}


def _normal(chances: dict[str, float]) -> dict[str, float]:
    if set(chances) == {"1"}:
        return {"1": chances["1"], "0": 1 - chances["1"]}
    total = sum(chances.values())
    return {value: chance / total for value, chance in chances.items()}
