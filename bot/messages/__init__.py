"""Requests that a message may make, decisions about them, and the bot's own words."""
