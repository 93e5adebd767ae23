-- `import "f"` is the module of the definitions of the file `f.fut` beside this one.
-- ==
-- input { 4 }
-- output { 16 }
module powers = import "files/powers"

def main (x: i32) = powers.square x
