-- An unlifted type parameter, such as that of `copy`, cannot stand for a type that hides sizes.
-- ==
-- error: E0216.*:6:14
module row : { type~ row val of : i64 -> row } = { type~ row = []i32 def of n = replicate n 1i32 }

def main n = copy (row.of n)
