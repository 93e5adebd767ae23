-- The body of a function must not determine which type a declared type parameter stands for.
-- ==
-- error: E0201.*:4:31
def increment 'a (x: a) : a = x + 1i32
