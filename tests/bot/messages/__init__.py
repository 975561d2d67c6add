"""Tests of bot/messages/."""
