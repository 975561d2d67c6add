"""What people asked and did not get: collected, grouped, closed by documents (R-D6)."""
