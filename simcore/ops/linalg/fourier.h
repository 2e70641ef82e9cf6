// Discrete Fourier transforms as products with tables of roots of unity: the machine has a unit for products but none for
// butterflies, so a short or prime length is one product with all its roots. A long composite length is cut into factors (Cooley
// and Tukey's decimation): a product along each digit of the index, the roots between the digits, a transpose; the planner
// chooses the factors with the fewest cycles. A long length with large prime factors becomes a convolution of a chirp
// (Bluestein), whose length is free.
#pragma once

#include "simcore/ops/op_builder.h"

namespace simcore::ops {

struct FourierParams {
  ElementType type = ElementType::Float;
  int64_t rows = 1;    // transforms
  int64_t samples = 1; // per transform; padded with zeros to the length
  int64_t parts = 2;   // of a sample: 1 real, 2 complex
  int64_t length = 1;
  int64_t outputs = 1; // number of frequencies, from frequency 0
  bool inverse = false;
};

// Compute: products; transform: roots between the digits; exchange: the transposes, with their copies.
struct FourierPlan : PlanEstimate {
  std::vector<int64_t> factors; // of the length, or of the chirp's length; the first belongs to the slowest digit of the samples
  int64_t chirp = 0;            // length of the chirp's convolution; 0: not used
  int64_t tableBytes = 0;
  std::string text() const;
};
FourierPlan planFourier(const arch::Machine& machine, const FourierParams& params,
                        double availableMemory = kAvailableMemoryProportion);

// x [rows, samples, parts] -> [rows, outputs, 2]. Samples beyond the length are not read, the inverse is divided by the length.
// Throws Error(InvalidInput) for a shape that differs from the parameters.
Tensor fourier(const OpBuilder& builder, const Tensor& x, const FourierParams& params);

} // namespace simcore::ops
