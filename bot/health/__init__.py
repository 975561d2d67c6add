"""The health of an installation: from the record, the queues and the machine."""
