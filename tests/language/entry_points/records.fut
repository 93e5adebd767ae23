-- An entry point may take and return records, which are opaque values to the caller.
-- ==
-- entry: value
-- input { 3 }
-- output { 6 }
type pair = {a: i32, b: i32}

entry make (x: i32) : pair = {a = x, b = x}
entry sum (p: pair) : i32 = p.a + p.b
entry value (x: i32) = sum (make x)
