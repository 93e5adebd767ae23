-- A parametric module passed as an argument must not require more than it will be given.
-- ==
-- error: E0217.*:7:23
module type number = { val x : i32 }
module twice (f: number -> number) = { module one = f { def x = 1i32 } }
module asks (n: { val x : i32 val y : i32 }) = { def x = n.x + n.y }
module result = twice asks

def main = 1i32
