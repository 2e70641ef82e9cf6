// One-byte floats and their scale: storage and conversions in software.
#pragma once

#include <poplar/HalfFloat.hpp>

#include <cmath>

struct quarter_metadata {
  enum class format { f143, f152 };
  quarter_metadata() : fmt(format::f143), scale(0) {}
  quarter_metadata(format f, int s) : fmt(f), scale(static_cast<signed char>(s)) {}
  format getFormat() const { return fmt; }
  int getScale() const { return scale; }
  format fmt;
  signed char scale;
};

// The bits of a value; their meaning depends on the metadata beside it.
struct quarter {
  quarter() = default;
  explicit quarter(unsigned char raw) : bits(raw) {}
  float toFloat(quarter_metadata metadata) const {
    const int mantissaBits = metadata.fmt == quarter_metadata::format::f143 ? 3 : 2;
    const int exponentBias = metadata.fmt == quarter_metadata::format::f143 ? 8 : 16;
    if (bits == 0x80) return std::nanf("");
    const int mantissa = bits & ((1 << mantissaBits) - 1);
    const int exponent = (bits & 0x7f) >> mantissaBits;
    const float fraction = std::ldexp(static_cast<float>(mantissa), -mantissaBits);
    const float size = exponent == 0 ? std::ldexp(fraction, 1 - exponentBias) : std::ldexp(1.0f + fraction, exponent - exponentBias);
    return std::ldexp((bits & 0x80) ? -size : size, metadata.scale);
  }
  unsigned char bits;
};

namespace poplar {
using ::quarter;
using ::quarter_metadata;
} // namespace poplar
