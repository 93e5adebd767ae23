-- `import "f"` denotes the module of the definitions in the file `f.fut`, relative to the importing file.
-- ==
-- input { 4 }
-- output { 16 }
module powers = import "files/powers"

def main (x: i32) = powers.square x
