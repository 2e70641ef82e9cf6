#include "ui/views/insights/finding_panel.h"

#include "reports/core/option.h"
#include "ui/parts/finding_marks.h"
#include "ui/parts/sentence_text.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/parts/wrapped_label.h"
#include "ui/plot/bar_list.h"
#include "ui/runs/trial_check.h"
#include "ui/runs/trial_words.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/insights/finding_list.h"

#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include <cmath>

namespace ui::insights {

using analyser::Sentence;
using analyser::insights::Insight;
using analyser::insights::Part;

namespace {

// Further lines are aligned with the first one, beside the bullet.
QWidget* bulleted(const QString& text) {
  auto* item = new QWidget;
  auto* line = new QHBoxLayout(item);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(theme::kGrid);
  line->addWidget(theme::plainLabel(QStringLiteral("•")), 0, Qt::AlignTop);
  line->addWidget(new shell::WrappedLabel(text), 1);
  return item;
}

constexpr int kNames = 90; // characters of a name in a sentence

void clear(QVBoxLayout& layout) {
  while (QLayoutItem* item = layout.takeAt(0)) {
    if (QWidget* widget = item->widget()) widget->hide(), widget->deleteLater();
    delete item;
  }
}

double numberOf(const Sentence::Part& amount) {
  if (const auto* bytes = std::get_if<reports::Bytes>(&amount)) return double(bytes->value());
  if (const auto* change = std::get_if<Sentence::Change<reports::Bytes>>(&amount)) return double(change->value.value());
  if (const auto* cycles = std::get_if<reports::Cycles>(&amount)) return double(cycles->value());
  if (const auto* share = std::get_if<Sentence::Percent>(&amount)) return share->fraction;
  if (const auto* count = std::get_if<int64_t>(&amount)) return double(*count);
  return 0;
}

// Bars compare amounts of one unit; if units differ, parts are only numbers.
bool areOfOneUnit(const std::vector<Part>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const Part& p) { return p.amount.index() == parts.front().amount.index(); });
}

} // namespace

FindingPanel::FindingPanel(const theme::Theme& theme, QWidget* parent) : QFrame(parent), m_theme(theme) {
  setProperty("role", "card");
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(1, 1, 1, 1);
  auto* body = new QWidget;
  outer->addWidget(shell::verticalScroll(body));
  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(theme::kMargin, theme::kMargin, theme::kMargin, theme::kMargin);
  column->setSpacing(theme::kGrid);
  column->addWidget(m_title = theme::plainLabel());
  m_title->setProperty("role", "heading");
  column->addWidget(m_saving = new shell::WrappedLabel);
  m_saving->setProperty("role", "secondary");
  column->addWidget(m_what = new shell::WrappedLabel);
  m_what->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_evidence = new QPushButton;
  m_evidence->setProperty("role", "primary");
  column->addWidget(m_evidence, 0, Qt::AlignLeft);
  connect(m_evidence, &QPushButton::clicked, this, &FindingPanel::evidenceRequested);
  m_partsTitle = addHeading(*column, tr("In figures"));
  column->addWidget(m_parts = new plot::BarList(theme, tr("The finding in figures")));
  addHeading(*column, tr("What to try"));
  column->addLayout(m_advice = new QVBoxLayout);
  m_advice->setSpacing(theme::kHalf);
  m_trialsTitle = addHeading(*column, tr("Try it now: a run that is compared with this report"));
  m_check = new QPushButton;
  column->addWidget(m_check, 0, Qt::AlignLeft);
  column->addWidget(m_outcome = new shell::WrappedLabel);
  m_outcome->setAccessibleName(tr("Changes that fit"));
  m_outcome->setProperty("role", "strong");
  m_outcome->hide();
  connect(m_check, &QPushButton::clicked, this, &FindingPanel::checkRequested);
  column->addLayout(m_trials = new QVBoxLayout);
  m_trials->setSpacing(theme::kGrid);
  column->addStretch(1);
}

QLabel* FindingPanel::addHeading(QVBoxLayout& column, const QString& text) {
  auto* label = theme::plainLabel(text);
  label->setProperty("role", "strong");
  column.addSpacing(theme::kGrid);
  column.addWidget(label);
  return label;
}

