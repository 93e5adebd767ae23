-- Forms of expressions that are not about precedence.

-- Literals.
def a1 = [0x1F, 0b101, 0rXIV, 1_000, 0Xf] -- tree: [31, 5, 14, 1000, 15]
def a2 = (255u8, 300u8, 128i8, 0xffffi16) -- tree: (255u8, 44u8, 128i8, 65535i16)
def a3 = [1.5, 1e3, 2.5e-1, 0x1.8p1] -- tree: [1.5, 1000.0, 0.25, 3.0]
def a4 = (1f32, 2.5f16, 1e400) -- tree: (1.0f32, 2.5f16, 1e999)
def a5 = ('a', '\'', '\n', '\955') -- tree: ('a', '\'', '\n', 'λ')
def a6 = "a\"b\\\65\&1" -- tree: "a\"b\\A1"
def a7 = (true, false, ???) -- tree: (true, false, ???)
def a8 = 340282366920938463463374607431768211455 -- tree: 340282366920938463463374607431768211455

-- Brackets of all kinds; a comma may trail.
def b1 = () -- tree: ()
def b2 = ((x)) -- tree: x
def b3 = (x, y,) -- tree: (x, y)
def b4 = [x, y,] -- tree: [x, y]
def b5 = [] -- tree: []
def b6 = {} -- tree: {}
def b7 = {x = 1, y, 0 = z,} -- tree: {x = 1, y, 0 = z}
def b8 = m.n.(x + y) -- tree: m.n.(x + y)
def b9 = x[1,] -- tree: (x)[1]

-- Slices.
def c1 = x[i:j, :, k:, :l, ::s, i::s, :j:s, i:j:s] -- tree: (x)[i:j, :, k:, :l, ::s, i::s, :j:s, i:j:s]
def c2 = x[a+b:-c][0] -- tree: ((x)[(a + b):(-c)])[0]
def c3 = (f x)[0] -- tree: (f x)[0]
def c4 = 'a'[0] -- tree: ('a')[0]
def c5 = x[] -- tree: (x)[]

-- Ranges.
def d1 = (0...n, 0..<n, n..>0) -- tree: (0 ... n, 0 ..< n, n ..> 0)
def d2 = (0..2...n, 0..2..<n, n..x..>0) -- tree: (0 .. 2 ... n, 0 .. 2 ..< n, n .. x ..> 0)

-- Sections.
def e1 = (+) -- tree: (+)
def e2 = (-) -- tree: (-)
def e3 = (m.+) -- tree: (m.+)
def e4 = (`f`) -- tree: (`f`)
def e5 = (+ x * y) -- tree: (+ (x * y))
def e6 = (x * y +) -- tree: ((x * y) +)
def e7 = (`m.f` x) -- tree: (`m.f` x)
def e8 = (x `f`) -- tree: (x `f`)
def e9 = (.x) -- tree: (.x)
def f1 = (.x[i].0) -- tree: (.x[i].0)
def f2 = (.[i, j:k].y) -- tree: (.[i, j:k].y)
def f3 = (<| x) -- tree: (<| x)
def f4 = (x |> f <|) -- error: Unexpected

-- Functions.
def g1 = \x (y, _) {z, w = #c} () : *[n]t -> x -- tree: \x (y, _) {z = z, w = #c} () : (*([n]t)) -> x
def g2 = \(x: t) (#[a] y: u) -> x -- tree: \(x: t) (#[a] y: u)  -> x

-- Updates.
def h1 = x with [i] = y -- tree: x with [i] = y
def h2 = x with a.b[i].0 = y -- tree: x with .a.b[i].0 = y
def h3 = x with 0 = y -- tree: x with .0 = y
def h4 = x with [i][j:k] = y -- tree: x with [i][j:k] = y

-- Attributes.
def i1 = #[unroll] f x -- tree: #[unroll] f x
def i2 = #[a(b, 3, c())] x -- tree: #[a(b, 3, c())] x

-- Coercions.
def j1 = x :> [n][m+1]t -- tree: x :> [n]([m + 1]t)
def j2 = (x : t, y :> u) -- tree: (x : t, y :> u)

def f 'a [n] (x: [n]a) y =
  let [k] z : [k]a = x
  let g [m] 'b (u: [m]b) : b = u[0]
  let h v = v
  let x[i] = y
  let x.y[0] = z in
  let (p, q) = z
  let (+) = h
  in x

#[inline] #[noinline]
entry main x = x
