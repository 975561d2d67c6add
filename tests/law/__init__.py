"""The pack of binding law with time, over its own demo texts."""
