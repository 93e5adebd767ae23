-- `m.(e)` needs a module before the point.
-- ==
-- error: E0118.*:4:22
def main (x: i32) = (x).(x + 1)
