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
#include <QToolButton>
#include <QVBoxLayout>

namespace ui::host {

using theme::messageText;
using theme::reportText;

namespace {
constexpr std::size_t kMostRows = 10'000;
constexpr int kWidestCondition = 220, kLeastFilter = 280; // pixels
} // namespace

SliceTab::SliceTab(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_job(tr("Listing slices"), &jobs, this), m_groups(new QComboBox),
      m_table(new tables::FilteredTable(theme, tr("Slices of the range"))), m_note(theme::plainLabel()),
      m_condition(new QToolButton) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_table);
  m_groups->setAccessibleName(tr("Group slices by"));
  m_groups->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  listKeys({});
  m_table->addChoice(m_groups);
  m_table->addChoice(m_condition);
  m_condition->hide();
  m_table->filter().setMinimumWidth(kLeastFilter); // beside two choices and a note
  connect(m_condition, &QToolButton::clicked, this, [this] { setOnly({}); });
  m_note->setProperty("role", "secondary");
  m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_table->addNote(m_note);
  connect(m_groups, &QComboBox::currentIndexChanged, this, [this] {
    m_only.reset(), showCondition();
    m_table->filter().clear();                  // the columns have changed
    if (m_host) read(m_host, m_range, m_value); // otherwise the slices are read when the tab is shown
  });
  connect(&m_table->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto answer = m_job.result();
    if (answer && !answer->key.empty() && id >= 0 && std::size_t(id) < answer->groups.size())
      setOnly(Only{answer->key, QString::fromStdString(answer->groups[std::size_t(id)].value)});
  });
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    const auto answer = m_job.result();
    if (!answer || !answer->key.empty() || ids.size() != 1 || std::size_t(ids.front()) >= answer->list.rows.size()) return;
    const auto& row = answer->list.rows[std::size_t(ids.front())];
    emit sliceChosen({row.track, row.slice});
  });
}

tables::TableView& SliceTab::table() const { return m_table->view(); }

void SliceTab::showOnly(const QString& name) { setOnly(Only{std::string(analyser::host::kByName), name}); }

void SliceTab::setOnly(std::optional<Only> only) {
  const QSignalBlocker quiet(m_groups);
  m_groups->setCurrentIndex(0);
  m_table->filter().clear(); // the columns have changed
  m_only = std::move(only);
  showCondition();
  if (m_host) read(m_host, m_range, m_value);
}

void SliceTab::showCondition() {
  m_condition->setVisible(m_only.has_value());
  if (!m_only) return;
  const QString key = m_only->key == analyser::host::kByName     ? tr("name")
                      : m_only->key == analyser::host::kByThread ? tr("thread")
                                                                 : reportText(m_only->key);
  const QString value = reportText(m_only->value.toStdString());
  const QString condition = value.isEmpty() ? tr("without %1").arg(key) : QStringLiteral("%1: %2").arg(key, value);
  m_condition->setText(fontMetrics().elidedText(condition, Qt::ElideMiddle, kWidestCondition) + QStringLiteral(" ✕"));
  m_condition->setAccessibleName(tr("Only slices of %1, list all").arg(condition));
  m_condition->setToolTip(theme::tipText(tr("Only slices of %1 are listed; a click lists all").arg(condition)));
}

void SliceTab::addFields(shell::ViewFields& fields) {
  fields.items("slices.group", *m_groups, [this](const QString& key) { offer(key); });
  fields.table("slices", *m_table);
  // Links store the condition as a key and a value.
  fields.selection(
      "slices.only", *m_table, [this] { return m_only ? QString::fromStdString(m_only->key) + '\n' + m_only->value : QString(); },
      [this](const QString& text) {
        const QString key = text.section('\n', 0, 0);
        if (key.isEmpty() || !text.contains('\n') || m_groups->currentIndex() > 0) return;
        m_only = Only{key.toStdString(), text.section('\n', 1)};
        showCondition();
        if (m_host) read(m_host, m_range, m_value); // with the filter of the link
      });
}

