-- The result may not be less general than its type says.
-- ==
-- error: E0201.*:4:37
def first 'a 'b (x: a) (_: b) : b = x
