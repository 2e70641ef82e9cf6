#include "ui/views/compare/insights_difference.h"

#include "ui/parts/detail_panel.h"
#include "ui/parts/page.h"
#include "ui/parts/sentence_text.h"
#include "ui/tables/table_view.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/difference_tables.h"

#include <QLineEdit>
#include <QSplitter>

namespace ui::compare {

using theme::reportText;

InsightsDifference::InsightsDifference(const shell::ViewParts& parts)
    : PairView(parts), m_job(tr("Comparing the findings"), &parts.jobs) {
  auto* rows = new QSplitter(Qt::Vertical);
  rows->setChildrenCollapsible(false);
  rows->addWidget(m_table = new tables::FilteredTable(theme(), tr("Findings of both reports")));
  fields().table("findings", *m_table);
  rows->addWidget(m_details =
                      new shell::DetailPanel(theme(), tr("Facts about the finding"),
                                             tr("Select a finding to read what it costs in A and in B, and what to try.")));
  rows->setStretchFactor(0, 3), rows->setStretchFactor(1, 1);
  page().setBody(rows);
  setMainJob(m_job, [this] { read(); });
  connect(&m_table->view(), &tables::TableView::idsSelected, this,
          [this](const std::vector<int64_t>& ids) { select(ids.empty() ? -1 : ids.front()); });
}

bool InsightsDifference::focusFilter() {
  m_table->filter().setFocus(Qt::ShortcutFocusReason);
  return true;
}

void InsightsDifference::drop() {
  PairView::drop();
  m_details->showHint();
}

void InsightsDifference::read() {
  page().showLoading(tr("Comparing the findings"));
  ask(
      m_job,
      [](analyser::Session& a, analyser::Session& b, const std::stop_token& stop) {
        auto difference = analyser::compare::insightsDifference(a, b, stop);
        auto table = insightTable(difference.list);
        return Answer{std::move(difference), std::move(table)};
      },
      [this](const Answer& answer) {
        page().setVerdict(answer.difference.verdict);
        m_table->setTable(answer.table);
        page().showContent();
      });
}

void InsightsDifference::select(int64_t id) {
  const auto answer = m_job.result();
  if (!answer || id < 0 || std::size_t(id) >= answer->difference.list.size()) return m_details->showHint();
  const auto& d = answer->difference.list[std::size_t(id)];
  using analyser::compare::Presence;
  std::vector<shell::Fact> facts;
  facts.push_back({tr("In A"),
                   d.presence == Presence::OtherOnly ? tr("less than the rule reports")
                                                     : shell::sentenceText(d.base.what, format(), analyser::Sentence::kNameWidth),
                   {},
                   false,
                   true});
  facts.push_back({tr("In B"),
                   d.presence == Presence::BaseOnly ? tr("less than the rule reports")
                                                    : shell::sentenceText(d.other.what, format(), analyser::Sentence::kNameWidth),
                   {},
                   false,
                   true});
  if (d.isMoved)
    facts.push_back({tr("Moved"), tr("from %1 to %2").arg(reportText(d.base.where), reportText(d.other.where)), {}, false, true});
  for (const std::string& advice : d.shown().advice) facts.push_back({tr("Try"), reportText(advice), {}, false, true});
  m_details->show(reportText(d.shown().title), facts);
}

} // namespace ui::compare
