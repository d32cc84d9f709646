"""Prediction: what each subscriber will get, worked out from the world of a scenario without running anything.

Decisions rest on it: whom to admit, where to place, how far it goes.
"""

from tidings.analysis.admission import Admission, admit
from tidings.analysis.door import Decision, Door
from tidings.analysis.forecast import BrokerForecast, LinkForecast, Prediction, SubscriberForecast
from tidings.analysis.placing import Home, place
from tidings.analysis.planning import Plan, plan
from tidings.analysis.predicting import PredictOptions, predict

__all__ = [
    "Admission",
    "BrokerForecast",
    "Decision",
    "Door",
    "Home",
    "LinkForecast",
    "Plan",
    "PredictOptions",
    "Prediction",
    "SubscriberForecast",
    "admit",
    "place",
    "plan",
    "predict",
]
