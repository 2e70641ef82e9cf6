#include "simcore/model/parallel/parallelism.h"

#include "reports/core/error.h"

namespace simcore::model {

namespace {
constexpr std::pair<Recompute, const char*> kRecomputeNames[] = {{Recompute::None, "none"},
                                                                 {Recompute::Standard, "standard"},
                                                                 {Recompute::NormOnly, "norm-only"},
                                                                 {Recompute::Checkpoints, "checkpoints"},
                                                                 {Recompute::Pipeline, "pipeline"}};
} // namespace

Recompute recomputeKind(const std::string& name) {
  std::string known;
  for (const auto& [kind, called] : kRecomputeNames) {
    if (name == called) return kind;
    known += (known.empty() ? "" : ", ") + std::string(called);
  }
  throw reports::Error(reports::ErrorCode::InvalidInput, "no kind of recomputation is called '" + name + "'", "",
                       "known: " + known);
}

const char* recomputeName(Recompute kind) {
  for (const auto& [k, called] : kRecomputeNames)
    if (k == kind) return called;
  return "";
}

} // namespace simcore::model
