-- An error in a module type is reported once, not again for each module that has the type.
-- ==
-- error: E0203.*:4:31
module type table = { val x : row }

module a : table = { def x = 1i32 }
module b : table = { def x = 2i32 }
module c (t: table) = { def x = t.x }
module d = c a
def main = a.x i32.+ b.x i32.+ d.x
