-- Inside the function nothing is known about the type: it has no arithmetic.
-- ==
-- error: E0201.*:4:24
def double 'a (x: a) = x + x
