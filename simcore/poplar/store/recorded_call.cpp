#include "simcore/poplar/store/recorded_call.h"

#include <map>

namespace simcore::poplar {

namespace {
std::map<std::string, CallMaker>& calls() {
  static auto* all = new std::map<std::string, CallMaker>;
  return *all;
}
} // namespace

bool offerCall(const char* name, CallMaker make) {
  const auto [it, isNew] = calls().emplace(name, make);
  if (!isNew) it->second = nullptr;
  return isNew;
}

std::unique_ptr<RecordedCall> callNamed(const std::string& name) {
  const auto it = calls().find(name);
  if (it == calls().end() || !it->second)
    throw reports::Error(reports::ErrorCode::Damaged, "this library has no call '" + name + "'", "executable",
                         "write the executable again with this release");
  return it->second();
}

std::vector<const graph::ProgramNode*> withNumbers(const std::vector<graph::Program>& programs) {
  std::vector<const graph::ProgramNode*> found;
  const auto visit = [&](auto&& self, const graph::ProgramNode& node) -> void {
    if (node.kernel) found.push_back(&node);
    for (const auto& child : node.children)
      if (child) self(self, *child);
  };
  for (const auto& program : programs)
    if (program) visit(visit, *program);
  return found;
}

} // namespace simcore::poplar
