-- A constructor carries as many values as its type says.
-- ==
-- error: E0201.*:7:3
type pair = #pair i32 i32

def main (_: i32) : pair =
  #pair 1
