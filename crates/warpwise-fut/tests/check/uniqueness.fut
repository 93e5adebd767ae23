-- What is consumed is not used again.

def put (xs: *[]i32) (i: i64) : *[]i32 = xs with [i] = 0
def lent (xs: []i32) = xs with [0] = 1 -- error: E0402
def again (xs: *[]i32) =
  let ys = put xs 0
  in ys[0] + xs[0] -- error: E0401
def before (xs: *[]i32) =
  let x = xs[0]
  let ys = put xs 0
  in x + ys[0]
def twice (xs: *[]i32) =
  let a = put xs 0
  let b = put xs 1 -- error: E0401
  in (a, b)
def in_place (xs: *[]i32) =
  let xs[0] = 1
  let xs[1] = xs[0] + 1
  in xs
def copied (xs: []i32) = copy xs with [0] = 1
def fresh (n: i64) = replicate n 0i32 with [0] = 1

-- Through other names.
def alias (xs: *[]i32) =
  let ys = xs
  let zs = put ys 0
  in zs[0] + xs[0] -- error: E0401
def slice_alias (xs: *[]i32) =
  let ys = xs[1:]
  let xs[0] = 1
  in ys[0] + xs[0] -- error: E0401
def row_alias (xss: *[][]i32) =
  let row = xss[0]
  let xss[1] = row -- error: E0404
  in xss
def row_copy (xss: *[][]i32) =
  let row = copy xss[0]
  let xss[1] = row
  in xss
def keep (xs: []i32) : []i32 = xs
def call_alias (xs: *[]i32) =
  let ys = keep xs
  let xs[0] = 1
  in (xs, ys) -- error: E0401
def by_branch (c: bool) (xs: *[]i32) (ys: *[]i32) =
  let zs = if c then xs else ys
  let zs[0] = 1
  in zs[0] + ys[0] -- error: E0401
def consumed_in_branch (c: bool) (xs: *[]i32) = if c then put xs 0 else xs
def branches_are_apart (c: bool) (xs: *[]i32) = if c then put xs 0 else put xs 1
def fields_are_apart (r: {a: *[]i32, b: *[]i32}) =
  let a = put r.a 0
  in a[0] + r.b[0]
def field_again (r: {a: *[]i32, b: *[]i32}) =
  let a = put r.a 0
  in a[0] + r.a[0] -- error: E0401
def one_part (t: (*[]i32, []i32)) = t.0 with [0] = 1
def other_part (t: (*[]i32, []i32)) = t.1 with [0] = 1 -- error: E0402

-- Arguments.
def both (xs: *[]i32) (ys: []i32) = xs with [0] = ys[0]
def shared_arguments (xs: *[]i32) = both xs xs -- error: E0403
def operands (xs: *[]i32) = (let xs[0] = 1 in xs[0]) + xs[0] -- error: E0401

-- Functions.
def in_lambda (xs: *[]i32) = map (\i -> (xs with [0] = i)[0]) [1, 2] -- error: E0405
def in_local_function (xs: *[]i32) =
  let f (i: i32) = xs with [0] = i -- error: E0405
  in f 1
def captured (xs: *[]i32) =
  let f (i: i64) = xs[i]
  let ys = put xs 0
  in ys[0] + f 0 -- error: E0401
def own_of_lambda (xs: []i32) = map (\i -> let ys = replicate 3 i in (ys with [0] = 1)[0]) xs
def consuming_argument (xss: [][]i32) = map (\(xs: *[]i32) -> xs[0]) xss -- error: E0407

-- Results.
def unique_result (n: i64) : *[]i32 = replicate n 1
def shares_with_parameter (xs: []i32) : *[]i32 = xs -- error: E0406
def gives_parameter (xs: *[]i32) : *[]i32 = xs
def same_twice (n: i64) : (*[]i32, *[]i32) =
  let xs = replicate n 0i32 -- error: E0406
  in (xs, xs)
def inferred_unique (n: i64) = map i32.i64 (iota n)
def use_inferred (n: i64) = inferred_unique n with [0] = 1
def inferred_alias (xs: []i32) = xs[1:]
def use_alias (xs: []i32) = inferred_alias xs with [0] = 1 -- error: E0402
def local_inferred (n: i64) =
  let f (m: i64) = map i32.i64 (iota m)
  in f n with [0] = 1
def table = [1i32, 2, 3]
def change_constant = table with [0] = 2 -- error: E0402
def give_constant (b: bool) = if b then table else [0, 0, 0] -- error: E0406

-- Loops.
def loop_consumes (n: i64) = loop xs = replicate n 0i32 for i < n do xs with [i] = 1
def loop_of_lent (xs: []i32) = loop ys = xs for i < 3i64 do ys with [i] = 1 -- error: E0402
def loop_of_own (xs: *[]i32) = loop ys = xs for i < 3i64 do ys with [i] = 1
def loop_then_use (xs: *[]i32) =
  let ys = loop ys = xs for i < 3i64 do ys with [i] = 1
  in ys[0] + xs[0] -- error: E0401
def used_inside (xs: *[]i32) =
  loop ys = xs for i < 3i64 do ys with [i] = xs[i] -- error: E0401
def outer_inside (xs: *[]i32) =
  loop s = 0i32 for i < 3i64 do s + (xs with [i] = 1)[0] -- error: E0405
def double_buffer (n: i64) =
  loop (a, b) = (replicate n 0i32, replicate n 0i32) for i < n do (b, a with [i] = b[i])
def both_alike (xs: *[]i32) =
  loop (a, b) = (xs, xs) for i < 3i64 do (a with [i] = 1, b) -- error: E0403
def gets_outer (n: i64) (zs: []i32) =
  loop xs = replicate n 0i32 for i < 3i64 do let ys = xs with [i] = 1 in if i == 1 then zs :> [n]i32 else ys -- error: E0406
