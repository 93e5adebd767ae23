-- The payload of a constructor must have the types that the sum type lists.
-- ==
-- error: E0201.*:6:31
type option = #some i32 | #none

def main (b: bool) : option = #some b
