-- A record has named fields, which may be given in any order.
-- ==
-- input { 1 2.5 }
-- output { 2.5 1 }
type reading = {station: i32, value: f64}

def main (s: i32) (v: f64) =
  let r: reading = {value = v, station = s}
  in (r.value, r.station)
