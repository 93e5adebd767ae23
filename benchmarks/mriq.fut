-- MRI reconstruction: for every voxel a sum over all samples of the scanner in frequency space.
-- ==
-- entry: main
-- input { [-0.93f32, 0.83f32, -0.01f32, -0.62f32, -0.26f32] [0.03f32, 0.26f32, -0.5f32, 0.38f32, -0.99f32]
--   [-0.07f32, 0.03f32, -0.98f32, -0.6f32, 0.66f32] [-0.69f32, 0.02f32, 0.48f32] [-0.46f32, 0.69f32,
--   -0.82f32] [0.76f32, 0.28f32, 0.08f32] [1.0f32, 0.0f32, 0.5f32, 2.0f32, 1.0f32] [0.0f32, 1.0f32, 0.5f32,
--   1.0f32, -1.0f32] }
-- output { [0.8888072f32, 3.265722f32, -3.720203f32] [-2.824475f32, 3.693003f32, 3.398491f32] }
-- input { empty([0]f32) empty([0]f32) empty([0]f32) [1.0f32, 2.0f32] [1.0f32, 2.0f32] [1.0f32, 2.0f32]
--   empty([0]f32) empty([0]f32) }
-- output { [0.0f32, 0.0f32] [0.0f32, 0.0f32] }
-- input { [1.0f32] [1.0f32] [1.0f32] empty([0]f32) empty([0]f32) empty([0]f32) [1.0f32] [1.0f32] }
-- output { empty([0]f32) empty([0]f32) }
-- random input { [100]f32 [100]f32 [100]f32 [131]f32 [131]f32 [131]f32 [100]f32 [100]f32 }
-- auto output
-- "large" notest random input { [2048]f32 [2048]f32 [2048]f32 [262144]f32 [262144]f32 [262144]f32 [2048]f32 [2048]f32 }

entry main [k] [n] (kxs: [k]f32) (kys: [k]f32) (kzs: [k]f32)
                   (xs: [n]f32) (ys: [n]f32) (zs: [n]f32)
                   (phi_real: [k]f32) (phi_imaginary: [k]f32) : ([n]f32, [n]f32) =
  let magnitudes = map2 (\r i -> r * r + i * i) phi_real phi_imaginary
  let add (a, b) (c, d) = (a + c, b + d)
  let voxel x y z =
    map4 (\kx ky kz magnitude ->
            let angle = 2 * f32.pi * (kx * x + ky * y + kz * z)
            in (magnitude * f32.cos angle, magnitude * f32.sin angle))
         kxs kys kzs magnitudes
    |> reduce add (0, 0)
  in unzip (map3 voxel xs ys zs)
