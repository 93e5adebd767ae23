-- Flow of a gas: Euler's equations on cells that know their four neighbours and the normals of the faces
-- between, by a finite volume method with three Runge-Kutta stages, as in Rodinia's cfd (euler3d). After
-- Corrigan and others, Running unstructured grid-based CFD solvers on modern graphics hardware (2011).
-- ==
-- entry: wing
-- input { 3i32 12i64 5i64 }
-- auto output
-- input { 1i32 3i64 1i64 }
-- auto output
-- input { 0i32 4i64 3i64 }
-- auto output
-- "97K" notest input { 100i32 512i64 190i64 }
-- "193K" notest input { 100i32 720i64 268i64 }

-- ==
-- entry: main
-- input { 1i32 [1f32, 2f32] [[1, -1], [-2, 0], [5, -1], [-1, -3]]
--   [[[1f32, 0f32], [0f32, -1f32], [-1f32, 0f32], [0f32, 1f32]],
--    [[0f32, 1f32], [1f32, 0f32], [0f32, -1f32], [-1f32, 0f32]],
--    [[0f32, 0.5f32], [0f32, 0f32], [0f32, 0f32], [0f32, -0.5f32]]] }
-- error: .
-- input { 2i32 [1f32, 2f32] [[1, -1], [-2, 0], [1, -1], [-1, -2]]
--   [[[1f32, 0f32], [0f32, -1f32], [-1f32, 0f32], [0f32, 1f32]],
--    [[0f32, 1f32], [1f32, 0f32], [0f32, -1f32], [-1f32, 0f32]],
--    [[0f32, 0.5f32], [0f32, 0f32], [0f32, 0f32], [0f32, -0.5f32]]] }
-- auto output

def gamma : f32 = 1.4
def mach : f32 = 1.2
def smoothing : f32 = 0.2
def stages : i64 = 3

-- What stands in a list of neighbours where there is no cell.
def wall : i32 = -1
def far_field : i32 = -2

type vector = (f32, f32, f32)

def plus ((x1, y1, z1): vector) ((x2, y2, z2): vector) : vector = (x1 + x2, y1 + y2, z1 + z2)
def scale (s: f32) ((x, y, z): vector) : vector = (s * x, s * y, s * z)
def dot ((x1, y1, z1): vector) ((x2, y2, z2): vector) : f32 = x1 * x2 + y1 * y2 + z1 * z2

-- Mass, momentum and energy: of a cell, for each volume, or of what flows through a face.
type state = {density: f32, momentum: vector, energy: f32}

def nothing : state = {density = 0, momentum = (0, 0, 0), energy = 0}

-- a + s * b
def add_scaled (a: state) (s: f32) (b: state) : state =
  { density = a.density + s * b.density
  , momentum = plus a.momentum (scale s b.momentum)
  , energy = a.energy + s * b.energy
  }

def free_stream : state =
  let (density, pressure) = (1.4, 1)
  let speed = mach * f32.sqrt (gamma * pressure / density)
  in { density
     , momentum = (density * speed, 0, 0)
     , energy = density * (0.5 * (speed * speed)) + pressure / (gamma - 1)
     }

def velocity (s: state) : vector = scale (1 / s.density) s.momentum

def pressure (s: state) (speed2: f32) : f32 = (gamma - 1) * (s.energy - 0.5 * s.density * speed2)

-- How fast anything moves in a cell: the gas and sound in it.
def fastest (s: state) : f32 =
  let v = velocity s
  let speed2 = dot v v
  in f32.sqrt speed2 + f32.sqrt (gamma * pressure s speed2 / s.density)

-- What flows through a face with this normal if the gas on it is in state `s`.
def through (normal: vector) (s: state) : state =
  let v = velocity s
  let p = pressure s (dot v v)
  let volume = dot normal v
  in { density = dot normal s.momentum
     , momentum = plus (scale volume s.momentum) (scale p normal)
     , energy = volume * (s.energy + p)
     }

-- What flows through a face between two cells: the mean of both, and a bit of smoothing.
def between (normal: vector) (here: state) (there: state) : state =
  let strength = -0.5 * smoothing * f32.sqrt (dot normal normal) * (fastest here + fastest there)
  let difference = add_scaled here (-1) there
  let mean = add_scaled (through normal here) 1 (through normal there)
  in add_scaled (add_scaled nothing 0.5 mean) strength difference

