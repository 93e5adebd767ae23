-- | Combinators of functions.

-- | The function after the argument.
def (|>) '^a '^b (x: a) (f: a -> b) : b = f x

-- | The function before the argument.
def (<|) '^a '^b (f: a -> b) (x: a) : b = f x

-- | First the left function, then the right one.
def (>->) '^a '^b '^c (f: a -> b) (g: b -> c) (x: a) : c = g (f x)

-- | First the right function, then the left one.
def (<-<) '^a '^b '^c (g: b -> c) (f: a -> b) (x: a) : c = g (f x)

-- | The function with its first two arguments exchanged.
def flip '^a '^b '^c (f: a -> b -> c) (b: b) (a: a) : c = f a b

-- | From a function of a pair to one of two arguments.
def curry '^a '^b '^c (f: (a, b) -> c) (a: a) (b: b) : c = f (a, b)

-- | From a function of two arguments to one of a pair.
def uncurry '^a '^b '^c (f: a -> b -> c) (a: a, b: b) : c = f a b

-- | The function that always gives its first argument.
def const '^a '^b (x: a) (_: b) : a = x

-- | The function that gives its argument.
def id '^a (x: a) : a = x

-- | The function, n times.
def iterate 'a (n: i32) (f: a -> a) (x: a) : a = loop y = x for _i < n do f y

-- | The function, until the predicate holds.
def iterate_until 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop y = x while intrinsics.not_bool (p y) do f y

-- | The function, while the predicate holds.
def iterate_while 'a (p: a -> bool) (f: a -> a) (x: a) : a = loop y = x while p y do f y
