// Instruction sets of this processor beyond the baseline of its architecture. Kernels whose numbers must not depend on the
// compiler's choices are compiled for a named instruction set and selected here. Other architectures ignore the name and use the
// plain build of the kernel.
#pragma once

#if defined(__x86_64__)
#define TILESCOPE_FOR(features) [[gnu::target(features)]]
#else
#define TILESCOPE_FOR(features)
#endif

namespace simcore::numerics {

// Fused multiply-add: no rounding between product and sum.
inline bool hasFusedMultiplyAdd() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

// Vectors of 16 floats with 32 registers.
inline bool hasWideVectors() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

} // namespace simcore::numerics
