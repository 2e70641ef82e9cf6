#include "ui/window/report_index.h"

#include "analyser/memory/tile_details.h"
#include "analyser/operations/operations.h"
#include "analyser/program/program_tree.h"
#include "ui/tables/typed_pattern.h"
#include "ui/theme/report_text.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <limits>

namespace ui::shell {

namespace {

void addOperations(ReportIndex& index, analyser::Session& session, const std::stop_token& stop) {
  const auto operations = analyser::operations::operations(session, stop);
  for (const auto& row : operations.rows)
    index.push_back({NamedThing::Kind::Operation,
                     theme::reportText(row.name),
                     theme::reportText(row.kind),
                     row.total.value(),
                     row.costliestStep,
                     {},
                     row.id});
}

void addSteps(ReportIndex& index, analyser::Session& session, const std::stop_token& stop) {
  const auto program = analyser::program::programTree(session, stop);
  for (const auto& node : program.nodes)
    if (node.children == 0 && !node.name.empty())
      index.push_back({NamedThing::Kind::Step,
                       theme::reportText(node.name),
                       theme::reportText(node.kind),
                       node.cycles.value(),
                       node.id,
                       {},
                       {}});
}

void addVariables(ReportIndex& index, analyser::Session& session, const std::stop_token& stop) {
  for (const auto& v : analyser::memory::topVariables(session, std::numeric_limits<std::size_t>::max(), {}, stop))
    if (v.variable.valid())
      index.push_back({NamedThing::Kind::Variable,
                       theme::reportText(v.name),
                       theme::reportText(reports::memoryCategoryTitle(v.category)),
                       v.total.value(),
                       {},
                       v.variable,
                       {}});
}

} // namespace

ReportIndex readIndex(analyser::Session& session, std::stop_token stop) {
  ReportIndex index;
  addOperations(index, session, stop);
  addSteps(index, session, stop);
  addVariables(index, session, stop);
  std::stable_sort(index.begin(), index.end(),
                   [](const NamedThing& a, const NamedThing& b) { return a.kind != b.kind ? a.kind < b.kind : a.cost > b.cost; });
  return index;
}

NamesFound findNames(const ReportIndex& index, const QString& words, std::size_t mostOfEach) {
  NamesFound found;
  const QStringList all = words.simplified().split(' ', Qt::SkipEmptyParts);
  if (all.isEmpty()) return found;
  const auto typed = tables::typedExpression(words);
  const tables::TypedPattern expression(typed.value_or(QString()));
  const auto fits = [&](const NamedThing& thing) {
    if (typed) return expression.matches(thing.name);
    return std::all_of(all.begin(), all.end(), [&](const QString& word) {
      return thing.name.contains(word, Qt::CaseInsensitive) || thing.what.contains(word, Qt::CaseInsensitive);
    });
  };
  std::array<std::size_t, 3> shown{};
  for (const NamedThing& thing : index) {
    if (!fits(thing)) continue;
    if (shown[std::size_t(thing.kind)]++ < mostOfEach)
      found.shown.push_back(&thing);
    else
      ++found.left;
  }
  return found;
}

} // namespace ui::shell
