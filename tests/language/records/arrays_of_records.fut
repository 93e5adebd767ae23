-- Records may be elements of arrays.
-- ==
-- input { [1, 2] [true, false] }
-- output { [true, false] 3 }
-- input { empty([0]i32) empty([0]bool) }
-- output { empty([0]bool) 0 }
def main [n] (xs: [n]i32) (bs: [n]bool) =
  let rs = map2 (\x b -> {x, b}) xs bs
  in (map (\r -> r.b) rs, i32.sum (map (.x) rs))
