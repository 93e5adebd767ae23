//! CUDA C: the head of every text, which defines what the printer's text presupposes and CUDA names differently.
//!
//! The printer uses the names of OpenCL C for types and built-in functions; one line each maps them to CUDA's. NVRTC compiles the
//! head without any header. `long` has 64 bits, as everywhere except on Windows.

/// The head of a text.
pub(super) const PROLOGUE: &str = "\
#define NAN __int_as_float(0x7fc00000)
#define INFINITY __int_as_float(0x7f800000)
#define FUNCTION static __device__ __forceinline__

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long long word64;

template <typename T, int N> struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Several { T at[N]; };

FUNCTION int as_int(float x) { return __float_as_int(x); }
FUNCTION float as_float(int x) { return __int_as_float(x); }
FUNCTION long as_long(double x) { return __double_as_longlong(x); }
FUNCTION double as_double(long x) { return __longlong_as_double(x); }

FUNCTION int mul_hi(int x, int y) { return __mulhi(x, y); }
FUNCTION uint mul_hi(uint x, uint y) { return __umulhi(x, y); }
FUNCTION long mul_hi(long x, long y) { return __mul64hi(x, y); }
FUNCTION ulong mul_hi(ulong x, ulong y) { return __umul64hi(x, y); }
FUNCTION int popcount(uchar x) { return __popc(x); }
FUNCTION int popcount(ushort x) { return __popc(x); }
FUNCTION int popcount(uint x) { return __popc(x); }
FUNCTION int popcount(ulong x) { return __popcll(x); }
FUNCTION int clz(uchar x) { return __clz(x) - 24; }
FUNCTION int clz(ushort x) { return __clz(x) - 16; }
FUNCTION int clz(uint x) { return __clz(x); }
FUNCTION int clz(ulong x) { return __clzll(x); }

FUNCTION float tanpi(float x) { return sinpif(x) / cospif(x); }
FUNCTION double tanpi(double x) { return sinpi(x) / cospi(x); }
FUNCTION float asinpi(float x) { return asinf(x) * 0.318309886f; }
FUNCTION double asinpi(double x) { return asin(x) * 0.31830988618379067; }
FUNCTION float acospi(float x) { return acosf(x) * 0.318309886f; }
FUNCTION double acospi(double x) { return acos(x) * 0.31830988618379067; }
FUNCTION float atanpi(float x) { return atanf(x) * 0.318309886f; }
FUNCTION double atanpi(double x) { return atan(x) * 0.31830988618379067; }
FUNCTION float atan2pi(float x, float y) { return atan2f(x, y) * 0.318309886f; }
FUNCTION double atan2pi(double x, double y) { return atan2(x, y) * 0.31830988618379067; }

FUNCTION uint atomic_add(volatile uint *p, uint x) { return atomicAdd((uint *)p, x); }
FUNCTION int atomic_add(volatile int *p, int x) { return atomicAdd((int *)p, x); }
FUNCTION int atomic_sub(volatile int *p, int x) { return atomicSub((int *)p, x); }
FUNCTION int atomic_and(volatile int *p, int x) { return atomicAnd((int *)p, x); }
FUNCTION int atomic_or(volatile int *p, int x) { return atomicOr((int *)p, x); }
FUNCTION uint atomic_or(volatile uint *p, uint x) { return atomicOr((uint *)p, x); }
FUNCTION int atomic_xor(volatile int *p, int x) { return atomicXor((int *)p, x); }
FUNCTION int atomic_min(volatile int *p, int x) { return atomicMin((int *)p, x); }
FUNCTION uint atomic_min(volatile uint *p, uint x) { return atomicMin((uint *)p, x); }
FUNCTION int atomic_max(volatile int *p, int x) { return atomicMax((int *)p, x); }
FUNCTION uint atomic_max(volatile uint *p, uint x) { return atomicMax((uint *)p, x); }
FUNCTION int atomic_xchg(volatile int *p, int x) { return atomicExch((int *)p, x); }
FUNCTION uint atomic_xchg(volatile uint *p, uint x) { return atomicExch((uint *)p, x); }
FUNCTION int atomic_cmpxchg(volatile int *p, int x, int y) { return atomicCAS((int *)p, x, y); }
FUNCTION uint atomic_cmpxchg(volatile uint *p, uint x, uint y) { return atomicCAS((uint *)p, x, y); }
FUNCTION long atom_add(volatile long *p, long x) { return atomicAdd((word64 *)p, (word64)x); }
FUNCTION long atom_sub(volatile long *p, long x) { return atomicAdd((word64 *)p, 0 - (word64)x); }
FUNCTION long atom_and(volatile long *p, long x) { return atomicAnd((word64 *)p, (word64)x); }
FUNCTION long atom_or(volatile long *p, long x) { return atomicOr((word64 *)p, (word64)x); }
FUNCTION long atom_xor(volatile long *p, long x) { return atomicXor((word64 *)p, (word64)x); }
FUNCTION long atom_min(volatile long *p, long x) { return atomicMin((long long *)p, (long long)x); }
FUNCTION ulong atom_min(volatile ulong *p, ulong x) { return atomicMin((word64 *)p, (word64)x); }
FUNCTION long atom_max(volatile long *p, long x) { return atomicMax((long long *)p, (long long)x); }
FUNCTION ulong atom_max(volatile ulong *p, ulong x) { return atomicMax((word64 *)p, (word64)x); }
FUNCTION long atom_xchg(volatile long *p, long x) { return atomicExch((word64 *)p, (word64)x); }
FUNCTION long atom_cmpxchg(volatile long *p, long x, long y) {
    return atomicCAS((word64 *)p, (word64)x, (word64)y);
}

FUNCTION float atomic_add(volatile float *p, float x) { return atomicAdd((float *)p, x); }
FUNCTION double atom_add(volatile double *p, double x) {
#if __CUDA_ARCH__ >= 600
    return atomicAdd((double *)p, x);
#else
    for (;;) {
        const double old = *p;
        const long bits = as_long(old);
        if (atom_cmpxchg((volatile long *)p, bits, as_long(old + x)) == bits) {
            return old;
        }
    }
#endif
}
";
