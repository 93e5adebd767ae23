-- Values of a type parameter have no equality either.
-- ==
-- error: E0201.*:4:29
def same 'a (x: a) (y: a) = x == y
