-- The name of an entry point may be any name, including one with a quote.
-- ==
-- entry: next
-- input { 1 }
-- output { 2 }

-- ==
-- entry: next'
-- input { 1 }
-- output { 3 }
entry next (x: i32) = x + 1
entry next' (x: i32) = x + 2
