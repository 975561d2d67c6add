"""From scores to a verdict, and the verdict in words."""
