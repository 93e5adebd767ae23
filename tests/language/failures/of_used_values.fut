-- A check may be removed with a value that is not used, never from one that is: not where a loop returns its own parameter, nor
-- where branches agree, nor where all elements are one.
-- ==
-- entry: loop_variable
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry loop_variable (n: i64) (i: i64) : i64 = loop a = i for _j < 5i64 do assert (i < n) a

-- ==
-- entry: loop_variable_beside_another
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry loop_variable_beside_another (n: i64) (i: i64) : i64 = (loop (a, b) = (i, 0) for j < 5i64 do assert (i < n) (a, b + j)).0

-- ==
-- entry: while_loop
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry while_loop (n: i64) (i: i64) : i64 = (loop (a, k) = (i, 0) while k < 5 do assert (i < n) (a, k + 1)).0

-- ==
-- entry: loop_in_a_loop
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry loop_in_a_loop (n: i64) (i: i64) : i64 = loop a = i for _j < 2i64 do loop b = a for _k < 2i64 do assert (i < n) b

-- ==
-- entry: loop_over_an_array
-- input { 4i64 3i64 } output { [3i64, 5i64] }
-- input { 0i64 3i64 } error: .
entry loop_over_an_array (n: i64) (i: i64) : []i64 = loop ys = [i, 5] for _j < 5i64 do assert (i < n) ys

-- ==
-- entry: element_of_a_replicate
-- input { 4i64 3i64 } output { 7u8 }
-- input { 0i64 3i64 } error: .
entry element_of_a_replicate (n: i64) (i: i64) : u8 = loop a = 7u8 for _j < 6i64 do (replicate n a)[i]

-- ==
-- entry: choice
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry choice (n: i64) (i: i64) : i64 = if i > 1 then assert (i < n) i else i

-- ==
-- entry: other_branch
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry other_branch (n: i64) (i: i64) : i64 = if i < 2 then i else assert (i < n) i

-- ==
-- entry: choice_in_a_choice
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry choice_in_a_choice (n: i64) (i: i64) : i64 = if i > 0 then (if i > 1 then assert (i < n) i else i) else i

-- ==
-- entry: choice_of_constants
-- input { 4i64 3i64 } output { 7u8 }
-- input { 0i64 3i64 } error: .
entry choice_of_constants (n: i64) (i: i64) : u8 = if i > 1 then (map (\_ -> 7u8) (iota n))[i] else 7u8

-- ==
-- entry: choice_of_arrays
-- input { 4i64 3i64 } output { [3i64, 5i64] }
-- input { 0i64 3i64 } error: .
entry choice_of_arrays (n: i64) (i: i64) : []i64 = let xs = [i, 5] in if i > 1 then assert (i < n) xs else xs

-- ==
-- entry: choice_of_records
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry choice_of_records (n: i64) (i: i64) : i64 = (if i > 1 then assert (i < n) {a = i, b = 1i64} else {a = i, b = 2i64}).a

-- ==
-- entry: match_with_a_constant
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry match_with_a_constant (n: i64) (i: i64) : i64 = match i case 3 -> assert (i < n) i case k -> k

