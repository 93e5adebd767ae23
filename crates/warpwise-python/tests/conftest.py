"""What holds for all tests."""

import signal

# Whoever starts tests in the background of a shell has SIGINT ignored, which Python leaves so.
signal.signal(signal.SIGINT, signal.default_int_handler)
