#include "ui/window/trace_sheet.h"

#include "ui/runs/remote_files.h"
#include "ui/state/report_file.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/window/veil.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui::shell {

namespace {
constexpr int kTracesWide = 640, kTracesHigh = 380, kFilesHigh = 96;
const QString kEngineRun = QStringLiteral("Engine::run");
} // namespace

TraceSheet::TraceSheet(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* window)
    : QFrame(window), m_job(tr("Adding traces"), &jobs, this) {
  setProperty("role", "raised");
  setAccessibleName(tr("Add traces"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(theme::kMargin, theme::kMargin, theme::kMargin, theme::kMargin);
  column->setSpacing(theme::kGrid);
  column->addWidget(m_title = theme::plainLabel());
  m_title->setProperty("role", "heading");
  column->addWidget(m_about = theme::plainLabel());
  for (QLabel* words : {m_about, m_note = theme::plainLabel()}) {
    words->setProperty("role", "secondary");
    words->setWordWrap(true);
  }
  auto* line = new QHBoxLayout;
  line->addWidget(m_files = new QPlainTextEdit, 1);
  m_files->setAccessibleName(tr("Trace files"));
  m_files->setPlaceholderText(tr("One file per line: a recording, or a trace of another tool"));
  m_files->setLineWrapMode(QPlainTextEdit::NoWrap);
  m_files->setTabChangesFocus(true);
  m_files->setMinimumHeight(kFilesHigh);
  auto* choose = new QPushButton(tr("Choose…"));
  line->addWidget(choose, 0, Qt::AlignTop);
  column->addLayout(line, 1);
  const auto row = [&](const QString& words, QWidget* field, const QString& tip) {
    auto* box = new QWidget;
    auto* inside = new QHBoxLayout(box);
    inside->setContentsMargins(0, 0, 0, 0);
    auto* label = theme::plainLabel(words);
    label->setBuddy(field);
    inside->addWidget(label);
    inside->addWidget(field, 1);
    field->setAccessibleName(words);
    field->setToolTip(theme::tipText(tip));
    column->addWidget(box);
    return box;
  };
  m_runsRow = row(tr("Slices that run the IPU begin with"), m_runs = new QLineEdit(kEngineRun),
                  tr("The first such slice is aligned with the first run of the report, the second with the second, and so on"));
  row(tr("Times of the files"), m_clocks = new QComboBox,
      tr("Files without wall-clock time keep their times; in Host, Alt and a drag shift the times of a process"));
  m_clocks->addItem(tr("Wall-clock time"), false);
  m_clocks->addItem(tr("Each file begins at 0"), true);
  column->addWidget(m_note);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  auto* close = new QPushButton(tr("Close"));
  buttons->addWidget(close);
  buttons->addWidget(m_add = new QPushButton(tr("Add")));
  m_add->setProperty("role", "primary");
  column->addLayout(buttons);
  connect(choose, &QPushButton::clicked, this, &TraceSheet::chooseRequested);
  connect(close, &QPushButton::clicked, this, &QWidget::hide);
  connect(m_add, &QPushButton::clicked, this, &TraceSheet::add);
  connect(m_files, &QPlainTextEdit::textChanged, this, &TraceSheet::updateButton);
  connect(m_runs, &QLineEdit::textChanged, this, &TraceSheet::updateButton);
  connect(&m_job, &jobs::JobBase::cancelled, this, [this] { say({}); });
  connect(m_runs, &QLineEdit::returnPressed, this, &TraceSheet::add);
  hide();
  new Veil(theme, *this);
}

TraceSheet::~TraceSheet() = default;

void TraceSheet::open(const QString& file, bool hasDevice) {
  if (file != m_open) m_files->clear();
  m_open = file, m_hasDevice = hasDevice;
  m_title->setText(tr("Add traces to %1").arg(theme::bounded(QFileInfo(file).fileName(), 60)));
  m_about->setText(hasDevice
                       ? tr("The threads of the traces replace the report's own host, on one time axis with its IPUs. The result "
                            "is a new report.")
                       : tr("All traces on one time axis, as a new report."));
  m_runsRow->setVisible(hasDevice);
  say({});
  const QSize room = parentWidget()->size() - QSize(48, 96);
  const QSize size = QSize(kTracesWide, kTracesHigh).boundedTo(room);
  setGeometry((parentWidget()->width() - size.width()) / 2, 64, size.width(), size.height());
  raise();
  show();
  m_files->setFocus();
  updateButton();
}

void TraceSheet::addFiles(const QStringList& files) {
  m_files->setPlainText((this->files() + files).join('\n'));
  m_add->setFocus();
}

QStringList TraceSheet::files() const {
  QStringList files;
  for (const QString& line : m_files->toPlainText().split('\n'))
    if (!line.trimmed().isEmpty() && !files.contains(line.trimmed())) files << line.trimmed();
  return files;
}

void TraceSheet::updateButton() { m_add->setEnabled(!files().isEmpty() && !(m_hasDevice && m_runs->text().trimmed().isEmpty())); }

void TraceSheet::say(const QString& words) {
  m_note->setText(words);
  m_note->setVisible(!words.isEmpty());
}

void TraceSheet::add() {
  if (!m_add->isEnabled()) return;
  QStringList files = this->files();
  for (QString& file : files) file = wholeName(file);
  if (!m_hasDevice) files.prepend(m_open);
  say(tr("Reading the traces …"));
  m_job.start(
      [files, device = m_hasDevice ? m_open : QString(), runs = m_runs->text().trimmed(),
       fromStart = m_clocks->currentData().toBool()](const std::stop_token& stop, reports::Progress& progress) {
        TraceGroup group{{}, fromStart, device.isEmpty() ? device : localCopy(device, false, stop, progress), runs};
        for (const QString& file : files) group.files << localCopy(file, false, stop, progress);
        return importGroup(group, stop, progress);
      },
      [this](const LaidTraces& laid) { take(laid); },
      [this](const reports::Error& error) { say(theme::messageText(error.what())); });
}

void TraceSheet::take(const LaidTraces& laid) {
  if (m_hasDevice && laid.slices == 0) {
    m_runs->setFocus(), m_runs->selectAll();
    return say(tr("No slice of the traces begins with “%1”. Enter the first letters of the slices that run the IPU.")
                   .arg(m_runs->text().trimmed()));
  }
  hide();
  emit made(laid.report);
}

void TraceSheet::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return hide();
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && event->modifiers() & Qt::ControlModifier) return add();
  QFrame::keyPressEvent(event);
}

void TraceSheet::hideEvent(QHideEvent* event) {
  m_job.cancel();
  QFrame::hideEvent(event);
}

} // namespace ui::shell
