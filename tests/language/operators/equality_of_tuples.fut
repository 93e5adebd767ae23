-- `==` compares tuples and records component by component.
-- ==
-- input { 1 true }
-- output { true false }
-- input { 2 true }
-- output { false true }
def main (x: i32) (b: bool) = ((x, b) == (1, true), {a = x, b = 0u8} == {a = 2, b = 0u8})
