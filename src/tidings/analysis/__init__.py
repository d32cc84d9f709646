"""Prediction: what each subscriber will get, worked out from the world of a scenario without running anything.

Decisions rest on it: whom to admit.
"""

from tidings.analysis.admission import Admission, admit
from tidings.analysis.door import Decision, Door
from tidings.analysis.forecast import BrokerForecast, LinkForecast, Prediction, SubscriberForecast
from tidings.analysis.predicting import PredictOptions, predict

__all__ = [
    "Admission",
    "BrokerForecast",
    "Decision",
    "Door",
    "LinkForecast",
    "PredictOptions",
    "Prediction",
    "SubscriberForecast",
    "admit",
    "predict",
]
