-- The last `let` of a sequence needs `in` and a body.
-- ==
-- error: E0119.*:5:3
def main (x: i32) =
  let y = x + 1
def other = 1i32
