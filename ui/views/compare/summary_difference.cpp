#include "ui/views/compare/summary_difference.h"

#include "ui/parts/page.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/compare_tables.h"

#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ui::compare {

SummaryDifference::SummaryDifference(const shell::ViewParts& parts)
    : PairView(parts), m_job(tr("Comparing the reports"), &parts.jobs) {
  auto* why = new QWidget;
  auto* column = new QVBoxLayout(why);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kHalf);
  auto* title = theme::plainLabel(tr("Why"));
  title->setProperty("role", "strong");
  column->addWidget(title);
  column->addWidget(m_causes = new tables::TableView(theme(), tr("Causes of the change")), 1);
  auto* tabs = new QTabWidget; // each table needs the whole width for A, B and both changes
  tabs->setDocumentMode(true);
  tabs->setAccessibleName(tr("Tables of both reports"));
  tabs->addTab(m_totals = new tables::TableView(theme(), tr("Totals of both reports")), tr("Totals"));
  tabs->addTab(m_categories = new tables::TableView(theme(), tr("Memory by category of both reports")), tr("Memory by category"));
  tabs->addTab(m_settings = new tables::TableView(theme(), tr("Settings that differ")), tr("Settings that differ"));
  fields().tabs("tab", *tabs, {{m_totals, "totals"}, {m_categories, "categories"}, {m_settings, "settings"}});
  fields().order("causes.order", *m_causes);
  fields().order("totals.order", *m_totals);
  fields().order("categories.order", *m_categories);
  fields().order("settings.order", *m_settings);
  auto* rows = new QSplitter(Qt::Vertical);
  rows->setChildrenCollapsible(false);
  rows->addWidget(why), rows->addWidget(tabs);
  rows->setStretchFactor(0, 2), rows->setStretchFactor(1, 3);
  page().setBody(rows);
  m_causes->setEmptyText(tr("Time and memory did not change."));
  m_settings->setEmptyText(tr("Machine and settings are the same."));
  setMainJob(m_job, [this] { read(); });
}

void SummaryDifference::formatChanged() {
  for (auto* table : {m_causes, m_totals, m_categories, m_settings}) table->setFormat(format());
  if (const auto answer = m_job.result()) m_causes->setTable(findingTable(answer->comparison, format()));
}

void SummaryDifference::read() {
  fill(
      m_job,
      [rules = state().notes().pairing()](analyser::Session& a, analyser::Session& b, const std::stop_token& stop) {
        auto c = analyser::compare::compare(a, b, stop, rules);
        const QString from = QString::fromStdString(c.base.fileName), to = QString::fromStdString(c.other.fileName);
        Answer answer{{}, figureTable(c.totals, from, to), figureTable(c.memoryByCategory, from, to), textTable(c, from, to)};
        answer.comparison = std::move(c);
        return answer;
      },
      [this](const Answer& answer) {
        page().setVerdict(answer.comparison.headline.empty() ? answer.comparison.verdict : answer.comparison.headline);
        formatChanged();
        m_totals->setTable(answer.totals);
        m_categories->setTable(answer.categories);
        m_settings->setTable(answer.settings);
      });
}

} // namespace ui::compare
