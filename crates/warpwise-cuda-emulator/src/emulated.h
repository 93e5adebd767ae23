// What CUDA C means in C++ on a processor.  A kernel's text follows.
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <utility>

#define __CUDA_ARCH__ 900

struct Index { unsigned x, y, z; };
struct Item { Index thread, block, threads, blocks; };
struct Emulator {
    const Item *(*item)();
    void (*barrier)(int line);
    void *(*shared)();
};

static const Emulator *emulator;
extern "C" void emulator_start(const Emulator *self) { emulator = self; }

#define threadIdx (emulator->item()->thread)
#define blockIdx (emulator->item()->block)
#define blockDim (emulator->item()->threads)
#define gridDim (emulator->item()->blocks)
#define __syncthreads() emulator->barrier(__LINE__)
#define __threadfence() __atomic_thread_fence(__ATOMIC_SEQ_CST)

#define __global__
#define __device__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(size)
// A block runs on one thread of the processor.
#define __shared__ static thread_local

// Calls a kernel with arguments as the driver gets them.
template <class... P, size_t... I>
static void emulated_call(void (*kernel)(P...), void **arguments, std::index_sequence<I...>) {
    kernel(*(P *)arguments[I]...);
}
template <class... P>
static void emulated_call(void (*kernel)(P...), void **arguments) {
    emulated_call(kernel, arguments, std::index_sequence_for<P...>());
}

template <class To, class From>
static inline To emulated_bits(From x) {
    static_assert(sizeof(To) == sizeof(From), "as many bits");
    To to;
    memcpy(&to, &x, sizeof to);
    return to;
}
static inline int __float_as_int(float x) { return emulated_bits<int>(x); }
static inline float __int_as_float(int x) { return emulated_bits<float>(x); }
static inline long __double_as_longlong(double x) { return emulated_bits<long>(x); }
static inline double __longlong_as_double(long x) { return emulated_bits<double>(x); }

static inline int __mulhi(int x, int y) { return (int)((long)x * y >> 32); }
static inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long)x * y >> 32); }
static inline long __mul64hi(long x, long y) { return (long)((__int128)x * y >> 64); }
static inline unsigned long __umul64hi(unsigned long x, unsigned long y) {
    return (unsigned long)((unsigned __int128)x * y >> 64);
}
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long x) { return __builtin_popcountl(x); }
static inline int __clz(unsigned x) { return x ? __builtin_clz(x) : 32; }
static inline int __clzll(unsigned long x) { return x ? __builtin_clzl(x) : 64; }

// Multiples of pi, exact where the result is.
static inline double sinpi(double x) {
    double rest = fmod(x, 2.0), quarter = rint(2 * rest), angle = (rest - quarter / 2) * M_PI;
    switch ((int)quarter & 3) {
    case 0: return rest == 0 ? copysign(0.0, x) : sin(angle);
    case 1: return cos(angle);
    case 2: return angle == 0 ? copysign(0.0, x) : -sin(angle);
    default: return -cos(angle);
    }
}
static inline double cospi(double x) { return sinpi(0.5 + fmod(fabs(x), 2.0)); }
static inline float sinpif(float x) { return (float)sinpi((double)x); }
static inline float cospif(float x) { return (float)cospi((double)x); }
static inline float sinpi(float x) { return sinpif(x); }
static inline float cospi(float x) { return cospif(x); }
static inline float exp10(float x) { return exp10f(x); }
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline float rsqrt(float x) { return (float)(1 / sqrt((double)x)); }

// The instructions of PTX that texts name.
static inline float ptx_cvt_f32_f16(unsigned short bits) { return (float)emulated_bits<_Float16>(bits); }
static inline unsigned short ptx_cvt_rn_f16_f32(float x) { return emulated_bits<unsigned short>((_Float16)x); }

#define ATOMIC(NAME, NEW)                                                                     \
    template <class T>                                                                        \
    static inline T NAME(T *p, T x) {                                                         \
        T old, wanted;                                                                        \
        __atomic_load(p, &old, __ATOMIC_RELAXED);                                             \
        do {                                                                                  \
            wanted = NEW;                                                                     \
        } while (!__atomic_compare_exchange(p, &old, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); \
        return old;                                                                           \
    }
ATOMIC(atomicAdd, old + x)
ATOMIC(atomicSub, old - x)
ATOMIC(atomicAnd, old & x)
ATOMIC(atomicOr, old | x)
ATOMIC(atomicXor, old ^ x)
ATOMIC(atomicMin, x < old ? x : old)
ATOMIC(atomicMax, x > old ? x : old)
ATOMIC(atomicExch, x)
#undef ATOMIC
template <class T>
static inline T atomicCAS(T *p, T old, T wanted) {
    __atomic_compare_exchange(p, &old, &wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return old;
}
