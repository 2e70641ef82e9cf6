// Included before every codelet: the instructions of the machine that C++ calls by name. Functions named __builtin_ipu_* are
// defined in tilescope_runtime.inc, so that the cycle-counting code sees each as a call.
#pragma once

// Vectors of 16 bytes have an alignment of 8 (the data layout of the public LLVM fork: v128:64).
#define __IPU_VECTOR__(element, count)                                                                                           \
  __attribute__((ext_vector_type(count), aligned(sizeof(element) * (count) < 8 ? sizeof(element) * (count) : 8)))
#define __IPU_TYPE__(element, name, count) typedef element name##count __IPU_VECTOR__(element, count)
typedef __fp16 __ipu_half;
__IPU_TYPE__(__ipu_half, __ipu_half, 2);
__IPU_TYPE__(__ipu_half, __ipu_half, 4);
__IPU_TYPE__(float, __ipu_float, 2);
__IPU_TYPE__(float, __ipu_float, 4);
__IPU_TYPE__(unsigned, __ipu_uint, 2);
__IPU_TYPE__(int, __ipu_int, 2);
__IPU_TYPE__(short, __ipu_short, 2);
__IPU_TYPE__(short, __ipu_short, 4);
#undef __IPU_TYPE__

#ifdef __cplusplus
extern "C" {
#else
#include <stdbool.h>
#endif
// The tile and its threads.
unsigned __builtin_ipu_get_scount_l();
unsigned __builtin_ipu_get_scount_u();
void* __builtin_ipu_get_vertex_base();
unsigned __builtin_ipu_get_tile_id();
bool __builtin_ipu_is_worker_mode();
unsigned __builtin_ipu_get_worker_id();
__ipu_uint2 __builtin_ipu_tapack(const void* first, const void* second, const void* third);
unsigned __builtin_ipu_urand32();
unsigned long long __builtin_ipu_urand64();
__ipu_half __builtin_ipu_urand_f16();
float __builtin_ipu_urand_f32();
__ipu_half2 __builtin_ipu_f16v2grand();
__ipu_float2 __builtin_ipu_f32v2grand();

// Control registers.
void __builtin_ipu_put(unsigned value, unsigned index);
void __builtin_ipu_uput(unsigned value, unsigned index);
void __builtin_ipu_uputf(float value, unsigned index);
unsigned __builtin_ipu_get(unsigned index);
unsigned __builtin_ipu_uget(unsigned index);
float __builtin_ipu_ugetf(unsigned index);

// Bits.
int __builtin_ipu_and_i32(int a, int b);
int __builtin_ipu_andc_i32(int a, int b);
int __builtin_ipu_or_i32(int a, int b);
float __builtin_ipu_and_f32(float a, float b);
float __builtin_ipu_andc_f32(float a, float b);
float __builtin_ipu_or_f32(float a, float b);
float __builtin_ipu_not_f32(float a);
__ipu_float2 __builtin_ipu_and_v2f32(__ipu_float2 a, __ipu_float2 b);
__ipu_float2 __builtin_ipu_andc_v2f32(__ipu_float2 a, __ipu_float2 b);
__ipu_float2 __builtin_ipu_or_v2f32(__ipu_float2 a, __ipu_float2 b);
__ipu_float2 __builtin_ipu_not_v2f32(__ipu_float2 a);
unsigned __builtin_ipu_bitrev8(unsigned a);
unsigned __builtin_ipu_cms(int a);
__ipu_float2 __builtin_ipu_roll32(__ipu_float2 a, __ipu_float2 b);
unsigned __builtin_ipu_roll8l(unsigned a, unsigned b);
unsigned __builtin_ipu_roll8r(unsigned a, unsigned b);
unsigned __builtin_ipu_shuf8x8hi(unsigned a, unsigned b);
unsigned __builtin_ipu_shuf8x8lo(unsigned a, unsigned b);
__ipu_float2 __builtin_ipu_sort4x32hi(__ipu_float2 a, __ipu_float2 b);
__ipu_float2 __builtin_ipu_sort4x32lo(__ipu_float2 a, __ipu_float2 b);
unsigned __builtin_ipu_sort8x8hi(unsigned a, unsigned b);
unsigned __builtin_ipu_sort8x8lo(unsigned a, unsigned b);
unsigned __builtin_ipu_sort8(unsigned a);
unsigned __builtin_ipu_swap8(unsigned a);

// Arithmetic. One line per operation: for two and four halves, for two floats and for one.
#define __IPU_BINARY__(name)                                                                                                     \
  __ipu_half2 __builtin_ipu_f16v2##name(__ipu_half2 a, __ipu_half2 b);                                                           \
  __ipu_half4 __builtin_ipu_f16v4##name(__ipu_half4 a, __ipu_half4 b);                                                           \
  __ipu_float2 __builtin_ipu_f32v2##name(__ipu_float2 a, __ipu_float2 b);                                                        \
  float __builtin_ipu_f32##name(float a, float b)
__IPU_BINARY__(absadd);
__IPU_BINARY__(absmax);
__IPU_BINARY__(max);
__IPU_BINARY__(min);
__IPU_BINARY__(cmpeq);
__IPU_BINARY__(cmpge);
__IPU_BINARY__(cmpgt);
__IPU_BINARY__(cmple);
__IPU_BINARY__(cmplt);
__IPU_BINARY__(cmpne);
#undef __IPU_BINARY__
__ipu_half __builtin_ipu_f16v2maxc(__ipu_half2 a);
__ipu_half2 __builtin_ipu_f16v4maxc(__ipu_half4 a);
__ipu_half2 __builtin_ipu_f16v2clamp(__ipu_half2 a, __ipu_half2 limits);
__ipu_half4 __builtin_ipu_f16v4clamp(__ipu_half4 a, __ipu_half2 limits);
__ipu_float2 __builtin_ipu_f32v2clamp(__ipu_float2 a, __ipu_float2 limits);
float __builtin_ipu_f32clamp(float a, __ipu_float2 limits);
__ipu_half2 __builtin_ipu_f16v2exp(__ipu_half2 a);
__ipu_half2 __builtin_ipu_f16v2exp2(__ipu_half2 a);
__ipu_half2 __builtin_ipu_f16v2ln(__ipu_half2 a);
__ipu_half2 __builtin_ipu_f16v2log2(__ipu_half2 a);
__ipu_half2 __builtin_ipu_f16v2sigm(__ipu_half2 a);
__ipu_half2 __builtin_ipu_f16v2tanh(__ipu_half2 a);
float __builtin_ipu_f32sigm(float a);
float __builtin_ipu_f16v2sum(__ipu_half2 a);
__ipu_float2 __builtin_ipu_f16v4sum(__ipu_half4 a);
__ipu_half4 __builtin_ipu_f16v4rmask(__ipu_half4 a, float probability);
__ipu_float2 __builtin_ipu_f32v2rmask(__ipu_float2 a, float probability);

// Accumulators.
void __builtin_ipu_f16v2cmac(__ipu_half2 a, __ipu_half2 b);
void __builtin_ipu_f16v4cmac(__ipu_half4 a, __ipu_half4 b);
void __builtin_ipu_f32v2aop(__ipu_float2 a, __ipu_float2 b, unsigned which);
__ipu_float2 __builtin_ipu_f32v2axpy(__ipu_float2 x, __ipu_float2 y);
__ipu_half2 __builtin_ipu_f16v2gina(__ipu_half2 a, unsigned which);
__ipu_float2 __builtin_ipu_f32v2gina(__ipu_float2 a, unsigned which);

// Kinds of numbers.
__ipu_short2 __builtin_ipu_f16v2class(__ipu_half2 a);
__ipu_short4 __builtin_ipu_f16v4class(__ipu_half4 a);
__ipu_short2 __builtin_ipu_f32v2class(__ipu_float2 a);
int __builtin_ipu_f32class(float a);
#define __IPU_IS__(name)                                                                                                         \
  int __builtin_ipu_##name##_f32(float a);                                                                                       \
  __ipu_short2 __builtin_ipu_##name##_v2f16(__ipu_half2 a);                                                                      \
  __ipu_int2 __builtin_ipu_##name##_v2f32(__ipu_float2 a);                                                                       \
  __ipu_short4 __builtin_ipu_##name##_v4f16(__ipu_half4 a)
__IPU_IS__(isfinite);
__IPU_IS__(isinf);
__IPU_IS__(isnan);
#undef __IPU_IS__

// In addition to the compiler's builtins: instructions named in the SDK's own header.
float __builtin_ipu_f32exp(float a);
float __builtin_ipu_f32exp2(float a);
float __builtin_ipu_f32ln(float a);
float __builtin_ipu_f32log2(float a);
float __builtin_ipu_f32tanh(float a);
void __builtin_ipu_ld128putcs(unsigned index);
void __builtin_ipu_ld64putcs(unsigned index);
void __tilescope_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
// Functions that replace assembly. `slots`: issue slots of its bundles, around the loop and in it.
__ipu_float2 __tilescope_triad(__ipu_uint2 packed, unsigned long pairs, float q, int slots, int inLoop);
void __tilescope_clear_accumulators();
void __tilescope_set_scale(float scale);
__ipu_float2 __tilescope_multiply_pair(__ipu_float2 a, __ipu_float2 b);
void __tilescope_accumulate_pair(__ipu_float2 a, __ipu_float2 b);
void __tilescope_scaled_sum(const __ipu_float2* x, const __ipu_float2* y, __ipu_float2* z, __ipu_float2 a, unsigned long pairs,
                            int slots, int inLoop);
void __tilescope_add_scaled(const float* scale, const float* first, const float* second, int slots);
void __tilescope_matrix_vector(float* vector, int slots);
void __tilescope_matrix_vectors(const float* from, float* to, const float* end, unsigned step, int slots, int inLoop);
unsigned __tilescope_number_of(const volatile void* address);
void* __tilescope_address_of(unsigned number);
void __tilescope_as_worker(void* vertex, unsigned worker);
#ifdef __cplusplus
}
struct __tilescope_addresses {};
static const __tilescope_addresses __tilescope_address __attribute__((unused)) = {};
static inline __attribute__((always_inline, unused)) unsigned operator%(const __tilescope_addresses&,
                                                                        const volatile void* address) {
  return __tilescope_number_of(address);
}
static inline __attribute__((always_inline, unused)) void* __tilescope_object(unsigned number) {
  return __tilescope_address_of(number);
}
static inline __attribute__((always_inline, unused)) void* __tilescope_object(void* address) { return address; }
// Runs a function on all workers for a supervisor; here one worker after the other.
static inline __attribute__((always_inline, unused)) void __tilescope_run_all(void* function, void* vertex) {
  for (unsigned worker = 0; worker < 6; ++worker) {
    __tilescope_as_worker(vertex, worker);
    reinterpret_cast<bool (*)()>(function)();
  }
  __tilescope_as_worker(vertex, 0);
}

