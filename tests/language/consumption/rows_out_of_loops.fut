-- The result of a loop that returns rows of an array aliases the array and must not be used after the array was consumed.
-- ==
-- error: E0401.*:8:7
def main [n] (a: *[n][2]i32) =
  let row = loop row = a[0] for i < n do
              if row[0] < a[i, 0] then a[i] else row
  let a[0, 0] = 5
  in (row, a)
