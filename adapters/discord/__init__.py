"""Discord as a platform: payloads in, components out, and the listener between them."""
