-- Where nothing says how long the rows of an empty array are, it is an error.
-- ==
-- error: E0303.*:5:13
def main =
  let xss = [] : [][]i32
  in length xss
