"""How well emergencies are heard, and what hears them: fitting and measuring (R-M6)."""
