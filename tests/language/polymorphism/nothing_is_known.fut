-- A function knows nothing about its type parameters: their values have no arithmetic.
-- ==
-- error: E0201.*:4:24
def double 'a (x: a) = x + x
