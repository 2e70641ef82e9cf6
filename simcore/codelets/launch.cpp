#include "simcore/codelets/launch.h"

namespace simcore::codelets {

Cycles launchOverhead(const VertexSpec& spec) {
  // The estimators of convolution supervisors already include their set-up; only a few cycles are missing.
  if (spec.family == VertexFamily::Convolution && spec.kind == VertexKind::Supervisor) return kMatrixUnitLaunch;
  return kDefaultLaunch;
}

} // namespace simcore::codelets
