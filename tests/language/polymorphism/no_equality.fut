-- Values of a type parameter cannot be compared for equality.
-- ==
-- error: E0201.*:4:29
def same 'a (x: a) (y: a) = x == y
