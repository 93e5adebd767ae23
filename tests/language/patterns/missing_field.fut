-- A record pattern must name every field of the record.
-- ==
-- error: E0201.*:5:13
def main (r: {a: i32, b: i32}) =
  let {a} = r
  in a
