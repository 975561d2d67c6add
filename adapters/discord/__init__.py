"""Discord as a platform: payloads in, components out, and the doorbell between them."""
