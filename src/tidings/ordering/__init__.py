"""In which order events are shown: one order across topics and groups, and probabilistic FIFO of one publisher's events."""

from tidings.ordering.atoms import Atom, Atoms, atom_numbers, atoms_of
from tidings.ordering.colocation import by_branch, by_home, by_overlap, in_one
from tidings.ordering.delay_law import DelayLaw, LaplaceSum, TwoLaplace
from tidings.ordering.delivery_rule import OrderedWindow, SubscriberClock, Verdict
from tidings.ordering.group_directory import GroupDirectory
from tidings.ordering.group_member import Depart, GroupMember, Show
from tidings.ordering.group_messages import GroupMessage
from tidings.ordering.hypoexponential import Hypoexponential, fit
from tidings.ordering.latch import Latch, LatchCounts, LatchOptions, Showing
from tidings.ordering.node_tree import AtomTree, atom_tree
from tidings.ordering.overlap import OverlapGraph, overlap_graph
from tidings.ordering.placement import Journey, beside, settled
from tidings.ordering.plan import SequencingPlan, plan_sequencing
from tidings.ordering.publication_record import Past, PublicationRecord, Stamp
from tidings.ordering.reach import (
    BernsteinReach,
    ChebyshevReach,
    EmpiricalReach,
    PlainReach,
    PredictiveReach,
    Reach,
    reach_of,
)
from tidings.ordering.relevance import Relevance
from tidings.ordering.sequencing_machine import SequencingMachine
from tidings.ordering.stage import ClimbTo, Complete, Request, Stage
from tidings.ordering.timestamp import Layout, Timestamp, comparable, precedes
from tidings.ordering.timestamp_coding import TimestampReader, TimestampWriter

__all__ = [
    "Atom",
    "AtomTree",
    "Atoms",
    "BernsteinReach",
    "ChebyshevReach",
    "ClimbTo",
    "Complete",
    "DelayLaw",
    "Depart",
    "EmpiricalReach",
    "GroupDirectory",
    "GroupMember",
    "GroupMessage",
    "Hypoexponential",
    "Journey",
    "LaplaceSum",
    "Latch",
    "LatchCounts",
    "LatchOptions",
    "Layout",
    "OrderedWindow",
    "OverlapGraph",
    "Past",
    "PlainReach",
    "PredictiveReach",
    "PublicationRecord",
    "Reach",
    "Relevance",
    "Request",
    "SequencingMachine",
    "SequencingPlan",
    "Show",
    "Showing",
    "Stage",
    "Stamp",
    "SubscriberClock",
    "Timestamp",
    "TimestampReader",
    "TimestampWriter",
    "TwoLaplace",
    "Verdict",
    "atom_numbers",
    "atom_tree",
    "atoms_of",
    "beside",
    "by_branch",
    "by_home",
    "by_overlap",
    "comparable",
    "fit",
    "in_one",
    "overlap_graph",
    "plan_sequencing",
    "precedes",
    "reach_of",
    "settled",
]
