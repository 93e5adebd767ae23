-- Types, in ascriptions.

def a1 = x : t -- tree: x : t
def a2 = x : m.n.t -- tree: x : m.n.t
def a3 = x : () -- tree: x : ()
def a4 = x : (a, b,) -- tree: x : (a, b)
def a5 = x : {a: t, 0: u,} -- tree: x : {a: t, 0: u}
def a6 = x : [n][]t -- tree: x : [n]([]t)
def a7 = x : *[n]t -- tree: x : *([n]t)
def a8 = x : a -> b -> c -- tree: x : a -> b -> c
def a9 = x : (a -> b) -> c -- tree: x : (a -> b) -> c
def b1 = x : (n: i64) -> [n]t -- tree: x : (n: i64) -> [n]t
def b2 = x : ?[n][m].[n][m]t -- tree: x : ?[n][m].[n]([m]t)
def b3 = x : a -> ?[n].[n]t -- tree: x : a -> ?[n].[n]t
def b4 = x : t [n] a -- tree: x : (t [n]) a
def b5 = x : [n]t a -- tree: x : [n](t a)
def b6 = x : t[n] (a, b) -- tree: x : (t [n]) (a, b)
def b7 = x : #a | #b t u | #c -- tree: x : #a | #b t u | #c
def b8 = x : #foo [n]i32 i32 -- tree: x : #foo ([n](i32 i32))
def b9 = x : #a [n]#b | #c -- tree: x : #a ([n](#b | #c))
def c1 = x : [n + 1](t -> u) -- tree: x : [n + 1](t -> u)
def c2 = \x : [n]t -> x -- tree: \x : ([n]t) -> x

type a = i32
type~ b [n] 'c = []c
type^ c '~a '^b = a -> b
type d = #x i32
  | #y
