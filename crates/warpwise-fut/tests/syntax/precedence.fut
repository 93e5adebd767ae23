-- Every level of operators against its neighbours. The tree is what the line's declaration prints as.

def a1 = x + y * z -- tree: x + (y * z)
def a2 = x * y + z -- tree: (x * y) + z
def a3 = x - y - z -- tree: (x - y) - z
def a4 = x ** y ** z -- tree: (x ** y) ** z
def a5 = x * y ** z -- tree: x * (y ** z)
def a6 = x << y + z -- tree: x << (y + z)
def a7 = x & y << z -- tree: x & (y << z)
def a8 = x & y | z ^ w -- tree: ((x & y) | z) ^ w
def a9 = x == y & z -- tree: x == (y & z)
def b1 = x < y == z -- tree: (x < y) == z
def b2 = x && y == z -- tree: x && (y == z)
def b3 = x || y && z -- tree: x || (y && z)
def b4 = x <| y || z -- tree: x <| (y || z)
def b5 = x <| y <| z -- tree: x <| (y <| z)
def b6 = x |> y |> z -- tree: (x |> y) |> z
def b7 = x |> y <| z -- tree: x |> (y <| z)
def b8 = x <| y |> z -- tree: (x <| y) |> z
def b9 = x `f` y |> z -- tree: x `f` (y |> z)
def c1 = x `f` y `m.g` z -- tree: (x `f` y) `m.g` z
def c2 = x `f` y ... z -- tree: (x `f` y) ... z
def c3 = x |> y with [0] = z |> w -- tree: (x |> y) with [0] = (z |> w)
def c4 = x with f = y with g.h = z -- tree: (x with .f = y) with .g.h = z
def c5 = x `f` y with g = z `h` w -- tree: (x `f` (y with .g = z)) `h` w
def c6 = 0..<n |> f -- tree: 0 ..< (n |> f)
def c7 = x + 1..y..>z -- tree: (x + 1) .. y ..> z

-- A user's operator binds like the longest built-in operator it starts with.
def d1 = x +. y *. z -- tree: x +. (y *. z)
def d2 = x <*> y <+> z -- tree: (x <*> y) <+> z
def d3 = x <|> y <|> z -- tree: x <|> (y <|> z)
def d4 = x ||| y && z -- tree: x ||| (y && z)
def d5 = x === y &&& z -- tree: (x === y) &&& z
def d6 = x >>= y + z -- tree: x >>= (y + z)
def d7 = x !! y + z =< w -- tree: (x !! (y + z)) =< w
def d8 = x m.+ y m.n.* z -- tree: x m.+ (y m.n.* z)
def d9 = x **. y * z -- tree: (x **. y) * z
def e1 = x ->* y - z -- tree: (x ->* y) - z

-- Prefix operators, application, fields and indices are tighter than all.
def f1 = -x ** y -- tree: (-x) ** y
def f2 = -f x + y -- tree: (-(f x)) + y
def f3 = !x && !y -- tree: (!x) && (!y)
def f4 = - -x -- tree: -(-x)
def f5 = f -x -- tree: f - x
def f6 = f x.y z[0] -- tree: f x.y (z)[0]
def f7 = f (-x) (+ y) (z -) -- tree: f (-x) (+ y) (z -)
def f8 = a [i] -- tree: a [i]
def f9 = a[i] x -- tree: ((a)[i]) x
def g1 = x.0.1 -- tree: ((x).0).1
def g2 = (x).y.z -- tree: ((x).y).z
def g3 = x.y.0.z -- tree: ((x.y).0).z
def g4 = #c x (#d y) #e -- tree: #c x (#d y) #e
def g5 = (#c) x -- tree: (#c) x
def g6 = -x with [0] = y -- tree: (-x) with [0] = y

-- What starts with a word goes as far right as it can.
def h1 = x + if y then z else w + v -- tree: x + (if y then z else w + v)
def h2 = if x then y else z : t -- tree: if x then y else z : t
def h3 = if x then y else if z then w else v -- tree: if x then y else if z then w else v
def h4 = f \x -> x + y : t -- tree: f (\x  -> (x + y) : t)
def h5 = f x \y -> g y |> h -- tree: f x (\y  -> (g y) |> h)
def h6 = #[attr] x + y : t -- tree: #[attr] (x + y) : t
def h7 = assert x[0] y + z -- tree: assert (x)[0] y + z
def h8 = 1 + assert true x : t -- tree: 1 + (assert true x : t)
def h9 = x : t :> u -- tree: (x : t) :> u
def i1 = loop x = y for i < n do x + i -- tree: loop x = y for i < n do x + i
def i2 = loop x for (y: t) in z do x -- tree: loop x for y: t in z do x
def i3 = loop (x, y) while x < y do (y, x) -- tree: loop (x, y) while x < y do (y, x)
def i4 = match x case 0 -> match y case 1 -> 2 case -3i8 -> 4 -- tree: match x case 0 -> (match y case 1 -> 2 case (-3i8) -> 4)
def i5 = a[if x then y else z] -- tree: (a)[(if x then y else z)]
