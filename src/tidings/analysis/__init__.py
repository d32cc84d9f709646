"""Prediction: what each subscriber will get, worked out from the world of a scenario without running anything."""

from tidings.analysis.forecast import BrokerForecast, LinkForecast, Prediction, SubscriberForecast
from tidings.analysis.predicting import PredictOptions, predict

__all__ = ["BrokerForecast", "LinkForecast", "PredictOptions", "Prediction", "SubscriberForecast", "predict"]
