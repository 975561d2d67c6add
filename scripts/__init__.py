"""What maintainers run beside the bot: demo, reducer fit, licence audit."""