// The same builtins, with names that do not contain the type.
#define __IPU_NAME__ static inline __attribute__((always_inline, unused))
#define __IPU_BINARY__(name)                                                                                                     \
  __IPU_NAME__ float __builtin_ipu_##name(float a, float b) { return __builtin_ipu_f32##name(a, b); }                            \
  __IPU_NAME__ __ipu_float2 __builtin_ipu_##name(__ipu_float2 a, __ipu_float2 b) { return __builtin_ipu_f32v2##name(a, b); }     \
  __IPU_NAME__ __ipu_half2 __builtin_ipu_##name(__ipu_half2 a, __ipu_half2 b) { return __builtin_ipu_f16v2##name(a, b); }        \
  __IPU_NAME__ __ipu_half4 __builtin_ipu_##name(__ipu_half4 a, __ipu_half4 b) { return __builtin_ipu_f16v4##name(a, b); }
__IPU_BINARY__(absadd)
__IPU_BINARY__(absmax)
__IPU_BINARY__(max)
__IPU_BINARY__(min)
__IPU_BINARY__(cmpeq)
__IPU_BINARY__(cmpge)
__IPU_BINARY__(cmpgt)
__IPU_BINARY__(cmple)
__IPU_BINARY__(cmplt)
__IPU_BINARY__(cmpne)
#undef __IPU_BINARY__
#define __IPU_INTEGER__(name, test)                                                                                              \
  __IPU_NAME__ int __builtin_ipu_##name(int a, int b) { return a test b ? a : b; }                                               \
  __IPU_NAME__ unsigned __builtin_ipu_##name(unsigned a, unsigned b) { return a test b ? a : b; }
