#include "ui/views/run/fit_changes.h"

#include "ui/parts/wrapped_label.h"
#include "ui/runs/field_names.h"
#include "ui/runs/trial_check.h"
#include "ui/runs/trial_words.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

namespace ui::run {

FitChanges::FitChanges(QWidget* parent) : QWidget(parent), m_check(new shell::TrialCheck(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* head = new QHBoxLayout;
  auto* title = theme::plainLabel(tr("Changes that may make it fit"));
  title->setProperty("role", "strong");
  head->addWidget(title, 1);
  head->addWidget(m_find = new QPushButton);
  m_find->setToolTip(theme::tipText(tr("Compiles the changes below one after another, without running them")));
  column->addLayout(head);
  column->addLayout(m_list = new QVBoxLayout);
  m_list->setSpacing(theme::kGrid);
  connect(m_find, &QPushButton::clicked, this, [this] {
    if (m_check->isRunning()) return m_check->stop();
    std::vector<QStringList> runs;
    for (const auto& change : m_changes) runs.push_back(m_run.with(change.options).withoutOutputs().words());
    m_check->start(std::move(runs));
  });
  connect(m_check, &shell::TrialCheck::changed, this, [this] {
    showAnswers();
    emit busyChanged();
  });
  hide();
}

bool FitChanges::isBusy() const { return m_check->isRunning(); }

void FitChanges::setFormat(const theme::Format& format) {
  m_format = format;
  showAnswers();
}

void FitChanges::setChanges(const RunRequest& run, std::vector<shell::DryRun::Change> changes) {
  m_run = run, m_changes = std::move(changes);
  while (QLayoutItem* item = m_list->takeAt(0)) {
    item->widget()->hide(), item->widget()->deleteLater();
    delete item;
  }
  m_rows.clear();
  for (const auto& change : m_changes) {
    auto* row = new QWidget;
    auto* lines = new QVBoxLayout(row); // beside a long title the words would be cut
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(theme::kHalf);
    auto* button = new QPushButton(shell::inLines(change.title));
    button->setToolTip(
        theme::tipText(tr("Make this change in the form: %1").arg(shell::withFieldNames(change.options.join(' ')))));
    lines->addWidget(button, 0, Qt::AlignLeft);
    auto* words = new shell::WrappedLabel(change.why);
    words->setProperty("role", "secondary");
    lines->addWidget(words);
    connect(button, &QPushButton::clicked, this, [this, options = change.options] { emit chosen(options); });
    m_list->addWidget(row);
    m_rows.push_back({button, words});
  }
  m_check->forget();
  setVisible(!m_changes.empty());
}

void FitChanges::showAnswers() {
  m_find->setText(m_check->isRunning() ? tr("Stop") : tr("Find what fits"));
  for (std::size_t i = 0; i < m_rows.size(); ++i) {
    const auto known = m_check->answers().find(int(i));
    const bool isKnown = known != m_check->answers().end();
    const QString answer = m_check->current() == int(i)       ? tr("Compiling…")
                           : !isKnown                         ? m_changes[i].why
                           : !known->second.problem.isEmpty() ? tr("No answer: %1").arg(known->second.problem)
                           : known->second.fits               ? tr("Fits: %1").arg(shell::tileText(known->second, m_format))
                                                : tr("Does not fit: %1").arg(shell::tileText(known->second, m_format));
    m_rows[i].words->setWords(answer);
    const bool fits = isKnown && known->second.fits;
    m_rows[i].button->setProperty("role", fits ? "primary" : QVariant());
    m_rows[i].button->style()->unpolish(m_rows[i].button);
    m_rows[i].button->style()->polish(m_rows[i].button);
  }
}

} // namespace ui::run
