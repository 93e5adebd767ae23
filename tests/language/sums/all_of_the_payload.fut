-- A constructor is never applied to only a part of what it carries.
-- ==
-- error: E0201.*:6:28
type pair = #pair i32 i32

def main (x: i32) : pair = #pair x
