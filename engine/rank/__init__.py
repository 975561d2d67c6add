"""The relevance of passages: measured, calibrated, composed under the pack's caps."""
