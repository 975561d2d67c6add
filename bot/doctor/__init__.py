"""The checks of `doctor`, one file a part of the installation."""
