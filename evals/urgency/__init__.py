"""Fit the classifier of emergencies, and measure how many it finds."""
