#include "analyser/session/vertex_source.h"

#include "reports/rows/compute_set_vertices.h"
#include "reports/rows/vertex_type.h"

namespace analyser {

std::string sourceOf(Session& session, const reports::VertexTypeRow& type) {
  if (!type.fileId) return {};
  std::string place = session.text(*type.fileId);
  if (type.line.value_or(0) > 0) place += ":" + std::to_string(*type.line);
  return place;
}

std::string cyclesFrom(const reports::ComputeSetVerticesRow& vertices) {
  const std::string said = vertices.cyclesFrom.value_or("");
  if (said == "given") return "given by the program";
  if (said.starts_with("code")) return "estimated from code" + said.substr(4); // names without a known price may follow
  return said;
}

} // namespace analyser
