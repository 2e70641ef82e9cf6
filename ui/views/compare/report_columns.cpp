#include "ui/views/compare/report_columns.h"

#include "analyser/compare/comparison_columns.h"
#include "analyser/session/format.h"
#include "ui/parts/elided_label.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/step_plot.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>

#include <algorithm>

namespace ui::compare {

using tables::Kind;
using theme::reportText;

namespace {

constexpr int kPlotsInRow = 4, kPlotHeight = 190;

constexpr int kNameInTitle = 16; // characters of a file's name in the title of its column

QString letter(std::size_t report) { return QString(QChar('A' + int(report))); }

std::vector<int64_t> wholeBytes(const std::vector<reports::Bytes>& bytes) {
  std::vector<int64_t> values;
  values.reserve(bytes.size());
  for (const auto b : bytes) values.push_back(b.value());
  return values;
}

// The figures of A, and those of each other report from its comparison with A.
tables::Table valuesOf(const std::vector<analyser::compare::Comparison>& all, const QStringList& names, bool changes) {
  tables::Table table;
  table.columns = {{"figure", QObject::tr("Figure"), Kind::Text, {}, 0, false}};
  const auto title = [&](std::size_t r) {
    const std::string name = analyser::elideMiddle(names[int(r)].toStdString(), kNameInTitle);
    return QStringLiteral("%1 · %2").arg(letter(r), QString::fromStdString(name));
  };
  if (!changes) table.columns.push_back({"report." + letter(0), title(0), Kind::Count, names[0], 110, false});
  for (std::size_t r = 1; r < std::size_t(names.size()); ++r)
    table.columns.push_back(
        {"report." + letter(r), title(r), changes ? Kind::PercentDelta : Kind::Count, names[int(r)], 110, false});
  for (std::size_t f = 0; f < all.front().totals.size(); ++f) {
    const auto& base = all.front().totals[f];
    // For a figure that only some reports list, such as hidden streams, the cells of the others stay empty.
    tables::Row row;
    row.id = int64_t(table.rows.size());
    row.cells = {reportText(base.title)};
    row.kinds = {Kind::Text};
    if (!changes) {
      row.cells.emplace_back(analyser::compare::wholeNumber(base.unit, base.base));
      row.kinds.push_back(analyser::compare::kindIn(base.unit, Kind::Count));
    }
    for (const auto& comparison : all) {
      const auto same =
          std::find_if(comparison.totals.begin(), comparison.totals.end(), [&](const auto& x) { return x.key == base.key; });
      tables::Cell cell;
      if (same != comparison.totals.end()) {
        if (!changes)
          cell = analyser::compare::wholeNumber(same->unit, same->other);
        else if (const auto relative = same->relative())
          cell = *relative;
      }
      row.cells.push_back(std::move(cell));
      row.kinds.push_back(changes ? Kind::PercentDelta : analyser::compare::kindIn(base.unit, Kind::Count));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

} // namespace

ReportColumns::ReportColumns(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_job(tr("Comparing all reports"), &jobs) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kHalf);
  auto* bar = new QHBoxLayout;
  const auto combo = [&](const QString& name) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    bar->addWidget(box);
    return box;
  };
  m_columns = combo(tr("Columns"));
  m_curves = combo(tr("Small plots"));
  bar->addStretch(1);
  column->addLayout(bar);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(m_table = new tables::TableView(theme, tr("Totals of all reports")));
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  auto* plots = new QWidget;
  m_grid = new QGridLayout(plots);
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setSpacing(theme::kGrid);
  scroll->setWidget(plots);
  splitter->addWidget(scroll);
  splitter->setStretchFactor(0, 1), splitter->setStretchFactor(1, 1);
  scroll->setMinimumHeight(kPlotHeight + 3 * theme::kRow); // so that a row of plots is visible
  splitter->setSizes({kPlotHeight, kPlotHeight});          // equal shares of any height
  column->addWidget(splitter, 1);
  connect(&m_job, &jobs::JobBase::cancelled, this, [this] { m_due = true; });
}

ReportColumns::~ReportColumns() = default;

void ReportColumns::addFields(shell::ViewFields& fields) {
  fields.choice<bool>("all.columns", *m_columns, m_showsChanges,
                      {{false, "values", tr("Values")}, {true, "changes", tr("Change to A")}});
  fields.choice<bool>("all.curves", *m_curves, m_showsLiveness,
                      {{false, "memory", tr("Memory per tile")}, {true, "liveness", tr("Memory alive per step")}});
  fields.order("all.order", *m_table);
  for (QComboBox* box : {m_columns, m_curves}) connect(box, &QComboBox::currentIndexChanged, this, [this] { show(); });
}

void ReportColumns::setSessions(const std::vector<shell::SessionPointer>& reports) {
  m_job.drop();
  m_workers.clear();
  for (const auto& report : reports)
    if (report) m_workers.push_back(std::make_shared<shell::WorkerSession>(report));
  for (QWidget* cell : m_cells) cell->hide(), cell->deleteLater(); // its menu may be open
  m_cells.clear(), m_plots.clear();
  for (std::size_t r = 0; r < m_workers.size(); ++r) {
    auto* cell = new QWidget;
    auto* rows = new QVBoxLayout(cell);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(theme::kHalf);
    auto* name = new shell::ElidedLabel(tr("Report %1").arg(letter(r)));
    name->setWhole(QStringLiteral("%1 · %2").arg(letter(r), reportText(reports[r]->identity().fileName)),
                   reportText(reports[r]->identity().path));
    rows->addWidget(name);
    auto* plot = new plot::StepPlot(m_theme, tr("Small plot of report %1").arg(letter(r)));
    plot->setMinimumHeight(kPlotHeight);
    rows->addWidget(plot, 1);
    m_grid->addWidget(cell, int(r) / kPlotsInRow, int(r) % kPlotsInRow);
    m_cells.push_back(cell);
    m_plots.push_back(plot);
  }
  m_due = true;
  if (isVisible()) read();
}

void ReportColumns::setFormat(const theme::Format& format) {
  m_format = std::make_unique<theme::Format>(format);
  m_table->setFormat(format);
  show();
}

void ReportColumns::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  read();
}

void ReportColumns::read() {
  if (!m_due || m_workers.size() < 2) return;
  m_due = false;
  m_job.start(
      [workers = m_workers](const std::stop_token& stop, reports::Progress& progress) {
        Answer answer;
        std::vector<analyser::compare::Comparison> comparisons;
        QStringList names;
        for (std::size_t r = 0; r < workers.size(); ++r) {
          progress.update(double(r) / double(workers.size()));
          workers[0]->use([&](analyser::Session& base) {
            const auto look = [&](analyser::Session& session) {
              const auto memory = analyser::memory::tileMemory(session, analyser::memory::Breakdown::None, stop);
              answer.tileBytes = std::max(answer.tileBytes, memory.capacity.value());
              answer.reports.push_back({reportText(session.identity().fileName), wholeBytes(memory.total.values),
                                        wholeBytes(analyser::liveness::liveness(session, "all", stop).curve.notAlwaysLive)});
              names << answer.reports.back().name;
            };
            if (r == 0) return look(base);
            workers[r]->use([&](analyser::Session& other) {
              look(other);
              comparisons.push_back(analyser::compare::compare(base, other, stop));
            });
          });
        }
        answer.verdict = analyser::compare::verdictOfAll(comparisons);
        answer.values = std::make_shared<const tables::Table>(valuesOf(comparisons, names, false));
        answer.changes = std::make_shared<const tables::Table>(valuesOf(comparisons, names, true));
        return answer;
      },
      [this](const Answer&) {
        show();
        emit verdictChanged();
      });
}

analyser::Sentence ReportColumns::verdict() const {
  const auto answer = m_job.result();
  return answer ? answer->verdict : analyser::Sentence();
}

void ReportColumns::show() {
  const auto answer = m_job.result();
  if (!answer || m_plots.size() != answer->reports.size()) return;
  m_table->setTable(m_showsChanges ? answer->changes : answer->values);
  const bool memory = !m_showsLiveness;
  int64_t most = 1, positions = 1;
  for (const Report& report : answer->reports)
    for (const auto& values = memory ? report.memory : report.liveness; const int64_t value : values)
      most = std::max(most, value), positions = std::max(positions, int64_t(values.size()));
  for (std::size_t r = 0; r < m_plots.size(); ++r) {
    plot::StepPlot& plot = *m_plots[r];
    if (m_format) plot.setFormat(*m_format);
    plot.setAxes(memory ? tr("Tile") : tr("Liveness step"), positions, {}, plot::ValueKind::Bytes);
    plot.setCurves(
        {{letter(r), [this, r] { return m_theme.series(int(r)); },
          std::make_shared<const std::vector<int64_t>>(memory ? answer->reports[r].memory : answer->reports[r].liveness), false,
          true}});
    // One scale for all: the line is the maximum over all reports.
    plot.setLimit(most, tr("maximum of all %1").arg(m_format ? m_format->bytes(reports::Bytes(most)) : QString()), true);
  }
}

} // namespace ui::compare
