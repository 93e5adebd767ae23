-- A function must not return a top-level constant, because the caller could overwrite it.
-- ==
-- error: E0406.*:6:22
def table = [1i32, 2, 3]

def main (c: bool) = if c then table else [0, 0, 0]
