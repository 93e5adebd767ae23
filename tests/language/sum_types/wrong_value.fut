-- The values that a constructor carries have the types that are listed.
-- ==
-- error: E0201.*:7:3
type pair = #pair i32 bool

def main (_: i32) : pair =
  #pair 1 2
