// Pooling over [N, C, spatial...] with any number of spatial dimensions. Pads never count as values; for averages
// `countPads` divides by the window including pads, but not by positions that `ceiling` adds beyond the pads.
#pragma once

#include "simcore/numerics/host_tensor.h"
#include "simcore/numerics/window.h"

namespace simcore::numerics {

Shape poolShape(const Shape& x, const Window& window, bool ceiling);
// `indices`, if not null, receives the Int64 position of each maximum in the flattened input; with `columnMajor` the
// spatial part of that position counts the first spatial dimension fastest.
HostTensor maxPool(const HostTensor& x, const Window& window, bool ceiling, HostTensor* indices = nullptr,
                   bool columnMajor = false);
HostTensor averagePool(const HostTensor& x, const Window& window, bool ceiling, bool countPads);
// (mean of |x|^p summed over the window)^(1/p), without dividing by the count.
HostTensor lpPool(const HostTensor& x, const Window& window, bool ceiling, double p);

// Gradient of the input from the gradient of the pool. Of a maximum, the first maximum in a window gets the whole gradient; of an
// average, all values get equal shares.
HostTensor maxPoolGradient(const HostTensor& x, const HostTensor& gradient, const Window& window, bool ceiling);
HostTensor averagePoolGradient(const HostTensor& gradient, const Shape& x, const Window& window, bool countPads);

} // namespace simcore::numerics