void FindingPanel::setFinding(const Insight& finding, const theme::Format& format, bool canTry, const QStringList& commands) {
  m_title->setText(theme::reportText(finding.title));
  const QString whole = !finding.savesMemory() ? tr("of the run")
                        : finding.onOneTile    ? tr("of a tile's memory")
                                               : tr("of all memory");
  const QString confidence = theme::reportText(analyser::insights::confidenceName(finding.confidence));
  m_saving->setWords(finding.lacks
                         ? tr("Missing: up to %1 · confidence %2").arg(shell::savingText(finding, format), confidence)
                         : tr("Upper bound of the saving: %1, %2 %3 · confidence %4")
                               .arg(shell::savingText(finding, format), theme::percent(finding.share), whole, confidence));
  m_what->setWords(shell::sentenceText(finding.what, format, kNames));
  m_evidence->setText(tr("Show %1").arg(theme::reportText(finding.evidence.words)));
  showParts(finding, format);
  showAdvice(finding, canTry);
  showTrials(finding, canTry, commands);
}

void FindingPanel::showParts(const Insight& finding, const theme::Format& format) {
  std::vector<plot::Bar> bars;
  const bool comparable = areOfOneUnit(finding.parts);
  for (const Part& part : finding.parts) {
    plot::Bar bar;
    bar.title = theme::reportText(part.name);
    bar.text = shell::sentenceText(Sentence() << part.amount, format, kNames);
    bar.tip = bar.text;
    const double value = numberOf(part.amount);
    if (comparable)
      bar.segments = {
          {std::abs(value), [this, value] { return value < 0 ? m_theme.tokens().disabled : m_theme.tokens().accent; }}};
    bars.push_back(std::move(bar));
  }
  m_parts->setBars(std::move(bars));
  m_partsTitle->setVisible(!finding.parts.empty());
}

// An advice that names an option leads to its field.
void FindingPanel::showAdvice(const Insight& finding, bool canTry) {
  clear(*m_advice);
  for (const std::string& line : finding.advice) {
    QWidget* item = bulleted(theme::messageText(line));
    m_advice->addWidget(item);
    if (!canTry) continue;
    reports::withOptions(line, [&](std::string_view option) {
      const QString name = QString::fromUtf8(option.data(), qsizetype(option.size()));
      auto* field = new QPushButton(name);
      field->setProperty("role", "plain");
      field->setAccessibleName(tr("Show the field %1 in Run").arg(name));
      field->setToolTip(theme::tipText(field->accessibleName()));
      connect(field, &QPushButton::clicked, this, [this, name] { emit fieldRequested(name); });
      item->layout()->addWidget(field);
      item->layout()->setAlignment(field, Qt::AlignTop);
      return std::string();
    });
  }
}

void FindingPanel::showTrials(const Insight& finding, bool canTry, const QStringList& commands) {
  clear(*m_trials);
  m_answers.clear(), m_tried.clear(), m_rows.clear(), m_buttons.clear();
  m_trialsTitle->setVisible(!finding.trials.empty());
  m_check->setVisible(finding.lacks && canTry && !finding.trials.empty());
  m_trialTitles.clear(), m_outcome->hide();
  for (std::size_t i = 0; i < finding.trials.size(); ++i) {
    const auto& trial = finding.trials[i];
    m_trialTitles.push_back(theme::reportText(trial.title));
    auto* row = m_rows.emplace_back(new QWidget);
    auto* lines = new QVBoxLayout(row);
    lines->setContentsMargins(0, 0, 0, theme::kHalf);
    lines->setSpacing(theme::kHalf);
    auto* button = m_buttons.emplace_back(new QPushButton(theme::icon(m_theme, "play"), shell::inLines(m_trialTitles.back())));
    const QString tip =
        canTry ? commands.value(qsizetype(i))
               : tr("The report does not name its graph: run the graph yourself with %1").arg(commands.value(qsizetype(i)));
    button->setToolTip(theme::tipText(tip));
    button->setEnabled(canTry);
    connect(button, &QPushButton::clicked, this, [this, i] { emit trialRequested(int(i)); });
    lines->addWidget(button, 0, Qt::AlignLeft);
    auto* why = new shell::WrappedLabel(theme::reportText(trial.why));
    why->setProperty("role", "secondary");
    lines->addWidget(why);
    auto* command = new shell::WrappedLabel(commands.value(qsizetype(i))); // the whole command, visible before a click runs it
    command->setAccessibleName(tr("Command of this run"));
    command->setTextInteractionFlags(Qt::TextSelectableByMouse);
    command->setProperty("role", "secondary");
    lines->addWidget(command);
    lines->addWidget(m_answers.emplace_back(new shell::WrappedLabel));
    lines->addWidget(m_tried.emplace_back(new shell::WrappedLabel));
    m_answers.back()->hide(), m_tried.back()->hide();
    m_trials->addWidget(row);
  }
}

