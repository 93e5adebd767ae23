-- A name that a `let` binds ends with its body.
-- ==
-- error: E0202.*:4:40
def main (x: i32) = (let y = x in y) + y
