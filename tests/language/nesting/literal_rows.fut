-- Rows of a few elements, made at once, of elements of every width.
-- ==
-- entry: rows
-- input { [1i32, -2i32] }
-- output {
--   [[1i32, 2i32], [-2i32, -1i32]]
--   [[1i64, 2i64, 2i64], [-2i64, -1i64, -4i64]]
--   [[1i8, 2i8, 2i8, 0i8], [-2i8, -1i8, -4i8, -3i8]]
--   [[1f64, 2f64, 2f64, 0f64, 1f64], [-2f64, -1f64, -4f64, -3f64, 4f64]]
--   [[1i16, 2i16, 2i16, 0i16, 1i16, 7i16], [-2i16, -1i16, -4i16, -3i16, 4i16, 7i16]]
--   [[1i32, 2i32, 2i32, 0i32, 1i32, 7i32, -1i32], [-2i32, -1i32, -4i32, -3i32, 4i32, 7i32, 2i32]]
--   [[1i64, 2i64, 2i64, 0i64, 1i64, 7i64, -1i64, 9i64], [-2i64, -1i64, -4i64, -3i64, 4i64, 7i64, 2i64, 9i64]]
--   [[0u8, 1u8, 0u8, 0u8, 0u8, 0u8, 0u8, 0u8], [0u8, 0u8, 0u8, 0u8, 0u8, 0u8, 1u8, 0u8]]
-- }
-- input { empty([0]i32) } auto output
-- compiled random input { [257]i32 } auto output
entry rows [n] (xs: [n]i32) =
  ( map (\x -> [x, x + 1]) xs
  , map (\x -> let x = i64.i32 x in [x, x + 1, x * 2]) xs
  , map (\x -> let x = i8.i32 x in [x, x + 1, x * 2, x - 1]) xs
  , map (\x -> let x = f64.i32 (i32.i16 (i16.i32 x)) in [x, x + 1, x * 2, x - 1, x * x]) xs
  , map (\x -> let x = i16.i32 x in [x, x + 1, x * 2, x - 1, x * x, 7]) xs
  , map (\x -> [x, x + 1, x * 2, x - 1, x * x, 7, -x]) xs
  , map (\x -> let x = i64.i32 x in [x, x + 1, x * 2, x - 1, x * x, 7, -x, 9]) xs
  , map (\x -> replicate 8 0u8 with [x & 7] = 1u8) xs
  )
