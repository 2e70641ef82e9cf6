// How a vertex stores the address of a vector, or of a list of vectors, and the names of these layouts.
#pragma once

#include <ostream>
#include <string>

namespace poplar {
namespace layout {

enum class Vector { NotAVector, Span, ShortSpan, OnePtr, TwoPtr, ScaledPtr32, ScaledPtr64, ScaledPtr128, CompactPtr };
enum class VectorList { NotAVector, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128, DeltaN, DeltaNElements, CompactDeltaN };

std::string to_string(const Vector& layout); // "Vector::Span"
std::string to_string(const VectorList& layout);
std::ostream& operator<<(std::ostream& out, const Vector& layout);
std::ostream& operator<<(std::ostream& out, const VectorList& layout);

} // namespace layout
} // namespace poplar
