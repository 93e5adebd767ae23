-- A loop parameter without an initial value needs a variable of the same name in scope.
-- ==
-- error: E0202.*:4:26
def main (n: i32) = loop x for i < n do x + i
