-- A `def` cannot define a name as an infix operator; operators consist of symbols.
-- ==
-- error: E0110.*:4:14
def (x: i32) plus (y: i32) = x + y
