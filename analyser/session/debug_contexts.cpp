#include "analyser/session/debug_contexts.h"

#include "analyser/session/words.h"
#include "reports/sqlite/reader.h"

namespace analyser {

namespace {
constexpr int kMaxChain = 256;
constexpr std::size_t kLongestPath = 512; // bytes; a hostile report may nest contexts to any depth

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
} // namespace

std::vector<DebugLayer> debugChain(Session& session, std::optional<int64_t> debugContext) {
  std::vector<DebugLayer> chain;
  while (debugContext && chain.size() < kMaxChain) {
    const auto row = session.reader().first<reports::DebugContextRow>("id = ?", {*debugContext});
    if (!row) break;
    chain.push_back({session.text(row->layerId), operatorName(session.text(row->kindId)), session.text(row->nameId),
                     row->detailsJson.value_or(std::string())});
    debugContext = row->parentId;
  }
  return chain;
}

std::optional<MadeVariable> madeVariable(Session& session, reports::VariableId variable) {
  const auto row = session.reader().first<reports::VariableRow>("id = ?", {int64_t(variable.value())});
  if (!row) return std::nullopt;
  MadeVariable made{
      session.text(row->nameId), row->elementType, row->alignmentBytes, {}, debugChain(session, row->debugContextId)};
  if (!row->shape.empty()) made.type += " [" + row->shape + "]";
  if (row->demandsId) made.demands = session.text(*row->demandsId);
  return made;
}

std::string operationOf(Session& session, std::optional<int64_t> debugContext) {
  for (int i = 0; debugContext && i < kMaxChain; ++i) {
    if (const auto operation = session.reader().first<reports::OperationRow>("debug_context_id = ?", {*debugContext}))
      return operation->name;
    const auto row = session.reader().first<reports::DebugContextRow>("id = ?", {*debugContext});
    debugContext = row ? row->parentId : std::nullopt;
  }
  return {};
}

OperationNames::OperationNames(Session& session, std::stop_token stop) {
  session.reader().forEach<reports::OperationRow>(
      {}, {}, [&](reports::OperationRow& row) { m_names.emplace(row.debugContextId, std::move(row.name)); }, stop);
  if (m_names.empty()) return;
  session.reader().forEach<reports::DebugContextRow>(
      {}, {},
      [&](const reports::DebugContextRow& row) {
        if (row.parentId) m_parents.emplace(row.id, *row.parentId);
      },
      stop);
}

const std::string& OperationNames::of(std::optional<int64_t> debugContext) const {
  static const std::string kNone;
  const auto context = contextOf(debugContext);
  return context ? m_names.at(*context) : kNone;
}

std::optional<int64_t> OperationNames::contextOf(std::optional<int64_t> debugContext) const {
  for (int i = 0; debugContext && i < kMaxChain; ++i) {
    if (m_names.contains(*debugContext)) return debugContext;
    const auto parent = m_parents.find(*debugContext);
    if (parent == m_parents.end()) break;
    debugContext = parent->second;
  }
  return std::nullopt;
}

std::vector<bool> outermostContexts(Session& session, const std::function<bool(const std::string&)>& isMeant,
                                    std::stop_token stop) {
  struct Path {
    std::string text;
    bool isMeant = false;
  };
  std::vector<Path> paths;
  std::vector<bool> outermost;
  session.reader().forEach<reports::DebugContextRow>(
      {}, {},
      [&](const reports::DebugContextRow& row) {
        if (row.id != int64_t(paths.size())) return; // ids count from 0
        const bool hasParent = row.parentId && *row.parentId >= 0 && *row.parentId < row.id;
        const Path around = hasParent ? paths[std::size_t(*row.parentId)] : Path();
        Path path{around.text, around.isMeant};
        if (path.text.size() < kLongestPath) path.text += (path.text.empty() ? "" : "/") + session.text(row.nameId);
        const bool isNew = !path.isMeant && isMeant(path.text);
        path.isMeant = path.isMeant || isNew;
        outermost.push_back(isNew);
        paths.push_back(std::move(path));
      },
      stop);
  return outermost;
}

bool containsText(std::string_view haystack, std::string_view needle) {
  return std::search(haystack.begin(), haystack.end(), needle.begin(), needle.end(),
                     [](char a, char b) { return lower(a) == lower(b); }) != haystack.end() ||
         needle.empty();
}

} // namespace analyser
