#include "simcore/native/counted_twin.h"

#include "reports/core/error.h"
#include "simcore/native/count/count_module.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

namespace simcore::native {

namespace {

constexpr std::string_view kVertex = "tilescope_vertex_", kBody = "tilescope_body_";

bool names(std::string_view ir, std::initializer_list<std::string_view> functions) {
  return std::any_of(functions.begin(), functions.end(),
                     [&](std::string_view f) { return ir.find(f) != std::string_view::npos; });
}

// Whether results depend on previous cycles or random numbers. Then each vertex is counted as it runs, once and in order.
bool dependsOnTurn(std::string_view ir) {
  return names(ir, {"@__builtin_ipu_get_scount", "@__builtin_ipu_get(", "@__builtin_ipu_urand", "grand(", "rmask("});
}

// Removes the plain module's declarations of the twins, which the counting module defines.
std::string withoutTwinDeclarations(std::string_view ir) {
  std::string result;
  for (std::size_t at = 0; at < ir.size();) {
    const std::size_t end = std::min(ir.find('\n', at), ir.size() - 1) + 1;
    const std::string_view line = ir.substr(at, end - at);
    at = end;
    const bool isTwin = line.starts_with("declare ") && line.find(fmt::format("@{}", kBody)) != std::string_view::npos;
    if (!isTwin) result += line;
  }
  return result;
}

} // namespace

bool asksMachine(std::string_view ir) {
  return dependsOnTurn(ir) || names(ir, {"@__builtin_ipu_get_tile_id", "@__builtin_ipu_get_worker_id",
                                         "@__builtin_ipu_is_worker_mode", "@__tilescope_print", "@printf(", "@puts(", "@putchar(",
                                         "@__assert_fail", "@abort(", "@exit(", "@_exit(", "@_Exit(", "@quick_exit("});
}

std::string vertexSymbol(const std::string& unit, std::size_t index) { return fmt::format("{}{}_{}", kVertex, unit, index); }
std::string bodySymbol(const std::string& vertexSymbol) { return std::string(kBody) + vertexSymbol.substr(kVertex.size()); }
std::string countedBodySymbol(const std::string& vertexSymbol) { return bodySymbol(vertexSymbol) + "_counted"; }

namespace {
// Disables the marks of loops that are scalar on the machine, because the host may vectorise them.
std::string forHost(std::string ir) {
  constexpr std::string_view kScalar = "!\"llvm.loop.vectorize.enable\", i1 false", kPlain = "!\"llvm.loop.mustprogress\"";
  for (auto at = ir.find(kScalar); at != std::string::npos; at = ir.find(kScalar, at)) ir.replace(at, kScalar.size(), kPlain);
  return ir;
}
} // namespace

std::string countedTwin(std::string_view optimisedIr, int archVersion, std::vector<Unit::Entry>& entries,
                        std::string& diagnostics) {
  CountOptions options;
  options.suffix = "_counted";
  if (archVersion == 1) options.repeatLimit = 4095;
  for (const Unit::Entry& entry : entries) options.entries.push_back({bodySymbol(entry.symbol), entry.vertex.kind});
  try {
    CountedModule module = countModule(withoutTwinDeclarations(optimisedIr), options);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries[i].counted = entries[i].symbol + "_counted";
      auto& unknown = module.entries[i].unknown;
      std::erase(unknown, "__tilescope_print"); // a debugging aid
      if (!unknown.empty())
        diagnostics += fmt::format("warning: the cycles of '{}' include parts with no known price: {}\n", entries[i].vertex.name,
                                   fmt::join(unknown, ", "));
      entries[i].unpriced = unknown;
      entries[i].dependsOnData = module.entries.at(i).dependsOnData || dependsOnTurn(optimisedIr);
    }
    return forHost(std::move(module.ir));
  } catch (const reports::Error& error) {
    diagnostics += fmt::format("warning: cycles cannot be counted from the code: {}\n", error.what());
    return {};
  }
}

} // namespace simcore::native