-- ==
-- entry: match_of_a_sum
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry match_of_a_sum (n: i64) (i: i64) : i64 = match ((if i > 1 then #some i else #none) : #some i64 | #none) case #some k -> assert (k < n) i case #none -> i

-- ==
-- entry: coercion
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry coercion (n: i64) (i: i64) : i64 = if i > 1 then length ((iota n :> [i + 1]i64)) - 1 else i

-- ==
-- entry: slice
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry slice (n: i64) (i: i64) : i64 = if i > 1 then let s = (iota n)[:i] in i + 0 * length s else i

-- ==
-- entry: division
-- input { 4i64 3i64 } output { 7i64 }
-- input { 0i64 3i64 } error: .
entry division (n: i64) (i: i64) : i64 = loop a = 7 for _j < 3i64 do a + 0 * (10 / (if i < n then 1 else 0))

-- ==
-- entry: condition
-- input { 4i64 3i64 } output { 1i64 }
-- input { 0i64 3i64 } error: .
entry condition (n: i64) (i: i64) : i64 = if (if i > 1 then assert (i < n) true else true) then 1 else 2

-- ==
-- entry: conjunction
-- input { 4i64 3i64 } output { true }
-- input { 0i64 3i64 } error: .
entry conjunction (n: i64) (i: i64) : bool = (if i > 1 then assert (i < n) true else true) && i > 0

-- ==
-- entry: index
-- input { 4i64 3i64 } output { 6i64 }
-- input { 0i64 3i64 } error: .
entry index (n: i64) (i: i64) : i64 = ([5i64, 6])[if i > 1 then assert (i < n) 1 else 1]

-- ==
-- entry: size
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry size (n: i64) (i: i64) : i64 = length (iota (if i > 1 then assert (i < n) i else i))

-- ==
-- entry: bound_of_a_loop
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry bound_of_a_loop (n: i64) (i: i64) : i64 = loop s = 0 for k < (if i > 1 then assert (i < n) i else i) do s + k

-- ==
-- entry: elements
-- input { 4i64 3i64 } output { [0i64, 1i64, 2i64, 3i64] }
-- input { 0i64 3i64 } error: .
entry elements (n: i64) (i: i64) : []i64 = map (\k -> if k > 1 then assert (k < n) k else k) (iota (i + 1))

-- ==
-- entry: loops_of_elements
-- input { 4i64 3i64 } output { [0i64, 1i64, 2i64, 3i64] }
-- input { 0i64 3i64 } error: .
entry loops_of_elements (n: i64) (i: i64) : []i64 = map (\k -> loop a = k for _j < 2i64 do assert (k < n) a) (iota (i + 1))

-- ==
-- entry: sum_of_elements
-- input { 4i64 3i64 } output { 6i64 }
-- input { 0i64 3i64 } error: .
entry sum_of_elements (n: i64) (i: i64) : i64 = i64.sum (map (\k -> if k > 1 then assert (k < n) k else k) (iota (i + 1)))

-- ==
-- entry: sums_up_to_elements
-- input { 4i64 3i64 } output { [0i64, 1i64, 3i64, 6i64] }
-- input { 0i64 3i64 } error: .
entry sums_up_to_elements (n: i64) (i: i64) : []i64 = scan (+) 0 (map (\k -> if k > 1 then assert (k < n) k else k) (iota (i + 1)))

-- ==
-- entry: greatest_of_one_value
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry greatest_of_one_value (n: i64) (i: i64) : i64 = reduce i64.max 0 (map (\k -> assert (k < n) i) (iota (i + 1)))

-- ==
-- entry: filter_of_all
-- input { 4i64 3i64 } output { [0i64, 1i64, 2i64, 3i64] }
-- input { 0i64 3i64 } error: .
entry filter_of_all (n: i64) (i: i64) : []i64 = filter (\k -> if k > 1 then assert (k < n) true else true) (iota (i + 1))

-- ==
-- entry: histogram
-- input { 4i64 3i64 } output { [2i64, 2i64] }
-- input { 0i64 3i64 } error: .
entry histogram (n: i64) (i: i64) : []i64 = reduce_by_index (replicate 2 0) (+) 0 (map (% 2) (iota (i + 1))) (map (\k -> if k > 1 then assert (k < n) 1 else 1) (iota (i + 1)))

-- ==
-- entry: scatter_of_elements
-- input { 4i64 3i64 } output { [0i64, 1i64, 2i64, 3i64] }
-- input { 0i64 3i64 } error: .
entry scatter_of_elements (n: i64) (i: i64) : []i64 = scatter (replicate 4 9) (iota (i + 1)) (map (\k -> if k > 1 then assert (k < n) k else k) (iota (i + 1)))

-- ==
-- entry: update
-- input { 4i64 3i64 } output { [0i64, 1i64] }
-- input { 0i64 3i64 } error: .
entry update (n: i64) (i: i64) : []i64 = (replicate 2 0) with [1] = (if i > 1 then assert (i < n) 1 else 1)

-- ==
-- entry: function_that_is_called
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry function_that_is_called (n: i64) (i: i64) : i64 = let f (k: i64) = if k > 1 then assert (k < n) k else k in f i

def down (n: i64) (i: i64) (k: i64) : i64 = if k == 0 then i else if k > 1 then assert (i < n) (down n i (k - 1)) else down n i (k - 1)

-- ==
-- entry: recursive_call
-- input { 4i64 3i64 } output { 3i64 }
-- input { 0i64 3i64 } error: .
entry recursive_call (n: i64) (i: i64) : i64 = down n i i