void SliceTab::setFormat(const theme::Format& format) {
  m_format = format;
  m_table->view().setFormat(format);
}

void SliceTab::read(std::shared_ptr<OpenHost> host, reports::TickRange range, std::size_t value) {
  if (host != m_host || value != m_value) m_table->setTable(std::make_shared<tables::Table>()), m_note->clear();
  m_host = std::move(host), m_range = range, m_value = value;
  if (!m_host) {
    m_job.drop();
    m_only.reset(), showCondition();
    return listKeys({});
  }
  m_job.start(
      [host = m_host, range, key = m_groups->currentData().toString().toStdString(), asked = m_only,
       value = analyser::host::ValueChoice{m_host->values(), std::min(m_value, m_host->values().size() - 1)}](
          const std::stop_token& stop, reports::Progress&) {
        std::optional<analyser::host::SliceOnly> only;
        if (asked)
          only = {asked->key, [value = asked->value](const std::string& text) {
                    return QString::fromStdString(text) == value || reportText(text) == value || shell::sliceTitle(text) == value;
                  }};
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          Answer answer{key, {}, {}, nullptr};
          if (key.empty()) {
            answer.list = analyser::host::slicesIn(timeline, range, kMostRows, stop, only, value);
            answer.table = tables::tableOf(analyser::host::sliceColumns(answer.list), answer.list.rows,
                                           {.bars = {"duration"}, .hasTotals = false}, [&](tables::Row& row, const auto& slice) {
                                             row.swatch = tables::swatchOf([&](bool dark) {
                                               return hostColour(host->colourOf(slice.slice.category, slice.slice.name), dark);
                                             });
                                           });
          } else {
            answer.groups = analyser::host::groupsBy(timeline, range, key, stop, value);
            answer.table =
                tables::tableOf(analyser::host::groupColumns(value.values[value.chosen]), answer.groups, {.bars = {"total"}});
          }
          return answer;
        });
      },
      [this](const Answer& answer) { showAnswer(answer); },
      [this](const reports::Error& error) { emit failed(tr("Slices could not be listed: %1").arg(messageText(error.what()))); });
}

void SliceTab::showAnswer(const Answer& answer) {
  if (answer.key.empty()) listKeys(answer.list.keys);
  m_table->view().setFormat(m_format);
  m_table->setTable(answer.table);
  const auto listed = int64_t(answer.list.rows.size());
  m_note->setText(answer.list.count > listed
                      ? tr("The first %1 of %2 slices").arg(theme::count(listed), theme::count(answer.list.count))
                      : QString());
}

// Lists the arguments to group by. Keeps the chosen one.
void SliceTab::listKeys(const std::vector<std::string>& keys) {
  const QString chosen = m_groups->currentData().toString();
  const QSignalBlocker quiet(m_groups);
  m_groups->clear();
  m_groups->addItem(tr("Single slices"), QString());
  const auto literal = [](std::string_view text) { return QString::fromLatin1(text.data(), qsizetype(text.size())); };
  m_groups->addItem(tr("By name"), literal(analyser::host::kByName));
  m_groups->addItem(tr("By thread"), literal(analyser::host::kByThread));
  for (const std::string& key : keys) m_groups->addItem(tr("By %1").arg(reportText(key)), QString::fromStdString(key));
  if (!keys.empty()) offer(chosen);
  m_groups->setCurrentIndex(std::max(0, m_groups->findData(chosen)));
}

// Adds an argument that is not listed, e.g. one from a link.
void SliceTab::offer(const QString& key) {
  if (key.isEmpty() || m_groups->findData(key) >= 0) return;
  const QSignalBlocker quiet(m_groups);
  m_groups->addItem(tr("By %1").arg(reportText(key.toStdString())), key);
}

void SliceTab::groupBy(const QString& argument) {
  offer(argument);
  m_groups->setCurrentIndex(m_groups->findData(argument));
}

} // namespace ui::host
