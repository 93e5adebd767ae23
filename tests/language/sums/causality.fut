-- The payload sizes of the other constructors must be known before a value of a sum type is made.
-- ==
-- error: E0305.*:8:8
type option 'a = #none | #some a

def main (c: bool) (xs: []i32): option ([]i32) =
  if c
  then #none
  else #some (filter (> 0) xs)
