-- How the heat of a chip spreads: one small step of time after another on a grid of cells.
-- ==
-- entry: compute_tran_temp
-- input { 20i32 [[338.1f32, 331.4f32, 322.9f32, 323.8f32, 338.6f32], [331.0f32, 323.6f32, 337.7f32,
--   332.8f32, 331.4f32], [327.5f32, 328.2f32, 324.8f32, 320.8f32, 337.5f32], [329.4f32, 331.0f32, 326.4f32,
--   335.0f32, 320.5f32]] [[0.00037f32, 3e-05f32, 0.00012f32, 0.00097f32, 0.00066f32], [0.00043f32,
--   0.00052f32, 0.00087f32, 0.00034f32, 0.00059f32], [0.00068f32, 0.00036f32, 0.00052f32, 0.00077f32,
--   0.00091f32], [0.00015f32, 0.00093f32, 1e-05f32, 0.00075f32, 0.00081f32]] }
-- output { [[337.7554f32, 331.0646f32, 322.5775f32, 323.4764f32, 338.2542f32], [330.6652f32, 323.2773f32,
--   337.3542f32, 332.4625f32, 331.0656f32], [327.1705f32, 327.869f32, 324.4744f32, 320.4816f32,
--   337.1548f32], [329.0677f32, 330.665f32, 326.0724f32, 334.6581f32, 320.1812f32]] }
-- input { 0i32 [[338.1f32, 331.4f32, 322.9f32, 323.8f32, 338.6f32], [331.0f32, 323.6f32, 337.7f32,
--   332.8f32, 331.4f32], [327.5f32, 328.2f32, 324.8f32, 320.8f32, 337.5f32], [329.4f32, 331.0f32, 326.4f32,
--   335.0f32, 320.5f32]] [[0.00037f32, 3e-05f32, 0.00012f32, 0.00097f32, 0.00066f32], [0.00043f32,
--   0.00052f32, 0.00087f32, 0.00034f32, 0.00059f32], [0.00068f32, 0.00036f32, 0.00052f32, 0.00077f32,
--   0.00091f32], [0.00015f32, 0.00093f32, 1e-05f32, 0.00075f32, 0.00081f32]] }
-- output { [[338.1f32, 331.4f32, 322.9f32, 323.8f32, 338.6f32], [331.0f32, 323.6f32, 337.7f32, 332.8f32,
--   331.4f32], [327.5f32, 328.2f32, 324.8f32, 320.8f32, 337.5f32], [329.4f32, 331.0f32, 326.4f32, 335.0f32,
--   320.5f32]] }
-- input { 3i32 [[338.1f32]] [[0.00037f32]] }
-- output { [[338.0484f32]] }
-- input { 3i32 empty([0][2]f32) empty([0][2]f32) }
-- output { empty([0][2]f32) }

-- ==
-- entry: warm
-- random input { [33][70]f32 }
-- auto output
-- "large" notest random input { [1024][1024]f32 }

-- The chip: sizes in metres, temperatures in kelvin.
def max_power_density : f32 = 3.0e6
def precision : f32 = 0.001
def specific_heat : f32 = 1.75e6
def conductivity : f32 = 100
def capacity_factor : f32 = 0.5
def thickness : f32 = 0.0005
def height : f32 = 0.016
def width : f32 = 0.016
def ambient : f32 = 80

-- Beyond the border it is as warm as at the border: nothing flows out there.
entry compute_tran_temp [r] [c] (iterations: i32) (temp: [r][c]f32) (power: [r][c]f32) : [r][c]f32 =
  let cell_height = height / f32.i64 r
  let cell_width = width / f32.i64 c
  let capacity = capacity_factor * specific_heat * thickness * cell_width * cell_height
  let gain_x = 2 * conductivity * thickness * cell_height / cell_width
  let gain_y = 2 * conductivity * thickness * cell_width / cell_height
  let gain_z = conductivity * cell_height * cell_width / thickness
  let max_slope = max_power_density / (capacity_factor * thickness * specific_heat)
  let rate = precision / max_slope / capacity
  let next (temp: [r][c]f32) i j =
    let here = temp[i, j]
    let north = temp[i64.max 0 (i - 1), j]
    let south = temp[i64.min (r - 1) (i + 1), j]
    let west = temp[i, i64.max 0 (j - 1)]
    let east = temp[i, i64.min (c - 1) (j + 1)]
    in here + rate * (power[i, j]
                      + (east + west - 2 * here) * gain_x
                      + (south + north - 2 * here) * gain_y
                      + (ambient - here) * gain_z)
  in loop temp for _i < iterations do tabulate_2d r c (next temp)

-- A chip without power whose cells start between 320 and 330 kelvin, for numbers between 0 and 1.
entry warm [r] [c] (numbers: [r][c]f32) : [r][c]f32 =
  compute_tran_temp 100 (map (map (\x -> 320 + 10 * x)) numbers) (replicate r (replicate c 0))
