#include "ui/views/host/slice_tab.h"

#include "ui/parts/view_fields.h"
#include "ui/tables/described_table.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace ui::host {

using theme::reportText;

namespace {
constexpr std::size_t kMostRows = 10'000;
} // namespace

SliceTab::SliceTab(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_job(tr("Listing slices"), &jobs, this), m_groups(new QComboBox),
      m_table(new tables::FilteredTable(theme, tr("Slices of the range"))), m_note(theme::plainLabel()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_table);
  m_groups->setAccessibleName(tr("Group slices by"));
  m_groups->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  listKeys({});
  m_table->addChoice(m_groups);
  m_note->setProperty("role", "secondary");
  m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_table->addNote(m_note);
  connect(m_groups, &QComboBox::currentIndexChanged, this, [this] {
    m_table->filter().clear();         // its columns are others now
    if (m_host) read(m_host, m_range); // else when the tab is shown
  });
  connect(&m_table->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto answer = m_job.result();
    if (answer && !answer->key.empty() && id >= 0 && std::size_t(id) < answer->groups.size())
      openGroup(answer->groups[std::size_t(id)].value);
  });
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    const auto answer = m_job.result();
    if (!answer || !answer->key.empty() || ids.size() != 1 || std::size_t(ids.front()) >= answer->list.rows.size()) return;
    const auto& row = answer->list.rows[std::size_t(ids.front())];
    emit sliceChosen({row.track, row.slice});
  });
}

tables::TableView& SliceTab::table() const { return m_table->view(); }

void SliceTab::showOnly(const QString& name) {
  m_groups->setCurrentIndex(0);
  m_table->filter().setText(QStringLiteral("name = \"%1\"").arg(name));
}

void SliceTab::addFields(shell::ViewFields& fields) {
  fields.items("slices.group", *m_groups);
  fields.table("slices", *m_table);
}

void SliceTab::setFormat(const theme::Format& format) {
  m_format = format;
  m_table->view().setFormat(format);
}

void SliceTab::read(std::shared_ptr<OpenHost> host, reports::TickRange range) {
  if (host != m_host) m_table->setTable(std::make_shared<tables::Table>()), m_note->clear();
  m_host = std::move(host), m_range = range;
  if (!m_host) {
    m_job.drop();
    return listKeys({});
  }
  m_job.start(
      [host = m_host, range, key = m_groups->currentData().toString().toStdString()](const std::stop_token& stop,
                                                                                     reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          Answer answer{key, {}, {}, nullptr};
          if (key.empty()) {
            answer.list = analyser::host::slicesIn(timeline, range, kMostRows, stop);
            answer.table = tables::tableOf(analyser::host::sliceColumns(answer.list), answer.list.rows,
                                           {.bars = {"duration"}, .hasTotals = false}, [&](tables::Row& row, const auto& slice) {
                                             row.swatch = tables::swatchOf([&](bool dark) {
                                               return hostColour(host->colourOf(slice.slice.category, slice.slice.name), dark);
                                             });
                                           });
          } else {
            answer.groups = analyser::host::groupsBy(timeline, range, key, stop);
            answer.table = tables::tableOf(analyser::host::groupColumns(), answer.groups, {.bars = {"total"}});
          }
          return answer;
        });
      },
      [this](const Answer& answer) { showAnswer(answer); },
      [this](const reports::Error& error) { emit failed(tr("Slices could not be listed: %1").arg(reportText(error.what()))); });
}

void SliceTab::showAnswer(const Answer& answer) {
  if (answer.key.empty()) listKeys(answer.list.keys);
  m_table->view().setFormat(m_format);
  m_table->setTable(answer.table);
  const auto listed = int64_t(answer.list.rows.size());
  m_note->setText(answer.list.count > listed ? tr("The first of %1 slices of the range").arg(theme::count(answer.list.count))
                                             : QString());
}

// Keeps the chosen one.
void SliceTab::listKeys(const std::vector<std::string>& keys) {
  const QVariant chosen = m_groups->currentData();
  const QSignalBlocker quiet(m_groups);
  m_groups->clear();
  m_groups->addItem(tr("Single slices"), QString());
  const auto literal = [](std::string_view text) { return QString::fromLatin1(text.data(), qsizetype(text.size())); };
  m_groups->addItem(tr("By name"), literal(analyser::host::kByName));
  m_groups->addItem(tr("By thread"), literal(analyser::host::kByThread));
  for (const std::string& key : keys) m_groups->addItem(tr("By %1").arg(reportText(key)), QString::fromStdString(key));
  m_groups->setCurrentIndex(std::max(0, m_groups->findData(chosen)));
}

void SliceTab::groupBy(const QString& argument) {
  if (m_groups->findData(argument) < 0) m_groups->addItem(tr("By %1").arg(reportText(argument.toStdString())), argument);
  m_groups->setCurrentIndex(m_groups->findData(argument));
}

// The slices of a group, one by one.
void SliceTab::openGroup(const std::string& value) {
  const QString group = m_groups->currentData().toString();
  m_groups->setCurrentIndex(0);
  const QString column =
      group.startsWith('=') ? group.mid(1) : QString::fromStdString(analyser::host::columnOf(group.toStdString()));
  m_table->filter().setText(QStringLiteral("%1 = \"%2\"").arg(column, reportText(value)));
}

} // namespace ui::host
