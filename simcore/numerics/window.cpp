#include "simcore/numerics/window.h"
#include "simcore/numerics/kernel_support.h"

#include <algorithm>

namespace simcore::numerics {

namespace {
constexpr std::int64_t kLargest = std::int64_t(1) << 31;

std::vector<std::int64_t> checked(const std::vector<std::int64_t>& values, std::size_t count, std::int64_t standard,
                                  std::int64_t smallest, const char* what) {
  if (values.empty()) return std::vector<std::int64_t>(count, standard);
  if (values.size() != count)
    failKernel(std::string(what) + " has " + std::to_string(values.size()) + " values instead of " + std::to_string(count));
  for (const std::int64_t value : values)
    if (value < smallest || value > kLargest)
      failKernel(std::string(what) + " has the value " + std::to_string(value) + ", not " + std::to_string(smallest) + " to " +
                 std::to_string(kLargest));
  return values;
}
} // namespace

Window makeWindow(const std::vector<std::int64_t>& kernel, const std::vector<std::int64_t>& strides,
                  const std::vector<std::int64_t>& dilations, const std::vector<std::int64_t>& pads) {
  const std::size_t n = kernel.size();
  Window window;
  window.kernel = checked(kernel, n, 1, 1, "the kernel shape");
  window.strides = checked(strides, n, 1, 1, "strides");
  window.dilations = checked(dilations, n, 1, 1, "dilations");
  const std::vector<std::int64_t> both = checked(pads, 2 * n, 0, 0, "pads");
  window.padsBefore.assign(both.begin(), both.begin() + std::ptrdiff_t(n));
  window.padsAfter.assign(both.begin() + std::ptrdiff_t(n), both.end());
  return window;
}

void resolveAutoPad(Window& window, AutoPad mode, const Shape& inputSizes) {
  if (mode == AutoPad::NotSet) return;
  for (std::size_t i = 0; i < window.dimensions(); ++i) {
    std::int64_t total = 0;
    if (mode != AutoPad::Valid) {
      const std::int64_t outputs = (inputSizes[i] + window.strides[i] - 1) / window.strides[i];
      total = std::max<std::int64_t>(0, (outputs - 1) * window.strides[i] + window.span(i) - inputSizes[i]);
    }
    const std::int64_t smaller = total / 2;
    window.padsBefore[i] = mode == AutoPad::SameLower ? total - smaller : smaller;
    window.padsAfter[i] = total - window.padsBefore[i];
  }
}

Shape windowOutputSizes(const Window& window, const Shape& inputSizes, bool ceiling) {
  if (inputSizes.size() != window.dimensions())
    failKernel("a window of " + std::to_string(window.dimensions()) + " dimensions does not fit an input with " +
               std::to_string(inputSizes.size()));
  Shape sizes;
  for (std::size_t i = 0; i < inputSizes.size(); ++i) {
    const std::int64_t room = inputSizes[i] + window.padsBefore[i] + window.padsAfter[i] - window.span(i);
    if (room < 0)
      failKernel("a kernel that spans " + std::to_string(window.span(i)) + " does not fit an input of " +
                 std::to_string(inputSizes[i]) + " with its pads");
    std::int64_t outputs = room / window.strides[i] + 1;
    if (ceiling && room % window.strides[i] && outputs * window.strides[i] < inputSizes[i] + window.padsBefore[i]) ++outputs;
    sizes.push_back(outputs);
  }
  return sizes;
}

Shape transposedOutputSizes(const Window& window, const Shape& inputSizes, const std::vector<std::int64_t>& outputPadding) {
  if (inputSizes.size() != window.dimensions())
    failKernel("the kernel of ConvTranspose has " + std::to_string(window.dimensions()) + " spatial dimensions, its input " +
               std::to_string(inputSizes.size()));
  const auto extra = checked(outputPadding, window.dimensions(), 0, 0, "output_padding");
  Shape sizes;
  for (std::size_t i = 0; i < inputSizes.size(); ++i) {
    sizes.push_back((inputSizes[i] - 1) * window.strides[i] + extra[i] + window.span(i) - window.padsBefore[i] -
                    window.padsAfter[i]);
    if (sizes.back() < 0) failKernel("the pads of ConvTranspose leave no output");
  }
  return sizes;
}

} // namespace simcore::numerics
