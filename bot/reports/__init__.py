"""Reports for the people who own a pack."""
