"""Virtual time: the protocol machines in a world that is the same for every run of a seed."""

from tidings.simulation.faults import FaultCounters, Faults, swarm
from tidings.simulation.runs import SimulationResult, simulate

__all__ = ["FaultCounters", "Faults", "SimulationResult", "simulate", "swarm"]
