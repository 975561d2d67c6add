"""What Slack and Discord accept and show, written apart from the code that renders."""
