-- A polymorphic function cannot call itself at a different type.
-- ==
-- error: E0201.*:4:5
def depth 'a (n: i32) (x: a) : i32 = if n == 0 then 0 else 1 + depth (n - 1) (x, x)
