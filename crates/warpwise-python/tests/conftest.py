"""What holds for all tests."""

import signal

# Whoever starts tests in the background of a shell has SIGINT ignored, which Python leaves so.
signal.signal(signal.SIGINT, signal.default_int_handler)

# These load the driver of PoCL, which takes SIGINT for itself. In a process that had workers before, Ctrl-C then does not always end a call
# (FIXME), so the tests of Ctrl-C come first.
_LAST = ("test_device", "test_docs", "test_dask", "test_engines", "test_travel")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.stem in _LAST)
