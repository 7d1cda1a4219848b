"""The three agents of the paper, one file each; and one that is the model alone."""

from macsql.agents.base import Agent
from macsql.agents.baseline import Baseline
from macsql.agents.decomposer import Decomposer
from macsql.agents.refiner import Refiner
from macsql.agents.selector import Selector

__all__ = ["Agent", "Baseline", "Decomposer", "Refiner", "Selector"]
