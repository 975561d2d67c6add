"""The one reader of questions: from what was typed to one `Intent`."""
