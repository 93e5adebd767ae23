-- A `def` of a name between two patterns does not exist; operators are symbols.
-- ==
-- error: E0110.*:4:14
def (x: i32) plus (y: i32) = x + y
