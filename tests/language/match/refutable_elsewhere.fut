-- In a `let` or a parameter a constructor that is not the only one is rejected: what does not always match needs a `match`.
-- ==
-- error: E0219.*:7:7
type option 'a = #none | #some a

def main (x: option i32): i32 =
  let #some y = x
  in y
