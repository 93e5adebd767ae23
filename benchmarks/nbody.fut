-- Bodies that pull at one another: every body looks at every other one in each step.
-- ==
-- entry: main
-- input { 3i32 0.5f32 0.25f32 [1.25f32, -2.75f32, -4.95f32, -0.32f32] [3.97f32, -2.0f32, 3.21f32, -1.97f32]
--   [2.76f32, 3.74f32, 2.97f32, -2.22f32] [1.0f32, 2.0f32, 3.0f32, 10.0f32] [-0.49f32, 0.11f32, 0.24f32,
--   -0.68f32] [-0.11f32, 0.99f32, 0.98f32, 0.23f32] [0.01f32, 0.59f32, -0.57f32, -0.91f32] }
-- output { [0.8580727f32, -2.644804f32, -4.703588f32, -0.8946804f32] [3.857939f32, -1.220912f32,
--   3.870826f32, -1.730353f32] [2.750099f32, 4.095029f32, 2.502726f32, -2.757854f32] [1.0f32, 2.0f32,
--   3.0f32, 10.0f32] [-0.5919227f32, 0.1873606f32, 0.5018159f32, -0.9172539f32] [-0.2256532f32,
--   1.130963f32, 0.6794672f32, 0.5052231f32] [-0.06042536f32, 0.2471542f32, -0.7247965f32, -0.3419323f32] }
-- input { 2i32 1.0f32 0.5f32 empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32)
--   empty([0]f32) empty([0]f32) }
-- output { empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32)
--   empty([0]f32) }
-- input { 2i32 1.0f32 0.5f32 [1.0f32] [2.0f32] [3.0f32] [4.0f32] [1.0f32] [0.0f32] [-1.0f32] }
-- output { [2.0f32] [2.0f32] [2.0f32] [4.0f32] [1.0f32] [0.0f32] [-1.0f32] }
-- input { 2 0.1f32 0.01f32
--   [0f32, 1f32, 2f32, 3f32, 4f32] [1f32, 0f32, 1f32, 0f32, 1f32] [0f32, 0f32, 5f32, 5f32, 9f32]
--   [1f32, 1f32, 2f32, 2f32, 3f32] [0f32, 0f32, 0f32, 0f32, 0f32] [0f32, 1f32, 0f32, 1f32, 0f32]
--   [1f32, 0f32, 1f32, 0f32, 1f32] }
-- auto output

-- ==
-- entry: step1
-- random input { f32 f32 [257]f32 [257]f32 [257]f32 [257]f32 [257]f32 [257]f32 [257]f32 }
-- auto output
-- "large" notest random input { f32 f32 [16384]f32 [16384]f32 [16384]f32 [16384]f32 [16384]f32 [16384]f32 [16384]f32 }

type vector = {x: f32, y: f32, z: f32}
type body = {position: vector, mass: f32, velocity: vector}

def zero : vector = {x = 0, y = 0, z = 0}

def add (a: vector) (b: vector) : vector = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}

def subtract (a: vector) (b: vector) : vector = {x = a.x - b.x, y = a.y - b.y, z = a.z - b.z}

def scale (s: f32) (a: vector) : vector = {x = s * a.x, y = s * a.y, z = s * a.z}

def dot (a: vector) (b: vector) : f32 = a.x * b.x + a.y * b.y + a.z * b.z

-- How `other` pulls at `position`; `epsilon` keeps close bodies from flying apart.
def pull (epsilon: f32) (position: vector) (other: body) : vector =
  let r = subtract other.position position
  let distance2 = dot r r + epsilon * epsilon
  let inverse = 1 / f32.sqrt distance2
  in scale (other.mass * inverse * inverse * inverse) r

-- What changes the velocity of `b` is the force on it, not the force divided by its mass: so the
-- simulation is defined whose results this program is compared with.
def force [n] (epsilon: f32) (bodies: [n]body) (b: body) : vector =
  scale b.mass (reduce_comm add zero (map (pull epsilon b.position) bodies))

def step [n] (epsilon: f32) (time_step: f32) (bodies: [n]body) : [n]body =
  map (\(b: body) -> b with position = add b.position (scale time_step b.velocity)
                        with velocity = add b.velocity (scale time_step (force epsilon bodies b)))
      bodies

def body_of (px, py, pz) mass (vx, vy, vz) : body =
  {position = {x = px, y = py, z = pz}, mass, velocity = {x = vx, y = vy, z = vz}}

def of_body (b: body) =
  ((b.position.x, b.position.y, b.position.z), b.mass, (b.velocity.x, b.velocity.y, b.velocity.z))

entry main [n] (steps: i32) (epsilon: f32) (time_step: f32)
               (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (masses: [n]f32)
               (vxs: [n]f32) (vys: [n]f32) (vzs: [n]f32)
             : ([n]f32, [n]f32, [n]f32, [n]f32, [n]f32, [n]f32, [n]f32) =
  let bodies = map3 body_of (zip3 xs ys zs) masses (zip3 vxs vys vzs)
  let moved = loop bodies for _i < steps do step epsilon time_step bodies
  let (positions, masses', velocities) = unzip3 (map of_body moved)
  let (xs', ys', zs') = unzip3 positions
  let (vxs', vys', vzs') = unzip3 velocities
  in (xs', ys', zs', masses', vxs', vys', vzs')

-- One step with everything given in floats, so that random input fits.
entry step1 [n] (epsilon: f32) (time_step: f32)
                (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (masses: [n]f32)
                (vxs: [n]f32) (vys: [n]f32) (vzs: [n]f32)
              : ([n]f32, [n]f32, [n]f32, [n]f32, [n]f32, [n]f32, [n]f32) =
  main 1 epsilon time_step xs ys zs masses vxs vys vzs
