"""The weekly report: counted from the record, drawn as a page and a post."""
