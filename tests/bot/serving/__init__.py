"""Tests of bot/serving/."""
