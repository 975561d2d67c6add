"""Whether it is well: from the record, the queues and the machine."""
