-- A parameter that is neither a variable from before nor given a value has no initial value.
-- ==
-- error: E0202.*:4:26
def main (n: i32) = loop x for i < n do x + i
