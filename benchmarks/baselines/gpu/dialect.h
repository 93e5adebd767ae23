// One text for two languages: CUDA C, and OpenCL C so that the kernels can be tested where no GPU is.
#ifdef __OPENCL_VERSION__
#define KERNEL(size) __attribute__((reqd_work_group_size(size, 1, 1))) kernel void
#define GLOBAL global
#define LOCAL local
#define DEVICE
#define RESTRICT restrict
#define BLOCK ((int)get_group_id(0))
#define ITEM ((int)get_local_id(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define SQRT sqrt
#define EXP exp
#define LOG log
#define ABS fabs
#define FMA fma
typedef float4 FOUR;
#else
#define KERNEL(size) extern "C" __global__ void __launch_bounds__(size)
#define GLOBAL
#define LOCAL __shared__
#define DEVICE static __device__
#define RESTRICT __restrict__
#define BLOCK ((int)blockIdx.x)
#define ITEM ((int)threadIdx.x)
#define BARRIER __syncthreads()
#define SQRT sqrtf
#define EXP expf
#define LOG logf
#define ABS fabsf
#define FMA fmaf
struct alignas(16) FOUR {
  float x, y, z, w;
};
#endif
#define MIN(a, b) ((a) < (b) ? (a) : (b))
