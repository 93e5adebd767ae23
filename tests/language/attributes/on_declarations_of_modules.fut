-- Modules and the definitions in them may have attributes.
-- ==
-- input { 3 }
-- output { 4 }
#[important]
module m = {
  #[inline] def next (x: i32) = x + 1
}

def main (x: i32) = m.next x
