"""Tests of bot/doctor/."""
