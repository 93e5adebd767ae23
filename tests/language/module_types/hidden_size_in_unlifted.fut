-- A type that a module type declares without `~` may stand for one with sizes of its own, and counts as it is declared.
-- ==
-- input { [1u8, 2u8] [5i64, 7i64, 9i64] }
-- output { 3i64 2i64 }
module type key = {
  type~ ctx
  type t
  val size : ctx -> i64
}

module type table = {
  type ctx
  type key
  type table [n]
  val make [n] : ctx -> [n]key -> table [n]
  val size [n] : table [n] -> i64
}

module mk_table (K: key) : table with ctx = K.ctx with key = K.t = {
  type~ ctx = K.ctx
  type key = K.t
  type table [n] = {keys: [n]key}
  def make [n] (_: ctx) (keys: [n]key) : table [n] = {keys}
  def size [n] (_: table [n]) = n
}

module mk_set (K: key) = {
  module T = mk_table K
  type ctx = T.ctx
  type set [n] = (T.table [n], i64)
  def make [n] (c: ctx) (keys: [n]K.t) : set [n] = (T.make c keys, K.size c)
}

module words = mk_set {
  type~ ctx = []u8
  type t = i64
  def size (c: ctx) = length c
}

entry main (c: []u8) (keys: []i64) : (i64, i64) =
  let (t, n) = words.make c keys
  in (words.T.size t, n)
