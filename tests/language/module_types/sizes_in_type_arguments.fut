-- A type may hide a size that only an argument of an abstract type has; the values of the abstract type tell it.
-- ==
-- entry: labelled
-- input { [7u8, 8u8] [1, -2, 3] } output { [3, 0, 5] }
-- input { empty([0]u8) [1] } output { [1] }
-- input { [7u8] empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: pairs
-- input { [1, 2, 3] [4.0f32] } output { 3i64 1i64 }
-- input { empty([0]i32) [4.0f32] } output { 0i64 1i64 }

-- A column of values beside any label.
module type table = {
  type table 'label [n] 'v

  val make [n] 'label 'v : label -> [n]v -> table label [n] v
  val label [n] 'label 'v : table label [n] v -> label
  val values [n] 'label 'v : table label [n] v -> [n]v
}

module table : table = {
  type table 'label [n] 'v = { label: label, values: [n]v }

  def make label values = { label, values }
  def label [n] 'label 'v (t: table label [n] v) = t.label
  def values [n] 'label 'v (t: table label [n] v) = t.values
}

type~ text = []u8
type~ named [n] = table.table text [n] i32

def named [l] [n] (name: [l]u8) (values: [n]i32) : named [n] = table.make name values

def longer [n] (t: named [n]) : [n]i32 = map (+ i32.i64 (length (table.label t))) (table.values t)

entry labelled [l] [n] (name: [l]u8) (values: [n]i32) : [n]i32 = longer (named name values)

-- Hidden two levels deep.
type~ nested [n] = table.table (named [n]) [n] (i32, bool)

def sizes [n] (t: nested [n]) : i64 = length (table.values t) + 0 * length (table.label (table.label t))

entry pairs [n] [m] (xs: [n]i32) (ys: [m]f32) =
  let inner = named (map u8.i32 xs) xs
  in (sizes (table.make inner (map (\x -> (x, x > 1)) xs)), length ys)
