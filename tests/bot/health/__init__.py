"""Health: counted from the record, told over HTTP and in files."""
