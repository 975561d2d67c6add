"""What `doctor` looks at, one file a part of the installation."""
