// Instruction sets of this processor beyond those that its whole architecture has. Kernels whose numbers must not depend
// on the compiler's mood are compiled for such an instruction set by name and chosen here; on other architectures the name
// means nothing and the plain build of the kernel is the one.
#pragma once

#if defined(__x86_64__)
#define TILESCOPE_FOR(features) [[gnu::target(features)]]
#else
#define TILESCOPE_FOR(features)
#endif

namespace simcore::numerics {

// Products that are added without a rounding in between.
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
