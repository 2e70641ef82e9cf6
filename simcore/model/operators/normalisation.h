// Parts that all norms share.
#pragma once

#include "simcore/model/operators/family.h"

namespace simcore::model {

inline double epsilonOf(const Call& call) { return real(call, "epsilon", 1e-5f); }

// Parameters of a channel for all its elements.
inline Shape perChannel(std::size_t rank, std::int64_t channels) {
  Shape shape(rank, 1);
  if (rank > 1) shape[1] = channels;
  return shape;
}
inline Shape perChannel(const Shape& x) { return perChannel(x.size(), x.size() > 1 ? x[1] : 1); }

} // namespace simcore::model
