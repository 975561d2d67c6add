"""Programs of maintainers beside the bot: demo, reducer fit, licence audit."""
