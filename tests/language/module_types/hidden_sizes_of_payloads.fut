-- Sum types and records may hide sizes, too.
-- ==
-- input { 3i32 }
-- output { 4i64 }
-- input { 0i32 }
-- output { 1i64 }
module rows : { type~ t val one : () -> t val push : i32 -> t -> t val size : t -> i64 } = {
  type~ t = ?[a][b].{xs: [a]i32, f: #some ([b]bool) | #none, g: bool}
  def one () : t = {xs = [0], f = #none, g = true}
  def push x (t: t) : t = {xs = t.xs ++ [x], f = #some (map (> 0) t.xs), g = false}
  def size (t: t) = length t.xs }
type~ option '~a = #none | #some a
def last (n: i32) : option rows.t =
  if n < 0 then #none else #some (loop t = rows.one () for i < n do rows.push i t)
def main (n: i32) = match last n case #none -> -1 case #some t -> rows.size t
