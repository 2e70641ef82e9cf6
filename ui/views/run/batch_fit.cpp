#include "ui/views/run/batch_fit.h"

#include "ui/parts/wrapped_label.h"
#include "ui/runs/cli_call.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QJsonObject>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

namespace ui::run {

namespace {
constexpr int kNiceTrials = 10; // runs and the window have priority

// Separates the digits of numbers in a text of the command line as the window does.
QString groupedAsHere(QString text) {
  static const QRegularExpression comma(QStringLiteral("(?<=\\d),(?=\\d{3}(?!\\d))"));
  return text.replace(comma, QString(QChar(0x202f)));
}
} // namespace

BatchFit::BatchFit(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(theme::kGrid);
  buttons->addWidget(m_ask = new QPushButton);
  buttons->addWidget(m_use = new QPushButton);
  buttons->addStretch(1);
  column->addLayout(buttons);
  column->addWidget(m_words = new shell::WrappedLabel);
  m_words->setProperty("role", "secondary");
  m_words->setAccessibleName(tr("The largest batch that fits"));
  m_ask->setToolTip(theme::tipText(
      tr("Doubles the batch until it does not fit, then narrows it down; each batch is compiled and timed without values")));
  connect(m_ask, &QPushButton::clicked, this, [this] { m_call ? cancel() : ask(); });
  connect(m_use, &QPushButton::clicked, this, [this] {
    if (m_answer) emit chosen(m_answer->largest);
  });
  showState();
}

BatchFit::~BatchFit() { cancel(); }

void BatchFit::setFormat(const theme::Format& format) {
  m_format = format;
  showState();
}

void BatchFit::setRun(const std::optional<RunRequest>& run) {
  const auto words = [](const std::optional<RunRequest>& r) { return r ? r->words() : QStringList(); };
  if (words(run) == words(m_run)) return;
  m_run = run;
  m_answer.reset(), m_trouble.clear();
  cancel();
}

void BatchFit::ask() {
  if (!m_run) return;
  m_answer.reset(), m_trouble.clear(), m_trying.clear();
  QStringList words = m_run->withoutOutputs().words();
  words[0] = QStringLiteral("fit");
  words.removeAll(QStringLiteral("--no-numbers")); // its trials compute no numbers anyway
  m_call = new shell::CliCall(
      words + QStringList{QStringLiteral("--over"), QStringLiteral("batch"), QStringLiteral("--json")},
      [this](const QJsonDocument& json) { take(json); },
      [this](const reports::Error& error) {
        m_call = nullptr;
        m_trouble = theme::messageText(error.where()).section('\n', -1).remove(QStringLiteral("tilescope-cli: "));
        if (m_trouble.isEmpty()) m_trouble = theme::messageText(error.message());
        showState();
      },
      this, kNiceTrials);
  connect(m_call, &shell::CliCall::said, this, [this](const QByteArray& line) {
    if (const ProgressLine progress = parseProgress(line); !progress.phase.isEmpty()) m_trying = progress.phase, showState();
  });
  showState();
}

void BatchFit::cancel() {
  delete m_call.data();
  showState();
}

void BatchFit::take(const QJsonDocument& json) {
  m_call = nullptr;
  const QJsonObject largest = json.object().value("largest").toObject(), beyond = json.object().value("beyond").toObject();
  Answer answer;
  answer.largest = largest.value("value").toInteger(), answer.beyond = beyond.value("value").toInteger();
  answer.cycles = reports::Cycles(largest.value("cycles").toInteger());
  if (const QJsonValue each = largest.value("cycles_per_sample"); each.isDouble()) answer.perSample = each.toDouble();
  answer.why = groupedAsHere(theme::messageText(beyond.value("why").toString().toStdString()));
  m_answer = answer;
  showState();
}

void BatchFit::showState() {
  setVisible(m_run.has_value());
  m_ask->setText(m_call ? tr("Stop") : tr("Which batch fits?"));
  m_use->setVisible(m_answer && m_answer->largest > 0);
  if (m_answer) m_use->setText(tr("Use batch %1").arg(theme::count(m_answer->largest)));
  QString words = m_trouble.isEmpty() ? QString() : tr("No answer: %1").arg(m_trouble);
  if (m_call) words = m_trying.isEmpty() ? tr("Trying…") : tr("Trying %1…").arg(m_trying);
  if (const auto& a = m_answer) {
    words = a->largest == 0 ? tr("No batch fits.")
                            : tr("Batch %1 fits: %2.").arg(theme::count(a->largest), m_format.cycles(a->cycles));
    if (a->largest > 0 && a->perSample)
      words = tr("Batch %1 fits: %2, %3 per sample.")
                  .arg(theme::count(a->largest), m_format.cycles(a->cycles),
                       m_format.cycles(reports::Cycles(int64_t(*a->perSample + 0.5))));
    words += a->beyond > 0 ? ' ' + tr("Batch %1 does not fit: %2").arg(theme::count(a->beyond), a->why)
                           : ' ' + tr("No larger batch was tried.");
  }
  m_words->setWords(words);
  m_words->setVisible(!words.isEmpty());
}

} // namespace ui::run
