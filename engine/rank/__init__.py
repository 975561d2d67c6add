"""How well passages answer: measured, calibrated, composed under the pack's caps."""
