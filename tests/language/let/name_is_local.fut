-- A name bound by `let` is in scope only in the body of the `let`.
-- ==
-- error: E0202.*:4:40
def main (x: i32) = (let y = x in y) + y
