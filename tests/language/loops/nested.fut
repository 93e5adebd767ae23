-- The body of a loop may be another loop.
-- ==
-- input { 3 }
-- output { 9 }
-- input { 0 }
-- output { 0 }
def main (n: i32) =
  loop count = 0 for i < n do
    loop count for j < n do if i + j >= 0 then count + 1 else count
