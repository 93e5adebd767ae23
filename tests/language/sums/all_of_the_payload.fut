-- A constructor cannot be applied to only some of its payload.
-- ==
-- error: E0201.*:6:28
type pair = #pair i32 i32

def main (x: i32) : pair = #pair x
