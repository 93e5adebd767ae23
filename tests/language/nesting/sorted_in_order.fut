-- The function of a `flatmap` may update the array of its element in place, in loops whose length depends on the data.
-- ==
-- entry: main
-- input { [3i64, 0i64, 4i64] [9i32, 7i32, 8i32, 3i32, 1i32, 2i32, 0i32] }
-- output { [7i32, 8i32, 9i32, 0i32, 1i32, 2i32, 3i32] [2i64, 0i64, 5i64] }
-- input { [0i64, 0i64] empty([0]i32) } output { empty([0]i32) [0i64, 0i64] }
-- input { empty([0]i64) [1i32] } output { empty([0]i32) empty([0]i64) }
-- input { [1i64] [5i32] } output { [5i32] [0i64] }
-- input { [3i64, 2i64] [9i32, 7i32, 8i32, 3i32] } error: out of bounds
-- input { [3i64, -1i64] [9i32, 7i32, 8i32, 3i32] } error: out of bounds

-- ==
-- entry: chosen
-- input { [3i64, 0i64, 2i64] [9i32, 7i32, 8i32, 3i32, 1i32] }
-- output { [7i32, 8i32, 9i32, 3i32, 1i32] }
-- input { [2i64, 2i64, 1i64] [9i32, 7i32, 8i32, 3i32, 1i32] }
-- output { [9i32, 7i32, 8i32, 3i32, 1i32] }

-- ==
-- entry: checked
-- input { [3i64, 1i64] [1i64, 2i64, 3i64, 0i64] } output { [2i64, 3i64, 0i64, 1i64] }
-- input { [3i64, 1i64] [1i64, 2i64, 3i64, 4i64] } error: out of bounds

-- Sorted, and how often two neighbours changed places.
def sort [k] (xs: *[k]i32) : (*[k]i32, i64) =
  loop (xs, swaps) = (xs, 0) for i < k do
    let (xs, j) =
      loop (xs, j) = (xs, i) while j > 0 && xs[j - 1] > xs[j] do
        let (a, b) = (xs[j - 1], xs[j])
        let xs = xs with [j - 1] = b
        in (xs with [j] = a, j - 1)
    in (xs, swaps + i - j)

def ends (sizes: []i64) = scan (+) 0 sizes

entry main [n] (sizes: [n]i64) (xs: []i32) =
  let part (size, end) = sort (copy xs[end - size:end])
  let (_, _, _, sorted, swaps) = flatmap part (zip sizes (ends sizes))
  in (sorted, swaps)

-- Only parts of an odd number of elements are sorted.
entry chosen [n] (sizes: [n]i64) (xs: []i32) : []i32 =
  let part (size, end) =
    let own = copy xs[end - size:end]
    in if size % 2 == 1 then (sort own).0 else own
  let (_, _, _, sorted) = flatmap' part (zip sizes (ends sizes))
  in sorted

-- Elements are places of others.
entry checked [n] (sizes: [n]i64) (xs: []i64) : []i64 =
  let part (size, end) =
    loop own = copy xs[end - size:end] for j < size do
      let x = xs[own[j]]
      in own with [j] = x
  let (_, _, _, all) = flatmap' part (zip sizes (ends sizes))
  in all
