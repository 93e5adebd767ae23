-- A parameter's pattern names a constructor only if there is no other.
-- ==
-- error: E0219.*:6:13
type option = #some i32 | #none

def value ((#some x): option) = x
