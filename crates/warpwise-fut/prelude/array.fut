-- | Arrays as a whole: their parts, their order, their dimensions.

import "soacs"
import "functional"
open import "zip"

-- | The number of elements.
def length [n] 't (_: [n]t) : i64 = n

-- | Whether there are no elements.
def null [n] 't (_: [n]t) : bool = n == 0

-- | The first element.
def head [n] 't (x: [n]t) : t = x[0]

-- | The last element.
def last [n] 't (x: [n]t) : t = x[n - 1]

-- | All but the first element.
def tail [n] 't (x: [n]t) : [n - 1]t = x[1:]

-- | All but the last element.
def init [n] 't (x: [n]t) : [n - 1]t = x[0:n - 1]

-- | The first i elements.
def take [n] 't (i: i64) (x: [n]t) : [i]t = x[0:i]

-- | All but the first i elements.
def drop [n] 't (i: i64) (x: [n]t) : [n - i]t = x[i:]

-- | The array, whose size must be n.
def sized [m] 't (n: i64) (xs: [m]t) : [n]t = xs :> [n]t

-- | The array in two parts.
def split [n] [m] 't (xs: [n + m]t) : ([n]t, [m]t) = (xs[0:n], xs[n:n + m] :> [m]t)

-- | The elements from last to first.
def reverse [n] 't (x: [n]t) : [n]t = x[::-1]

-- | The elements of one array, then those of another.
def (++) [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

-- | As `++`.
def concat [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

-- | The numbers from 0 to below n.
def iota (n: i64) : *[n]i64 = 0..1..<n

-- | The indices of an array.
def indices [n] 't (_: [n]t) : *[n]i64 = iota n

-- | The elements moved by r places to the left; those that fall out come in again at the end.
def rotate [n] 't (r: i64) (a: [n]t) : *[n]t =
  let shift = if n == 0 then 0 else r % n
  in map (\i ->
            #[unsafe]
            let j = i + shift
            in a[if j < n then j else j - n])
         (iota n)

-- | An array of n times the same element.
def replicate 't (n: i64) (x: t) : *[n]t = intrinsics.replicate n x

-- | An array of the same element, of the size expected.
def rep 't [n] (x: t) : *[n]t = intrinsics.replicate n x

-- | A value that shares no memory with the argument.
def copy 't (a: t) : *t = intrinsics.copy a

-- | As `copy`, and elements lie in memory in their order.
def manifest 't (a: t) : *t = intrinsics.manifest a

-- | The outer two dimensions as one.
def flatten [n] [m] 't (xs: [n][m]t) : [n * m]t = intrinsics.flatten xs

-- | The outer three dimensions as one.
def flatten_3d [n] [m] [l] 't (xs: [n][m][l]t) : [n * m * l]t = flatten (flatten xs)

-- | The outer four dimensions as one.
def flatten_4d [n] [m] [l] [k] 't (xs: [n][m][l][k]t) : [n * m * l * k]t = flatten (flatten_3d xs)

-- | The outer dimension as two.
def unflatten 't [n] [m] (xs: [n * m]t) : [n][m]t = intrinsics.unflatten n m xs

-- | The outer dimension as three.
def unflatten_3d 't [n] [m] [l] (xs: [n * m * l]t) : [n][m][l]t = unflatten (unflatten xs)

-- | The outer dimension as four.
def unflatten_4d 't [n] [m] [l] [k] (xs: [n * m * l * k]t) : [n][m][l][k]t =
  unflatten (unflatten_3d xs)

-- | Rows as columns.
def transpose [n] [m] 't (a: [n][m]t) : [m][n]t = intrinsics.transpose a

-- | Whether all elements are true.
def and [n] (xs: [n]bool) : bool = all id xs

-- | Whether some element is true.
def or [n] (xs: [n]bool) : bool = any id xs

-- | The elements folded one after the other, from the first on.
def foldl [n] 'a 'b (f: a -> b -> a) (acc: a) (bs: [n]b) : a = loop a = acc for b in bs do f a b

-- | The elements folded one after the other, from the last on.
def foldr [n] 'a 'b (f: b -> a -> a) (acc: a) (bs: [n]b) : a = foldl (flip f) acc (reverse bs)

-- | The function on the numbers from 0 to below n.
def tabulate 'a (n: i64) (f: i64 -> a) : *[n]a = map f (iota n)

-- | The function on all pairs of indices.
def tabulate_2d 'a (n: i64) (m: i64) (f: i64 -> i64 -> a) : *[n][m]a =
  map (\i -> map (\j -> f i j) (iota m)) (iota n)

-- | The function on all triples of indices.
def tabulate_3d 'a (n: i64) (m: i64) (o: i64) (f: i64 -> i64 -> i64 -> a) : *[n][m][o]a =
  map (\i -> map (\j -> map (\k -> f i j k) (iota o)) (iota m)) (iota n)
