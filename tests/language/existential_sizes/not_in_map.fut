-- The function of a `map` may not make sizes of its own: the rows of an array have one length.
-- ==
-- error: E0302.*:4:29
def main (ns: []i64) = map (\n -> iota n) ns