__IPU_INTEGER__(max, >)
__IPU_INTEGER__(min, <)
#undef __IPU_INTEGER__
#define __IPU_UNARY__(name)                                                                                                      \
  __IPU_NAME__ float __builtin_ipu_##name(float a) { return __builtin_ipu_f32##name(a); }                                        \
  __IPU_NAME__ __ipu_half2 __builtin_ipu_##name(__ipu_half2 a) { return __builtin_ipu_f16v2##name(a); }                          \
  __IPU_NAME__ __ipu_half __builtin_ipu_##name(__ipu_half a) { return __builtin_ipu_f16v2##name(__ipu_half2{a, a})[0]; }         \
  __IPU_NAME__ __ipu_half4 __builtin_ipu_##name(__ipu_half4 a) {                                                                 \
    __ipu_half4 result;                                                                                                          \
    result.lo = __builtin_ipu_f16v2##name(a.lo);                                                                                 \
    result.hi = __builtin_ipu_f16v2##name(a.hi);                                                                                 \
    return result;                                                                                                               \
  }                                                                                                                              \
  __IPU_NAME__ __ipu_float2 __builtin_ipu_##name(__ipu_float2 a) {                                                               \
    return __ipu_float2{__builtin_ipu_f32##name(a[0]), __builtin_ipu_f32##name(a[1])};                                           \
  }
