-- Quicksort: long parts are split by all processors, one after the other; short ones are sorted all at once, each in order.
-- ==
-- entry: main
-- input { [3, 1, 2, 1] }
-- output { [1, 1, 2, 3] }
-- input { [7] }
-- output { [7] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }

-- ==
-- entry: is_sorted
-- random input { [100000]i32 }
-- output { true }
-- random input { [1000]i32 }
-- output { true }
-- random input { [30]i32 }
-- output { true }

-- ==
-- entry: few_values
-- input { 100000i64 }
-- output { true }

-- Elements of a part that is sorted in order.
def short : i64 = 32768

-- Elements of a part that is sorted by insertion.
def tiny : i64 = 16

def median (a: i32) (b: i32) (c: i32) : i32 = i32.max (i32.min a b) (i32.min (i32.max a b) c)

-- A value with about as many elements below as above it.
def pivot [n] (xs: [n]i32) (from: i64) (to: i64) : i32 =
  let at part = xs[from + part * (to - 1 - from) / 8]
  in median (median (at 0) (at 1) (at 2)) (median (at 3) (at 4) (at 5)) (median (at 6) (at 7) (at 8))

def insertion_sort [n] (xs: *[n]i32) (from: i64) (to: i64) : *[n]i32 =
  loop xs for i in from + 1..<to do
    let x = xs[i]
    let (xs, j) =
      loop (xs, j) = (xs, i) while j > from && xs[j - 1] > x do
        let y = xs[j - 1]
        in (xs with [j] = y, j - 1)
    in xs with [j] = x

-- The elements from `from` to before `to`, those before `j + 1` at most `p`, those from `i` on at least that.
def split [n] (xs: *[n]i32) (from: i64) (to: i64) (p: i32) : (*[n]i32, i64, i64) =
  loop (xs, i, j) = (xs, from, to - 1) while i <= j do
    let i = loop i while xs[i] < p do i + 1
    let j = loop j while xs[j] > p do j - 1
    in if i > j then (xs, i, j)
       else
         let (a, b) = (xs[i], xs[j])
         let xs = xs with [i] = b
         in (xs with [j] = a, i + 1, j - 1)

-- One part after the other. Of two halves the shorter is sorted first, so that few wait.
def sort_in_order [n] (xs: *[n]i32) : *[n]i32 =
  let (xs, _, _) =
    loop (xs, waiting, count) = (xs, replicate 64 (0, n), 1) while count > 0 do
      let (from, to) = waiting[count - 1]
      in if to - from <= tiny
         then (insertion_sort xs from to, waiting, count - 1)
         else
           let (xs, i, j) = split xs from to (pivot xs from to)
           let (longer, shorter) =
             if j + 1 - from < to - i then ((i, to), (from, j + 1)) else ((from, j + 1), (i, to))
           let waiting = waiting with [count - 1] = longer
           in (xs, waiting with [count] = shorter, count + 1)
  in xs

-- Splits until all parts are short or of equal elements: the elements, and the sizes of the parts, those of equal elements negative.
def parts [n] (xs: [n]i32) : ([]i32, []i64) =
  if n <= short then (xs, [n])
  else
    let p = pivot xs 0 n
    let (less, equal, more) = partition2 (< p) (== p) xs
    let (before, before_sizes) = parts less
    let (after, after_sizes) = parts more
    in (before ++ equal ++ after, before_sizes ++ [-length equal] ++ after_sizes)

def sort [n] (xs: [n]i32) : []i32 =
  let (xs, sizes) = parts xs
  let ends = scan (+) 0 (map i64.abs sizes)
  let (_, _, _, sorted) =
    flatmap' (\(size, end) ->
                let part = copy xs[end - i64.abs size:end]
                in if size > 0 then sort_in_order part else part)
             (zip sizes ends)
  in sorted

entry main [n] (xs: [n]i32) : []i32 = sort xs

entry is_sorted [n] (xs: [n]i32) : bool =
  let sorted = sort xs
  let n' = length sorted
  in n' == n && all (\i -> sorted[i] <= sorted[i + 1]) (iota (i64.max 0 (n - 1)))
     && i32.sum xs == i32.sum sorted

-- Sorts as many elements of few values.
entry few_values (n: i64) : bool = is_sorted (map (\i -> i32.i64 (i * 7919 % 5)) (iota n))
