-- `?[k].t` is the type of a value with an existential size `k`.
-- ==
-- input { 3 }
-- output { [3, 3] }
-- input { 0 }
-- output { empty([0]i32) }
def copies (x: i32) : ?[k].[k]i32 =
  let k = if x == 0 then 0 else 2
  in replicate k x

def main (x: i32) = copies x
