// Facts about a vertex type besides its figures: the source of its code, and the origin of its cycles.
#pragma once

#include "analyser/session/session.h"

#include <string>

namespace reports {
struct ComputeSetVerticesRow;
struct VertexTypeRow;
} // namespace reports

namespace analyser {

// "heat.cpp:12", with the path given to the compiler; empty if it was not compiled from a file.
std::string sourceOf(Session& session, const reports::VertexTypeRow& type);
// "formula", "given by the program" or "estimated from code", which may list names without a known price; empty: unknown.
std::string cyclesFrom(const reports::ComputeSetVerticesRow& vertices);

} // namespace analyser
