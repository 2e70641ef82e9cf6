#include "ui/views/compare/summary_difference.h"

#include "ui/shell/job_link.h"
#include "ui/shell/page.h"
#include "ui/tables/table_view.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/views/compare/compare_tables.h"

#include <QSplitter>
#include <QVBoxLayout>

namespace ui::compare {

SummaryDifference::SummaryDifference(const shell::ViewParts& parts)
    : PairView(parts), m_job(tr("Comparing the reports"), &parts.jobs) {
  const auto titled = [&](const QString& title, const QString& name, tables::TableView*& table) {
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, theme::kGrid, 0, 0);
    column->setSpacing(theme::kHalf);
    auto* label = theme::plainLabel(title);
    label->setProperty("role", "strong");
    column->addWidget(label);
    column->addWidget(table = new tables::TableView(theme(), name), 1);
    return box;
  };
  const auto beside = [](QWidget* left, QWidget* right) {
    auto* row = new QSplitter(Qt::Horizontal);
    row->setChildrenCollapsible(false);
    row->addWidget(left), row->addWidget(right);
    row->setStretchFactor(0, 1), row->setStretchFactor(1, 1);
    return row;
  };
  auto* rows = new QSplitter(Qt::Vertical);
  rows->setChildrenCollapsible(false);
  rows->addWidget(titled(tr("Why"), tr("Causes of the change"), m_causes));
  rows->addWidget(beside(titled(tr("Totals"), tr("Totals of both reports"), m_totals),
                         titled(tr("Memory by category"), tr("Memory by category of both reports"), m_categories)));
  rows->addWidget(titled(tr("Settings that differ"), tr("Settings that differ"), m_settings));
  rows->setStretchFactor(0, 3), rows->setStretchFactor(1, 4), rows->setStretchFactor(2, 2);
  page().setBody(rows);
  m_causes->setEmptyText(tr("Time and memory are the same."));
  m_settings->setEmptyText(tr("Machine and settings are the same."));
  shell::linkMainJob(*this, page(), m_job, [this] { read(); });
}

void SummaryDifference::drop() { m_job.cancel(), m_job.forget(); }

void SummaryDifference::formatChanged() {
  for (auto* table : {m_causes, m_totals, m_categories, m_settings}) table->setFormat(format());
}

void SummaryDifference::read() {
  page().showLoading(tr("Comparing the reports"));
  ask(
      m_job,
      [](analyser::Session& a, analyser::Session& b, const std::stop_token& stop) {
        const auto c = analyser::compare::compare(a, b, stop);
        const QString from = QString::fromStdString(c.base.fileName), to = QString::fromStdString(c.other.fileName);
        return Answer{c.verdict, findingTable(c), figureTable(c.totals, from, to), figureTable(c.memoryByCategory, from, to),
                      textTable(c, from, to)};
      },
      [this](const Answer& answer) {
        page().setVerdict(answer.verdict);
        formatChanged();
        m_causes->setTable(answer.causes);
        m_totals->setTable(answer.totals);
        m_categories->setTable(answer.categories);
        m_settings->setTable(answer.settings);
        page().showContent();
      });
}

} // namespace ui::compare
