-- A function in a module may call itself, too.
-- ==
-- input { 27 }
-- output { 111 }
-- input { 1 }
-- output { 0 }
module steps = {
  def collatz (n: i64) : i32 =
    if n == 1 then 0 else 1 + collatz (if n % 2 == 0 then n / 2 else 3 * n + 1)
}

def main (n: i32) = steps.collatz (i64.i32 n)