void FindingPanel::showTried(std::size_t trial, const Sentence& outcome, const theme::Format& format) {
  if (trial >= m_tried.size()) return;
  m_tried[trial]->setWords(tr("Tried: %1").arg(shell::sentenceText(outcome, format, kNames)));
  m_tried[trial]->setProperty("role", "strong");
  m_tried[trial]->style()->unpolish(m_tried[trial]);
  m_tried[trial]->style()->polish(m_tried[trial]);
  m_tried[trial]->show();
}

// Shows the result as a sentence beside the button, because the trials may be out of sight.
void FindingPanel::showOutcome(const shell::TrialCheck& check, const theme::Format& format) {
  QStringList fitting;
  const shell::TrialAnswer* closest = nullptr;
  int which = -1;
  for (const auto& [trial, answer] : check.answers()) {
    if (std::size_t(trial) >= m_trialTitles.size() || !answer.problem.isEmpty()) continue;
    if (answer.fits) fitting << m_trialTitles[std::size_t(trial)];
    if (!closest || answer.fullest < closest->fullest) closest = &answer, which = trial;
  }
  const auto done = int64_t(check.answers().size()), all = int64_t(m_answers.size());
  QString words;
  if (!fitting.isEmpty())
    words = tr("Fits with: %1.").arg(fitting.join(QStringLiteral("; ")));
  else if (closest)
    words = (done < all ? tr("No change fits so far; closest is %1: %2.") : tr("No change fits; closest is %1: %2."))
                .arg(m_trialTitles[std::size_t(which)], tileText(*closest, format));
  else if (done > 0 && done == all)
    words = tr("No change could be compiled; the reasons are below.");
  if (check.isRunning() || (done > 0 && done < all)) words += ' ' + tr("%1 of %2 compiled.").arg(done).arg(all);
  m_outcome->setWords(words.trimmed());
  m_outcome->setVisible(!words.isEmpty());
}

void FindingPanel::showAnswers(const shell::TrialCheck& check, const theme::Format& format) {
  m_check->setText(check.isRunning() ? tr("Stop") : tr("Find what fits"));
  m_check->setToolTip(theme::tipText(tr("Compiles the changes below one after another, without running them")));
  showOutcome(check, format);
  for (std::size_t i = 0; i < m_answers.size(); ++i) showAnswer(i, check, format);
  // Changes that fit come first, the smallest at the top; the Tab key follows that order.
  const auto fits = [&](std::size_t i) {
    const auto at = check.answers().find(int(i));
    return at != check.answers().end() && at->second.fits;
  };
  QWidget* before = m_check;
  for (const bool wanted : {true, false})
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
      if (fits(i) != wanted) continue;
      m_trials->removeWidget(m_rows[i]), m_trials->addWidget(m_rows[i]);
      setTabOrder(before, m_buttons[i]), before = m_buttons[i];
    }
}

void FindingPanel::showAnswer(std::size_t trial, const shell::TrialCheck& check, const theme::Format& format) {
  shell::WrappedLabel* label = m_answers[trial];
  const auto at = check.answers().find(int(trial));
  const bool isCurrent = check.current() == int(trial), isKnown = at != check.answers().end(), fits = isKnown && at->second.fits;
  label->setVisible(isCurrent || isKnown);
  if (isCurrent) label->setWords(tr("compiling …"));
  if (isKnown)
    label->setWords(!at->second.problem.isEmpty() ? tr("No answer: %1").arg(at->second.problem)
                    : fits                        ? tr("Fits: %1").arg(tileText(at->second, format))
                                                  : tr("Does not fit: %1").arg(tileText(at->second, format)));
  label->setProperty("role", fits ? "strong" : QVariant());
  label->style()->unpolish(label);
  label->style()->polish(label);
  QPushButton* button = m_buttons[trial];
  button->setProperty("role", fits ? "primary" : QVariant());
  button->setIcon(theme::icon(m_theme, "play", fits ? theme::Tint::OnAccent : theme::Tint::Text));
  button->style()->unpolish(button);
  button->style()->polish(button);
}

} // namespace ui::insights
