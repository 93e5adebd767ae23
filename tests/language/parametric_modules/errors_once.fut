-- An error in a parametric module is reported once, not again for each application.
-- ==
-- error: E0202.*:6:44
module type number = { val one : i32 }
module ints = { def one = 1i32 }
module counter (n: number) = { def two = n.two }
module a = counter ints
module b = counter ints

def main = a.two i32.+ b.two
