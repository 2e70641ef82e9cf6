#include "ui/views/compare/insights_difference.h"

#include "ui/parts/detail_panel.h"
#include "ui/parts/sentence_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/compare_tables.h"

#include <QSplitter>

namespace ui::compare {

using theme::messageText;
using theme::reportText;

InsightsDifference::InsightsDifference(const shell::ViewParts& parts)
    : TableDifference(
          parts, tr("Comparing the findings"), new tables::FilteredTable(parts.theme, tr("Findings of both reports")),
          QStringLiteral("findings"), [](const analyser::compare::InsightsDifference& found) { return found.verdict; },
          [](const analyser::compare::InsightsDifference& found) { return insightTable(found.list); }) {
  auto* rows = new QSplitter(Qt::Vertical);
  rows->setChildrenCollapsible(false);
  rows->addWidget(&table());
  rows->addWidget(m_details =
                      new shell::DetailPanel(theme(), tr("Facts about the finding"),
                                             tr("Select a finding to read what it costs in A and in B, and what to try.")));
  rows->setStretchFactor(0, 3), rows->setStretchFactor(1, 2); // room for the sentences of both reports and the advice
  rows->setSizes({360, 240});
  page().setBody(rows);
  connect(&table().view(), &tables::TableView::idsSelected, this,
          [this](const std::vector<int64_t>& ids) { select(ids.empty() ? -1 : ids.front()); });
}

void InsightsDifference::drop() {
  TableDifference::drop();
  m_details->showHint();
}

InsightsDifference::Finder InsightsDifference::finder() const { return &analyser::compare::insightsDifference; }

// Selects the finding that changed most if none is selected, and prints its details in the current units.
void InsightsDifference::shown(const analyser::compare::InsightsDifference& found) {
  auto& view = table().view();
  if (view.selectedIds().empty() && !found.list.empty()) view.selectIds({view.rows().idAt(0)});
  const auto selected = view.selectedIds();
  select(selected.empty() ? -1 : selected.front());
}

void InsightsDifference::formatChanged() {
  TableDifference::formatChanged();
  if (const auto difference = found()) shown(*difference);
}

void InsightsDifference::select(int64_t id) {
  const auto difference = found();
  if (!difference || id < 0 || std::size_t(id) >= difference->list.size()) return m_details->showHint();
  const auto& d = difference->list[std::size_t(id)];
  using analyser::compare::Presence;
  std::vector<shell::Fact> facts;
  facts.push_back({tr("In A"),
                   d.presence == Presence::OtherOnly ? tr("no such finding")
                                                     : shell::sentenceText(d.base.what, format(), analyser::Sentence::kNameWidth),
                   {},
                   false,
                   true});
  facts.push_back({tr("In B"),
                   d.presence == Presence::BaseOnly ? tr("no such finding")
                                                    : shell::sentenceText(d.other.what, format(), analyser::Sentence::kNameWidth),
                   {},
                   false,
                   true});
  if (d.isMoved)
    facts.push_back({tr("Moved"), tr("from %1 to %2").arg(reportText(d.base.where), reportText(d.other.where)), {}, false, true});
  for (const std::string& advice : d.shown().advice) facts.push_back({tr("Try"), messageText(advice), {}, false, true});
  m_details->show(reportText(d.shown().title), facts);
}

} // namespace ui::compare
