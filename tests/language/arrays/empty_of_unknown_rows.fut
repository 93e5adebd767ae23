-- An empty array is an error if its row size cannot be determined.
-- ==
-- error: E0303.*:5:13
def main =
  let xss = [] : [][]i32
  in length xss
