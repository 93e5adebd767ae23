-- The function of a `map` must not return arrays of a size that is bound inside it: all rows have the same length.
-- ==
-- error: E0302.*:4:29
def main (ns: []i64) = map (\n -> iota n) ns
