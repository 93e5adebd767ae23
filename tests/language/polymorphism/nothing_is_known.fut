-- Inside of a function nothing is known about its type parameters: they have no arithmetic.
-- ==
-- error: E0201.*:4:24
def double 'a (x: a) = x + x
