#include "simcore/samples/striped_images.h"

#include "simcore/samples/sample_parts.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace simcore::samples {

using numerics::ElementType;
using numerics::HostTensor;

namespace {

HostTensor randomLabels(int64_t batch, int64_t classes, uint64_t seed) {
  std::mt19937_64 random(seed + 5);
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < batch; ++i) labels.push_back(int32_t(random() % uint64_t(classes)));
  return HostTensor::vector(labels);
}

HostTensor stripes(const numerics::Shape& shape, const HostTensor& labels, uint64_t seed) {
  HostTensor images = uniformTensor(shape, seed);
  auto v = images.mutableValues<float>();
  const int64_t size = shape[3];
  for (int64_t n = 0, i = 0; n < shape[0]; ++n) {
    const int64_t label = labels.integerAt(n);
    const double rate = 2 * M_PI * double(1 + label / 4 % 16) / double(size), down = label % 4 / 3.0, across = 1 - down;
    for (int64_t c = 0; c < shape[1]; ++c)
      for (int64_t y = 0; y < size; ++y)
        for (int64_t x = 0; x < size; ++x, ++i)
          v[std::size_t(i)] = 0.3f * v[std::size_t(i)] + float(std::sin(rate * (across * double(x) + down * double(y))));
  }
  return images;
}

HostTensor asBytes(const HostTensor& images) {
  HostTensor bytes = HostTensor::uninitialised(ElementType::UInt8, images.shape());
  const auto to = bytes.mutableValues<uint8_t>();
  const auto from = images.values<float>();
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = uint8_t(std::clamp(std::lround(kByteMean + kByteDeviation * double(from[i])), 0L, 255L));
  return bytes;
}

} // namespace

std::map<std::string, HostTensor> stripedBatch(const PictureShape& s, uint64_t seed, bool withLabels) {
  const numerics::Shape shape{s.batch, 3, s.size, s.size};
  const HostTensor labels = randomLabels(s.batch, s.classes, seed);
  const auto draw = [shape, labels, seed, areBytes = s.areBytes] {
    const HostTensor images = stripes(shape, labels, seed);
    return areBytes ? asBytes(images) : images;
  };
  std::map<std::string, HostTensor> values{
      {"images", HostTensor::deferred(s.areBytes ? ElementType::UInt8 : ElementType::Float, shape, draw)}};
  if (withLabels) values["labels"] = labels;
  return values;
}

} // namespace simcore::samples
