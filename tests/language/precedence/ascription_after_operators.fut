-- `:` binds more loosely than all operators: it applies to the whole expression before it.
-- ==
-- input { 1i64 }
-- output { 6i64 }
def main (x: i64) = (2 + 3 + x : i64)
