"""Setup of all tests."""

import signal

# A shell ignores SIGINT in background jobs, and Python keeps this setting.
signal.signal(signal.SIGINT, signal.default_int_handler)
