-- `open import` re-exports the names of the file.
-- ==
-- input { 2 }
-- output { 4 }
module m = { open import "files/powers" }

def main (x: i32) = m.square x