__IPU_UNARY__(exp)
__IPU_UNARY__(exp2)
__IPU_UNARY__(ln)
__IPU_UNARY__(log2)
__IPU_UNARY__(tanh)
__IPU_UNARY__(sigm)
#undef __IPU_UNARY__
#define __IPU_BITS__(name)                                                                                                       \
  __IPU_NAME__ int __builtin_ipu_##name(int a, int b) { return __builtin_ipu_##name##_i32(a, b); }                               \
  __IPU_NAME__ int __builtin_ipu_##name(unsigned a, int b) { return __builtin_ipu_##name##_i32(int(a), b); }                     \
  __IPU_NAME__ float __builtin_ipu_##name(float a, float b) { return __builtin_ipu_##name##_f32(a, b); }                         \
  __IPU_NAME__ __ipu_float2 __builtin_ipu_##name(__ipu_float2 a, __ipu_float2 b) { return __builtin_ipu_##name##_v2f32(a, b); }
__IPU_BITS__(and)
__IPU_BITS__(andc)
__IPU_BITS__(or)
#undef __IPU_BITS__
__IPU_NAME__ float __builtin_ipu_not(float a) { return __builtin_ipu_not_f32(a); }
__IPU_NAME__ __ipu_float2 __builtin_ipu_not(__ipu_float2 a) { return __builtin_ipu_not_v2f32(a); }
#define __IPU_KIND__(name, of_float, of_half2, pair, of_float2, of_half4)                                                        \
  __IPU_NAME__ int __builtin_ipu_##name(float a) { return __builtin_ipu_##of_float(a); }                                         \
  __IPU_NAME__ __ipu_short2 __builtin_ipu_##name(__ipu_half2 a) { return __builtin_ipu_##of_half2(a); }                          \
  __IPU_NAME__ pair __builtin_ipu_##name(__ipu_float2 a) { return __builtin_ipu_##of_float2(a); }                                \
  __IPU_NAME__ __ipu_short4 __builtin_ipu_##name(__ipu_half4 a) { return __builtin_ipu_##of_half4(a); }
