-- | Second-order array combinators: the operations that run in parallel.
--
-- Operators given to reductions, scans and histograms must be associative, with the neutral element given.

import "zip"

-- | The function on every element.
def map 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x = intrinsics.map f as

-- | As `map`.
def map1 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x = map f as

-- | The function on corresponding elements of two arrays.
def map2 'a 'b [n] 'x (f: a -> b -> x) (as: [n]a) (bs: [n]b) : *[n]x =
  map (\(a, b) -> f a b) (zip2 as bs)

-- | The function on corresponding elements of three arrays.
def map3 'a 'b 'c [n] 'x (f: a -> b -> c -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n]x =
  map (\(a, b, c) -> f a b c) (zip3 as bs cs)

-- | The function on corresponding elements of four arrays.
def map4 'a 'b 'c 'd [n] 'x (f: a -> b -> c -> d -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n]x =
  map (\(a, b, c, d) -> f a b c d) (zip4 as bs cs ds)

-- | The function on corresponding elements of five arrays.
def map5 'a 'b 'c 'd 'e [n] 'x (f: a -> b -> c -> d -> e -> x)
         (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e) : *[n]x =
  map (\(a, b, c, d, e) -> f a b c d e) (zip5 as bs cs ds es)

-- | All elements combined, in order.
def reduce [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a = intrinsics.reduce op ne as

-- | All elements combined, in any order.
def reduce_comm [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a = intrinsics.reduce_comm op ne as

-- | For each of k bins, the elements with its index combined. Elements with an index outside are left out.
def hist 'a [n] (op: a -> a -> a) (ne: a) (k: i64) (is: [n]i64) (as: [n]a) : *[k]a =
  intrinsics.hist_1d (intrinsics.replicate k ne) op ne is as

-- | Elements combined into those of a destination. An index outside is ignored.
def reduce_by_index 'a [k] [n] (dest: *[k]a) (f: a -> a -> a) (ne: a) (is: [n]i64) (as: [n]a) : *[k]a =
  intrinsics.hist_1d dest f ne is as

-- | `reduce_by_index` on two dimensions.
def reduce_by_index_2d 'a [k] [n] [m] (dest: *[k][m]a) (f: a -> a -> a) (ne: a)
                       (is: [n](i64, i64)) (as: [n]a) : *[k][m]a =
  intrinsics.hist_2d dest f ne is as

-- | `reduce_by_index` on three dimensions.
def reduce_by_index_3d 'a [k] [n] [m] [l] (dest: *[k][m][l]a) (f: a -> a -> a) (ne: a)
                       (is: [n](i64, i64, i64)) (as: [n]a) : *[k][m][l]a =
  intrinsics.hist_3d dest f ne is as

-- | For each element, it and all before it combined.
def scan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a = intrinsics.scan op ne as

-- | For each element, all before it combined.
def exscan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a = intrinsics.exscan op ne as

-- | Whether the predicate holds for all elements.
def all [n] 'a (f: a -> bool) (as: [n]a) : bool = reduce_comm intrinsics.and_bool true (map f as)

-- | Whether the predicate holds for some element.
def any [n] 'a (f: a -> bool) (as: [n]a) : bool = reduce_comm intrinsics.or_bool false (map f as)

-- | The values at their indices in an array of k elements that are x otherwise.
def spread 't [n] (k: i64) (x: t) (is: [n]i64) (vs: [n]t) : *[k]t =
  intrinsics.scatter (intrinsics.replicate k x) is vs

-- | The values written at their indices. An index outside is ignored.
def scatter 't [k] [n] (dest: *[k]t) (is: [n]i64) (vs: [n]t) : *[k]t = intrinsics.scatter dest is vs

-- | `scatter` on two dimensions.
def scatter_2d 't [k] [n] [l] (dest: *[k][n]t) (is: [l](i64, i64)) (vs: [l]t) : *[k][n]t =
  intrinsics.scatter_2d dest is vs

-- | `scatter` on three dimensions.
def scatter_3d 't [k] [n] [o] [l] (dest: *[k][n][o]t) (is: [l](i64, i64, i64)) (vs: [l]t) : *[k][n][o]t =
  intrinsics.scatter_3d dest is vs

-- | The elements that satisfy the predicate.
def filter [n] 'a (p: a -> bool) (as: [n]a) : *[]a = intrinsics.filter p as

-- | The elements that satisfy the predicate, and the rest.
def partition [n] 'a (p: a -> bool) (as: [n]a) : ?[k].([k]a, [n - k]a) = intrinsics.partition p as

-- | The elements that satisfy the first predicate, of the others those that satisfy the second, and the rest.
def partition2 [n] 'a (p1: a -> bool) (p2: a -> bool) (as: [n]a) : ?[k][l].([k]a, [l]a, [n - k - l]a) =
  intrinsics.partition2 p1 p2 as

-- | An array for each element, all of them one after the other: the size of each, whether an element is the first of
-- its array, the offset of each, the elements, and the second results.
def flatmap [n] 'a 'b 'c (f: a -> ?[k].([k]b, c)) (as: [n]a)
            : ?[m].([n]i64, [m]bool, [n]i64, [m]b, [n]c) =
  intrinsics.flatmap f as

-- | `flatmap` without second results.
def flatmap' [n] 'a 'b (f: a -> ?[k].[k]b) (as: [n]a) : ?[m].([n]i64, [m]bool, [n]i64, [m]b) =
  let (sizes, firsts, offsets, elements, _) = intrinsics.flatmap (\a -> (f a, ())) as
  in (sizes, firsts, offsets, elements)

-- | The function on chunks of the array, whose sizes the compiler chooses: it is given the size of a chunk and the chunk,
-- and the result must not depend on where chunks begin. Chunks are worked on in parallel.
def stream_map 'a 'b [n] (f: (c: i64) -> [c]a -> [c]b) (as: [n]a) : *[n]b = intrinsics.stream_map f as

-- | As `stream_map`, and the function also makes a value of each chunk, beginning with the neutral element. The operator
-- combines these in order. A function that makes no array yields `rep ()` for it.
def stream_red 'a 'b 'acc [n] (op: acc -> acc -> acc) (f: (c: i64) -> *acc -> [c]a -> (acc, [c]b))
               (ne: acc) (as: [n]a) : (*acc, *[n]b) =
  intrinsics.stream_red op f ne as

-- | The function on chunks of the array one after the other, whose sizes the compiler chooses: it is given the size of
-- a chunk, the value that the chunk before made (at first the one given) and the chunk. The result must not depend on
-- where chunks begin.
def stream_seq 'a 'b 'acc [n] (f: (c: i64) -> *acc -> [c]a -> (acc, [c]b)) (ne: acc) (as: [n]a) : (*acc, *[n]b) =
  intrinsics.stream_seq f ne as
