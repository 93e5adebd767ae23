-- A top-level constant must not be consumed.
-- ==
-- error: E0402.*:6:21
def table = [1i32, 2, 3]

def main (i: i64) = table with [i] = 0
