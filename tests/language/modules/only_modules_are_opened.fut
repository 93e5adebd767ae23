-- `m.(e)` requires a module before the dot.
-- ==
-- error: E0118.*:4:22
def main (x: i32) = (x).(x + 1)
