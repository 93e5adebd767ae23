-- A declaration sees only what is declared above it.
-- ==
-- error: E0202.*:4:21
def main (x: i32) = later x

def later (x: i32) = x
