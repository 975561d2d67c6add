"""Settings, packs, calibrations."""
