-- The message of a failure shows the position that failed, followed by the calls that led to it.
-- ==
-- input { [1] 0i64 }
-- output { 1 }
-- input { [1] 1i64 }
-- error: calls.fut:7:.*called from.*calls.fut:8:.*called from.*calls.fut:9:
def element (xs: []i32) (i: i64) : i32 = xs[i]
def nested (xs: []i32) (i: i64) : i32 = element xs i
def main (xs: []i32) (i: i64) = nested xs i
