-- Here, numbers of sixteen words are nested pairs: every access is a choice, and all calls, inlined at once, would
-- become tens of thousands of statements. Functions are simplified before they are copied.
-- ==
-- entry: products
-- input { [0u32, 1u32, 4294967295u32] }
-- output { [0u32, 8100191u32, 866025u32] }

type two = (u32, u32)
type four = (two, two)
type eight = (four, four)
type sixteen = (eight, eight)

def get2 (i: i64) ((a, b): two) : u32 = if i < 1 then a else b
def get4 (i: i64) ((a, b): four) : u32 = if i < 2 then get2 i a else get2 (i - 2) b
def get8 (i: i64) ((a, b): eight) : u32 = if i < 4 then get4 i a else get4 (i - 4) b
def get16 (i: i64) ((a, b): sixteen) : u32 = if i < 8 then get8 i a else get8 (i - 8) b

def make2 (i: u32) (x: u32) : two = (i * x, (i + 1) * x)
def make4 (i: u32) (x: u32) : four = (make2 i x, make2 (i + 2) x)
def make8 (i: u32) (x: u32) : eight = (make4 i x, make4 (i + 4) x)
def make16 (i: u32) (x: u32) : sixteen = (make8 i x, make8 (i + 8) x)

-- Words `i` and the one before, which only the first lacks.
def step (i: i64) (v: sixteen) (w: sixteen) : u32 =
  get16 i v * get16 (15 - i) w + (if i > 0 then get16 (i - 1) v else 0) * get16 i w

def quarter (i: i64) (v: sixteen) (w: sixteen) : u32 =
  step i v w + step (i + 1) v w + step (i + 2) v w + step (i + 3) v w

def product (v: sixteen) (w: sixteen) : u32 =
  quarter 0 v w + quarter 4 v w + quarter 8 v w + quarter 12 v w

def cube (v: sixteen) (w: sixteen) (x: u32) : u32 =
  product v (make16 (product v v) x) + product (make16 (product v (make16 2 x)) 1) v
  + product w v - product w w

entry products (xs: []u32) : []u32 =
  map (\x ->
    let (a, b, c) = (make16 1 x, make16 3 x, make16 7 x)
    in cube a b x + cube b c x + cube c a x) xs
