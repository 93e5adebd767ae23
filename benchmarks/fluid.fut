-- A fluid in a square box: velocities and a density that spread, stay free of divergence and flow with
-- themselves. After Stam, Real-Time Fluid Dynamics for Games (2003), with Jacobi steps, as in Accelerate's example.
-- ==
-- entry: main
-- input { [[0f32, 1f32, 2f32], [1f32, 2f32, 0f32], [0f32, 0f32, 1f32]]
--   [[0f32, 2f32, 1f32], [1f32, 1f32, 0f32], [3f32, 0f32, 1f32]]
--   [[1f32, 0f32, 0f32], [0f32, 5f32, 0f32], [0f32, 0f32, 2f32]] 2 5 0.1f32 0.01f32 0.02f32 }
-- auto output

-- ==
-- entry: hundredth
-- random input { [21][21]f32 [21][21]f32 [21][21]f32 }
-- auto output
-- random input { [50][50]f32 [50][50]f32 [50][50]f32 }
-- auto output
-- "large" notest random input { [1000][1000]f32 [1000][1000]f32 [1000][1000]f32 }

-- What a quantity does at walls: a velocity across a wall turns round there.
type walls = {rows: f32, columns: f32}

def no_velocity : walls = {rows = 1, columns = 1}
def velocity_u : walls = {rows = -1, columns = 1}
def velocity_v : walls = {rows = 1, columns = -1}

-- A grid of values made by `inside`; the cells of its border mirror the nearest cell inside.
def bordered (g: i64) (walls: walls) (inside: i64 -> i64 -> f32) : [g][g]f32 =
  let nearest i = i64.max 1 (i64.min (g - 2) i)
  in tabulate_2d g g (\i j ->
       let (i', j') = (nearest i, nearest j)
       let sign = if i == i'
                  then if j == j' then 1 else walls.columns
                  else if j == j' then walls.rows else 0.5 * (walls.rows + walls.columns)
       in sign * inside i' j')

-- Solves c * x - a * (the neighbours of x) = s by steps of Jacobi's method from 0.
def solve [g] (steps: i32) (walls: walls) (a: f32) (c: f32) (s: [g][g]f32) : [g][g]f32 =
  loop x = replicate g (replicate g 0) for _i < steps do
    bordered g walls (\i j -> (s[i, j] + a * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])) / c)

def diffuse [g] (steps: i32) (time_step: f32) (rate: f32) (walls: walls) (s: [g][g]f32) : [g][g]f32 =
  let a = time_step * rate * f32.i64 (g - 2) * f32.i64 (g - 2)
  in solve steps walls a (1 + 4 * a) s

-- Where the fluid in a cell came from, between four cells.
def advect [g] (time_step: f32) (u: [g][g]f32) (v: [g][g]f32) (walls: walls) (s: [g][g]f32) : [g][g]f32 =
  let inner = f32.i64 (g - 2)
  let into_box x = f32.max 0.5 (f32.min (inner + 0.5) x)
  in bordered g walls (\i j ->
       let x = into_box (f32.i64 i - time_step * inner * u[i, j])
       let y = into_box (f32.i64 j - time_step * inner * v[i, j])
       let (i0, j0) = (i64.f32 x, i64.f32 y)
       let (down, right) = (x - f32.i64 i0, y - f32.i64 j0)
       let along i = (1 - right) * s[i, j0] + right * s[i, j0 + 1]
       in (1 - down) * along i0 + down * along (i0 + 1))

-- Takes from a velocity what diverges.
def project [g] (steps: i32) (u: [g][g]f32) (v: [g][g]f32) : ([g][g]f32, [g][g]f32) =
  let divergence =
    bordered g no_velocity (\i j ->
      -0.5 * (u[i + 1, j] - u[i - 1, j] + v[i, j + 1] - v[i, j - 1]) / f32.i64 g)
  let pressure = solve steps no_velocity 1 4 divergence
  let half = 0.5 * f32.i64 (g - 2)
  in ( bordered g velocity_u (\i j -> u[i, j] - half * (pressure[i + 1, j] - pressure[i - 1, j]))
     , bordered g velocity_v (\i j -> v[i, j] - half * (pressure[i, j + 1] - pressure[i, j - 1]))
     )

type state [g] = ([g][g]f32, [g][g]f32, [g][g]f32)

def step [g] (steps: i32) (time_step: f32) (diffusion: f32) (viscosity: f32) ((u, v, d): state [g]) : state [g] =
  let u1 = diffuse steps time_step viscosity velocity_u u
  let v1 = diffuse steps time_step viscosity velocity_v v
  let (u2, v2) = project steps u1 v1
  let u3 = advect time_step u2 v2 velocity_u u2
  let v3 = advect time_step u2 v2 velocity_v v2
  let (u4, v4) = project steps u3 v3
  in (u4, v4, advect time_step u v no_velocity (diffuse steps time_step diffusion no_velocity d))

entry main [g] (u: [g][g]f32) (v: [g][g]f32) (d: [g][g]f32) (steps: i32) (solver_steps: i32)
               (time_step: f32) (diffusion: f32) (viscosity: f32) : ([g][g]f32, [g][g]f32, [g][g]f32) =
  loop state = (u, v, d) for _i < steps do step solver_steps time_step diffusion viscosity state

-- One step of a hundredth second, for numbers between 0 and 1.
entry hundredth [g] (u: [g][g]f32) (v: [g][g]f32) (d: [g][g]f32) : ([g][g]f32, [g][g]f32, [g][g]f32) =
  main u v d 1 20 0.01 0.0001 0.001
