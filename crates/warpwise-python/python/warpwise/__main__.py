"""The command `warpwise`, which is also `python -m warpwise`."""

import sys

from ._native import _command


def main() -> int:
    """Runs the command with the arguments of this process and returns the exit code."""
    if sys.argv[1:2] == ["stubs"]:
        from ._stubs import command

        return command(sys.argv[2:])
    return _command(sys.argv, [sys.executable, "-m", "warpwise"])


if __name__ == "__main__":
    sys.exit(main())
