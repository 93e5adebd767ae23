-- A file that is imported by two paths is one module: its abstract types are the same.
-- ==
-- input { 7 }
-- output { true }
module direct = import "files/tokens"
module by_other_way = import "files/deeper/../tokens"

def main (x: i32) = direct.same (direct.make x) (by_other_way.make x)
