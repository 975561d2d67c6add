"""What a served text says, read a second time, independent of the product."""