__IPU_KIND__(isfinite, isfinite_f32, isfinite_v2f16, __ipu_int2, isfinite_v2f32, isfinite_v4f16)
__IPU_KIND__(isinf, isinf_f32, isinf_v2f16, __ipu_int2, isinf_v2f32, isinf_v4f16)
__IPU_KIND__(isnan, isnan_f32, isnan_v2f16, __ipu_int2, isnan_v2f32, isnan_v4f16)
__IPU_KIND__(class, f32class, f16v2class, __ipu_short2, f32v2class, f16v4class)
#undef __IPU_KIND__
#define __IPU_PUT__(index_type)                                                                                                  \
  __IPU_NAME__ void __builtin_ipu_uput(float value, index_type index) { __builtin_ipu_uputf(value, unsigned(index)); }           \
  __IPU_NAME__ void __builtin_ipu_uput(int value, index_type index) { __builtin_ipu_uput(unsigned(value), unsigned(index)); }
__IPU_PUT__(int)
__IPU_PUT__(unsigned)
#undef __IPU_PUT__
__IPU_NAME__ void __builtin_ipu_uput(unsigned value, int index) { __builtin_ipu_uput(value, unsigned(index)); }
__IPU_NAME__ float __builtin_ipu_sum(__ipu_half2 a) { return __builtin_ipu_f16v2sum(a); }
__IPU_NAME__ __ipu_float2 __builtin_ipu_sum(__ipu_half4 a) { return __builtin_ipu_f16v4sum(a); }
__IPU_NAME__ __ipu_half __builtin_ipu_maxc(__ipu_half2 a) { return __builtin_ipu_f16v2maxc(a); }
__IPU_NAME__ __ipu_half2 __builtin_ipu_maxc(__ipu_half4 a) { return __builtin_ipu_f16v4maxc(a); }
__IPU_NAME__ float __builtin_ipu_clamp(float a, __ipu_float2 limits) { return __builtin_ipu_f32clamp(a, limits); }
__IPU_NAME__ __ipu_float2 __builtin_ipu_clamp(__ipu_float2 a, __ipu_float2 limits) { return __builtin_ipu_f32v2clamp(a, limits); }
__IPU_NAME__ __ipu_half2 __builtin_ipu_clamp(__ipu_half2 a, __ipu_half2 limits) { return __builtin_ipu_f16v2clamp(a, limits); }
__IPU_NAME__ __ipu_half4 __builtin_ipu_clamp(__ipu_half4 a, __ipu_half2 limits) { return __builtin_ipu_f16v4clamp(a, limits); }
__IPU_NAME__ void __builtin_ipu_cmac(__ipu_half2 a, __ipu_half2 b) { __builtin_ipu_f16v2cmac(a, b); }
__IPU_NAME__ void __builtin_ipu_cmac(__ipu_half4 a, __ipu_half4 b) { __builtin_ipu_f16v4cmac(a, b); }
__IPU_NAME__ void __builtin_ipu_aop(__ipu_float2 a, __ipu_float2 b, unsigned which) { __builtin_ipu_f32v2aop(a, b, which); }
__IPU_NAME__ __ipu_float2 __builtin_ipu_axpy(__ipu_float2 x, __ipu_float2 y) { return __builtin_ipu_f32v2axpy(x, y); }
__IPU_NAME__ __ipu_float2 __builtin_ipu_gina(__ipu_float2 a, unsigned which) { return __builtin_ipu_f32v2gina(a, which); }
__IPU_NAME__ __ipu_half2 __builtin_ipu_gina(__ipu_half2 a, unsigned which) { return __builtin_ipu_f16v2gina(a, which); }
__IPU_NAME__ __ipu_float2 __builtin_ipu_rmask(__ipu_float2 a, float probability) {
  return __builtin_ipu_f32v2rmask(a, probability);
}
__IPU_NAME__ __ipu_half4 __builtin_ipu_rmask(__ipu_half4 a, float probability) {
  return __builtin_ipu_f16v4rmask(a, probability);
}
__IPU_NAME__ float __builtin_ipu_f16tof32(__ipu_half a) { return static_cast<float>(a); }
__IPU_NAME__ __ipu_half __builtin_ipu_f32tof16(float a) { return static_cast<__ipu_half>(a); }
#undef __IPU_NAME__
#endif
