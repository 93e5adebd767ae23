-- Where a parametric module is expected, a module without parameters is not a valid argument.
-- ==
-- error: E0217.*:7:23
module type number = { val x : i32 }
module twice (f: number -> number) = { module one = f { def x = 1i32 } }
module three = { def x = 3i32 }
module result = twice three

def main = 1i32
