"""Files to canonical texts. The door is `sandbox.Parser`, which parses in a child."""
