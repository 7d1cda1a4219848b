"""The three agents of the paper, one file each."""

from macsql.agents.base import Agent
from macsql.agents.decomposer import Decomposer
from macsql.agents.refiner import Refiner
from macsql.agents.selector import Selector

__all__ = ["Agent", "Decomposer", "Refiner", "Selector"]
