"""From what a loader read to a stored version: sentences, chunks, anchors, closure."""
