-- A specified value that is not a function may not hide sizes, because nothing could determine them.
-- ==
-- error: E0306.*:4:30
module row : { type~ row val empty : row } = { type~ row = []i32 def empty : [0]i32 = [] }