-- Only pressure acts on a wall.
def at_wall (normal: vector) (here: state) : state =
  let v = velocity here
  in nothing with momentum = scale (pressure here (dot v v)) normal

def flux [n] (cells: [n]state) (here: state) (neighbour: i32) (normal: vector) : state =
  if neighbour == wall
  then at_wall normal here
  else if neighbour == far_field
  then add_scaled nothing 0.5 (add_scaled (through normal here) 1 (through normal free_stream))
  else between normal here cells[neighbour]

-- The states after `iterations` steps, each as long as its cell allows: a quarter, a third, then half of that, as
-- Rodinia does. Normals point inwards and are as long as their faces are large.
def flow [n] (iterations: i32) (areas: [n]f32) (neighbours: [4][n]i32) (normals: [4][n]vector) : [n]state =
  let fluxes (cells: [n]state) i =
    loop sum = nothing for k < 4 do
      add_scaled sum 1 (flux cells cells[i] neighbours[k, i] normals[k, i])
  let step (old: [n]state) : [n]state =
    let lengths = map2 (\area s -> 0.5 / (f32.sqrt area * fastest s)) areas old
    in loop cells = old for stage < stages do
         let part = 1 / f32.i64 (stages + 1 - stage)
         in tabulate n (\i -> add_scaled old[i] (part * lengths[i]) (fluxes cells i))
  in loop cells = replicate n free_stream for _i < iterations do step cells

def to_rows [n] (cells: [n]state) : [5][n]f32 =
  transpose (map (\s -> [s.density, s.momentum.0, s.momentum.1, s.momentum.2, s.energy]) cells)

-- Densities, momenta in three directions, energies.
entry main [n] (iterations: i32) (areas: [n]f32) (neighbours: [4][n]i32) (normals: [3][4][n]f32) : [5][n]f32 =
  to_rows (flow iterations areas neighbours (map3 zip3 normals[0] normals[1] normals[2]))

-- Cells in `rings` around an ellipse, `around` in each ring: the neighbours inwards, outwards and along both ways.
def neighbours_around (around: i64) (rings: i64) (i: i64) : [4]i32 =
  let (ring, place) = (i / around, i % around)
  let at ring place = i32.i64 (ring * around + place)
  in [ if ring == 0 then wall else at (ring - 1) place
     , if ring == rings - 1 then far_field else at (ring + 1) place
     , at ring ((place + around - 1) % around)
     , at ring ((place + 1) % around)
     ]

-- Flow past that ellipse, nine times as long as it is thick; rings grow outwards, and cells are one deep.
entry wing (iterations: i32) (around: i64) (rings: i64) : [5][]f32 =
  let n = around * rings
  let radius ring = 1.02 ** f32.i64 ring
  let angle place = 2 * f32.pi * f32.i64 place / f32.i64 around
  -- Joukowski's map takes circles to ellipses.
  let corner ring place =
    let r = radius ring
    in ((r + 0.8 / r) * f32.cos (angle place), (r - 0.8 / r) * f32.sin (angle place))
  let inner_corner i = corner (i / around) (i % around)
  let next_corner i = corner (i / around) (i % around + 1)
  let outer_corner i = corner (i / around + 1) (i % around)
  let far_corner i = corner (i / around + 1) (i % around + 1)
  -- The inward normal of a face from a to b, with the cell to its left.
  let normal (ax, ay) (bx, by): vector = (ay - by, bx - ax, 0)
  let normals_of i =
    [ normal (next_corner i) (inner_corner i)
    , normal (outer_corner i) (far_corner i)
    , normal (inner_corner i) (outer_corner i)
    , normal (far_corner i) (next_corner i)
    ]
  let area i =
    let ((ax, ay), (bx, by)) = (inner_corner i, far_corner i)
    let ((cx, cy), (dx, dy)) = (outer_corner i, next_corner i)
    in 0.5 * f32.abs ((bx - ax) * (dy - cy) - (dx - cx) * (by - ay))
  in to_rows (flow iterations (tabulate n area)
                   (transpose (tabulate n (neighbours_around around rings)))
                   (transpose (tabulate n normals_of)))
