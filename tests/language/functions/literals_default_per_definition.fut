-- The type of a definition is settled where it stands: arithmetic that nothing decides is on `i32`.
-- ==
-- error: E0201.*:6:27
def twice x = x + x

def main (x: i64) = twice x
