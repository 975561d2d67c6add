"""What a message may ask for, what is decided about it, and the bot's own words."""
