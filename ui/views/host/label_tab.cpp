#include "ui/views/host/label_tab.h"

#include "ui/parts/view_fields.h"
#include "ui/plot/histogram.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::host {

namespace {
constexpr std::size_t kMostDurations = 2'000'000; // durations of one label in the histogram
constexpr int kMostBars = 24;
constexpr qsizetype kLongLabel = 24; // letters; longer ones are whole in the tooltip
} // namespace

LabelTab::LabelTab(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_job(tr("Reading durations"), &jobs, this),
      m_table(new tables::FilteredTable(theme, tr("Statistics by label"))), m_title(theme::plainLabel()),
      m_histogram(new plot::Histogram(theme, tr("Durations of the label"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  auto* split = new QSplitter(Qt::Horizontal);
  split->setChildrenCollapsible(false);
  split->addWidget(m_table);
  auto* side = new QWidget;
  auto* sideColumn = new QVBoxLayout(side);
  sideColumn->setContentsMargins(theme::kGrid, theme::kGrid, 0, 0);
  sideColumn->addWidget(m_title);
  m_title->setProperty("role", "secondary");
  m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  sideColumn->addWidget(m_histogram, 1);
  sideColumn->addStretch(0);
  split->addWidget(side);
  split->setSizes({760, 320});
  column->addWidget(split);
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    m_chosen = ids.empty() ? -1 : ids.front();
    readDurations();
  });
  connect(&m_table->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    if (id >= 0 && std::size_t(id) < m_rows.size()) emit labelActivated(QString::fromStdString(m_rows[std::size_t(id)].label));
  });
}

LabelTab::~LabelTab() = default;

tables::TableView& LabelTab::table() const { return m_table->view(); }

void LabelTab::addFields(shell::ViewFields& fields) { fields.table("labels", *m_table); }

void LabelTab::setStatistics(std::shared_ptr<OpenHost> host, std::vector<analyser::host::LabelStatistics> rows,
                             std::shared_ptr<const tables::Table> table, reports::TickRange range,
                             const analyser::host::MeasuredValue& value) {
  m_host = std::move(host), m_rows = std::move(rows), m_range = range, m_value = value;
  m_chosen = -1;
  m_table->view().setFormat(m_format);
  m_table->setTable(table ? std::move(table) : std::make_shared<tables::Table>());
  readDurations();
}

void LabelTab::setFormat(const theme::Format& format) {
  m_format = format;
  m_table->view().setFormat(format);
}

// Reads the selected label; without a selection, the label that takes most time among those with different durations.
void LabelTab::readDurations() {
  const auto several = std::find_if(m_rows.begin(), m_rows.end(), [](const auto& s) { return s.count > 1 && s.min < s.max; });
  const std::size_t row = m_chosen < 0 ? std::size_t(several - m_rows.begin()) : std::size_t(m_chosen);
  if (!m_host || row >= m_rows.size()) {
    m_job.cancel();
    m_title->setText({});
    m_title->parentWidget()->hide(); // the table takes the whole width
    return m_histogram->setBars({}, {});
  }
  const auto& s = m_rows[row];
  m_job.start(
      [host = m_host, range = m_range, name = s.name, category = s.category, value = m_value](const std::stop_token& stop,
                                                                                              reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          return timeline.durations(range, name, category, kMostDurations, value, stop);
        });
      },
      [this, label = theme::reportText(s.label)](const std::vector<int64_t>& durations) {
        const QString shown =
            label.size() > kLongLabel ? label.left(kLongLabel / 2) + QChar(0x2026) + label.right(kLongLabel / 2) : label;
        const QString count = theme::plural(int64_t(durations.size()), tr("slice"), tr("slices"));
        const auto [least, most] = std::minmax_element(durations.begin(), durations.end());
        const bool differ = !durations.empty() && *least != *most; // one duration has no distribution
        m_title->setText(differ || durations.empty() ? tr("%1: %2").arg(shown, count)
                                                     : tr("%1: %2 of %3").arg(shown, count, textOf(*least)));
        m_title->setToolTip(theme::tipText(label));
        m_title->parentWidget()->show();
        m_histogram->setAccessibleName(m_value.isPlainTime()
                                           ? tr("Durations of the label")
                                           : tr("%1 of the label's slices").arg(theme::reportText(m_value.name)));
        m_histogram->setValueText([this](int64_t amount) { return textOf(amount); });
        m_histogram->setVisible(differ);
        m_histogram->setBars(plot::histogramOf(durations, plot::decimalStep(durations, kMostBars), kMostBars), tr("slices"));
      });
}

// `amount` is in the unit of the value, no longer in ticks.
QString LabelTab::textOf(int64_t amount) const {
  analyser::host::MeasuredValue inUnits = m_value;
  inUnits.ticksPerUnit = 1;
  return amountText(inUnits, amount, m_format);
}

} // namespace ui::host
