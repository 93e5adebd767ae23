-- A specification of a value that is no function may not hide sizes: nobody could tell them.
-- ==
-- error: E0306.*:4:30
module row : { type~ row val empty : row } = { type~ row = []i32 def empty : [0]i32 = [] }
