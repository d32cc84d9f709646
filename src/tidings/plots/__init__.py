"""Plots as SVG text: axes, curves, and nothing that a page would have to fetch."""
