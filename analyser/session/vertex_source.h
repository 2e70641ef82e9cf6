// What a report knows of a vertex type beside its figures: where its code is written, and how its cycles are known.
#pragma once

#include "analyser/session/session.h"

#include <string>

namespace reports {
struct ComputeSetVerticesRow;
struct VertexTypeRow;
} // namespace reports

namespace analyser {

// "heat.cpp:12", with the path that the compiler was given; empty: it was not compiled from a file.
std::string sourceOf(Session& session, const reports::VertexTypeRow& type);
// "formula", "given by the program" or "estimated from code"; empty: the report does not say.
std::string cyclesFrom(const reports::ComputeSetVerticesRow& vertices);

} // namespace analyser
