// How the bits of QUARTER are read: the format (exponent and mantissa bits) and a power of 2 that every value is multiplied with.
#pragma once

#include "poplar/Type.hpp"

#include <cstdint>

namespace poplar {

class QuarterMetadata {
public:
  enum class Format : unsigned char { F152 = 0, F143 = 1 };

  QuarterMetadata() = default; // F143 with scale 0, as all tensors of the simulator
  QuarterMetadata(Format format, signed char scale) : m_format(format), m_scale(scale) {}
  Format getFormat() const { return m_format; }
  signed char getScale() const { return m_scale; }
  // Bit 7 is the format, bits 0 to 5 are the scale.
  std::uint8_t getBinary() const {
    return static_cast<std::uint8_t>((m_format == Format::F143 ? 0x80 : 0) | (static_cast<std::uint8_t>(m_scale) & 0x3f));
  }
  bool operator==(const QuarterMetadata& other) const { return m_format == other.m_format && m_scale == other.m_scale; }
  bool operator!=(const QuarterMetadata& other) const { return !(*this == other); }

private:
  Format m_format = Format::F143;
  signed char m_scale = 0;
};

} // namespace poplar
