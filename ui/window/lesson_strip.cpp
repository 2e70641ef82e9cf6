#include "ui/window/lesson_strip.h"

#include "analyser/session/session.h"
#include "ui/state/settings.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include <algorithm>
#include <utility>

namespace ui::shell {

namespace {

const QString kDismissed = QStringLiteral("lesson/dismissed"); // names of samples
constexpr int kFirstNumber = 1;                                // index in the row, after "previous"

} // namespace

LessonStrip::LessonStrip(const theme::Theme& theme, Settings& settings, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_settings(settings), m_lessons(new SampleLessons(this)), m_row(new QHBoxLayout(this)) {
  setProperty("role", "bar");
  m_row->setContentsMargins(theme::kGrid, theme::kHalf, theme::kGrid, theme::kHalf + 1);
  m_row->setSpacing(theme::kHalf);
  m_previous = tool("back", tr("Previous step of the lesson"), tr("Previous step (Shift+F4)"));
  m_next = tool("forward", tr("Next step of the lesson"), tr("Next step (F4)"));
  m_close = tool("close", tr("Dismiss the lesson"), tr("Dismiss the lesson; the menu of the report brings it back"));
  m_text = theme::plainLabel();
  m_text->setWordWrap(true);
  m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
  for (QWidget* part : std::initializer_list<QWidget*>{m_previous, m_next}) m_row->addWidget(part);
  m_row->addSpacing(theme::kGrid);
  m_row->addWidget(m_text, 1);
  m_row->addWidget(m_close);
  connect(m_previous, &QToolButton::clicked, this, [this] { go(m_step - 1); });
  connect(m_next, &QToolButton::clicked, this, [this] { go(m_step + 1); });
  connect(m_close, &QToolButton::clicked, this, [this] {
    m_settings.setValue(kDismissed, m_settings.value(kDismissed).toStringList() << m_sample);
    showIfWanted();
  });
  connect(m_lessons, &SampleLessons::changed, this, &LessonStrip::find);
  hide();
}

QToolButton* LessonStrip::tool(const QString& icon, const QString& name, const QString& tip) {
  auto* button = new QToolButton(this);
  button->setIcon(theme::icon(m_theme, icon, theme::Tint::Secondary));
  button->setAccessibleName(name);
  button->setToolTip(theme::tipText(tip));
  button->setFocusPolicy(Qt::TabFocus);
  return button;
}

void LessonStrip::setReport(const analyser::Session* report) {
  if (!m_file.isEmpty()) m_left[m_file] = m_step;
  m_sample = report ? sampleOf(*report) : QString();
  m_file = report ? QString::fromStdString(report->identity().path) : QString();
  m_isChanged = report && hasOwnSettings(*report);
  m_step = m_left.value(m_file, -1);
  if (!m_sample.isEmpty()) m_lessons->prepare();
  find();
}

void LessonStrip::setInReport(bool inReport) {
  m_inReport = inReport;
  showIfWanted();
}

void LessonStrip::find() {
  m_lesson = m_sample.isEmpty() ? nullptr : m_lessons->find(m_sample);
  if (m_step >= steps()) m_step = -1;
  showSteps();
  showSentence();
  showIfWanted();
  emit lessonChanged(hasLesson());
}

void LessonStrip::bringBack() {
  QStringList dismissed = m_settings.value(kDismissed).toStringList();
  if (dismissed.removeAll(m_sample) > 0) m_settings.setValue(kDismissed, dismissed);
  showIfWanted();
}

void LessonStrip::showIfWanted() {
  setVisible(m_lesson && m_inReport && !m_settings.value(kDismissed).toStringList().contains(m_sample));
}

void LessonStrip::showSteps() {
  for (QToolButton* button : std::exchange(m_numbers, {})) delete button;
  setAccessibleName(m_lesson ? tr("Lesson on %1").arg(m_lesson->title) : QString());
  QWidget* before = m_previous;
  for (int i = 0; i < steps(); ++i) {
    auto* button = new QToolButton(this);
    button->setText(QString::number(i + 1));
    button->setCheckable(true);
    button->setProperty("role", "step");
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(tr("Step %1 of %2: %3").arg(i + 1).arg(steps()).arg(sentence(i)));
    button->setToolTip(theme::tipText(sentence(i)));
    connect(button, &QToolButton::clicked, this, [this, i] { go(i); });
    m_numbers.push_back(button);
    m_row->insertWidget(kFirstNumber + i, button);
    button->show(); // the layout counts it at once
    setTabOrder(before, button);
    before = button;
  }
  setTabOrder(before, m_next);
  setTabOrder(m_next, m_close);
  layout()->activate(); // else the text has the width that the last lesson's steps left to it
  fit();
}

QString LessonStrip::sentence(int step) const {
  if (!m_lesson) return {};
  if (step < 0 || step >= steps()) {
    const QString first = tr("Lesson on %1: each number opens the view to look at.").arg(m_lesson->title);
    return m_isChanged ? tr("%1 It describes the default run; this run has settings of its own.").arg(first) : first;
  }
  const QString& text = m_lesson->steps[std::size_t(step)].text;
  return m_isChanged ? tr("%1 (default run)").arg(text) : text;
}

void LessonStrip::showSentence() {
  for (int i = 0; i < int(m_numbers.size()); ++i) m_numbers[std::size_t(i)]->setChecked(i == m_step);
  m_previous->setEnabled(m_step > 0);
  m_next->setEnabled(m_step + 1 < steps());
  m_text->setText(sentence(m_step));
}

void LessonStrip::go(int step) {
  if (step < 0 || step >= steps()) return;
  m_step = step;
  showSentence();
  emit placeRequested(m_lesson->steps[std::size_t(step)].place);
}

// The strip is as high as its longest sentence, so that the next step does not move the view.
void LessonStrip::fit() {
  if (!m_text) return;
  int height = m_text->fontMetrics().height();
  for (int i = -1; i < steps(); ++i) {
    const QRect room(0, 0, std::max(1, m_text->width()), 10 * height);
    height = std::max(height, m_text->fontMetrics().boundingRect(room, Qt::TextWordWrap, sentence(i)).height());
  }
  m_text->setFixedHeight(height);
}

void LessonStrip::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  layout()->activate();
  fit();
}

void LessonStrip::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
}

void LessonStrip::paintEvent(QPaintEvent* event) {
  QFrame::paintEvent(event);
  QPainter painter(this);
  painter.fillRect(QRect(0, height() - 1, width(), 1), m_theme.tokens().line);
}

} // namespace ui::shell
