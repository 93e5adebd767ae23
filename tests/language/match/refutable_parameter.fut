-- The pattern of a parameter may be a constructor only if the type has no other.
-- ==
-- error: E0219.*:6:13
type option = #some i32 | #none

def value ((#some x): option) = x
