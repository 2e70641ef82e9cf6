#include "simcore/poplar/libs/library_call.h"

#include "poplin/codelets.hpp"
#include "popnn/codelets.hpp"
#include "popops/codelets.hpp"
#include "poprand/codelets.hpp"
#include "popsparse/codelets.hpp"
#include "simcore/poplar/graph/handles.h"

#include <algorithm>

namespace simcore::poplar {

void rethrowFromLibrary() {
  try {
    throw;
  } catch (const reports::Error& error) {
    if (error.code() == reports::ErrorCode::OutOfMemory) rethrowAsPoplar();
    throw ::poputil::poplibs_error(error.what());
  }
}

void CallNote::finish() {
  const auto& children = m_builder.program().children();
  CallOfGraph call{m_kind, std::move(m_call), {}, {children.begin() + std::ptrdiff_t(m_first), children.end()}};
  const auto& functions = m_builder.graph().functions();
  for (std::size_t f = m_firstFunction; f < functions.size(); ++f) call.made.push_back(functions[f].body);
  if (withNumbers(call.made).empty()) return;
  const graph::Graph& g = m_builder.graph();
  for (int64_t t = 0; g.isVirtual() && t < g.tiles(); ++t) call.tiles.push_back(int64_t(g.topLevelTile(t).value()));
  ::poplar::core::GraphAccess::inside(m_graph).shared->calls.push_back(std::move(call));
}

void ignoreOptions(const char* call, const ::poplar::OptionFlags& options, std::initializer_list<const char*> read) {
  for (const auto& [name, value] : options)
    if (std::none_of(read.begin(), read.end(), [&](const char* known) { return name == known; }))
      warnOnce(std::string(call) + ": the option \"" + name + "\" changes nothing here");
}

} // namespace simcore::poplar

namespace poputil {

poplibs_error::poplibs_error(const std::string& message) : std::runtime_error(message), type("poplibs_error") {}
poplibs_error::poplibs_error(const char* message) : std::runtime_error(message), type("poplibs_error") {}
poplibs_error::~poplibs_error() = default;

} // namespace poputil

namespace popops {
void addCodelets(poplar::Graph&) {}
} // namespace popops
namespace poplin {
void addCodelets(poplar::Graph&) {}
} // namespace poplin
namespace popnn {
void addCodelets(poplar::Graph&) {}
} // namespace popnn
namespace poprand {
void addCodelets(poplar::Graph&) {}
} // namespace poprand
namespace popsparse {
void addCodelets(poplar::Graph&) {}
} // namespace popsparse
