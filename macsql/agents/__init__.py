"""The three agents of the paper, one file each; one that asks again, and the model alone."""

from macsql.agents.base import Agent
from macsql.agents.baseline import Baseline
from macsql.agents.decomposer import Decomposer
from macsql.agents.refiner import Refiner
from macsql.agents.selector import Selector
from macsql.agents.voter import Voter

__all__ = ["Agent", "Baseline", "Decomposer", "Refiner", "Selector", "Voter"]
