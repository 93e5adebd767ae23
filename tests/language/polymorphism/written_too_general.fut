-- A type parameter must stay free: the body may not decide what it is.
-- ==
-- error: E0201.*:4:31
def increment 'a (x: a) : a = x + 1i32
