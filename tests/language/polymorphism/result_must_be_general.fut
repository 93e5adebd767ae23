-- The body must be as general as the declared result type: two type parameters are different types.
-- ==
-- error: E0201.*:4:37
def first 'a 'b (x: a) (_: b) : b = x
