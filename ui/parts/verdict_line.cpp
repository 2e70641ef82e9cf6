#include "ui/parts/verdict_line.h"

#include "ui/parts/sentence_text.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QResizeEvent>

namespace ui::shell {

namespace {
constexpr int kLines = 2, kClauses = 2;
constexpr int kWhole = 100'000;                             // characters: no name is shortened
constexpr int kNameWidths[] = {90, 70, 56, 44, 36, 28, 20}; // tried in turn
} // namespace

VerdictLine::VerdictLine(QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
  setWordWrap(true);
  setTextInteractionFlags(Qt::TextSelectableByMouse);
  setMinimumHeight(theme::kControl);
  setProperty("role", "heading");
  setAccessibleName(tr("Verdict"));
  // The layout sets the width without regard to the text, because the text is shortened to the width.
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
}

void VerdictLine::setSentence(const analyser::Sentence& sentence) {
  m_sentence = sentence, m_head = firstClauses(sentence, kClauses);
  fit();
}

void VerdictLine::setWords(const QString& words) {
  m_sentence = {};
  if (!words.isEmpty()) m_sentence << words.toStdString();
  m_head = m_sentence;
  fit();
}

void VerdictLine::setFormat(const theme::Format& format) {
  m_format = format;
  m_kept = 0;
  fit();
}

int VerdictLine::linesAt(int width) const { return linesOf(sentenceText(m_head, m_format, *std::rbegin(kNameWidths)), width); }

int VerdictLine::heightOf(const QString& text, int width) const {
  return QFontMetrics(font()).boundingRect(QRect(0, 0, width, kWhole), Qt::TextWordWrap | Qt::AlignLeft, text).height();
}

int VerdictLine::linesOf(const QString& text, int width) const {
  const int line = QFontMetrics(font()).lineSpacing();
  return (heightOf(text, width) + line / 2) / std::max(1, line);
}

void VerdictLine::fit() {
  const QString all = whole();
  const int least = std::max(kLines, linesAt(width())); // lines with the shortest names
  QString text = sentenceText(m_head, m_format, kWhole);
  for (const int nameWidth : kNameWidths) {
    if (linesOf(text, width()) <= least) break;
    text = sentenceText(m_head, m_format, nameWidth);
  }
  // A low window takes height from plots, not from text. A shorter sentence keeps the height, so that nothing below moves under
  // the pointer.
  m_kept = all.isEmpty() ? 0 : std::max(m_kept, heightOf(text, width()));
  setMinimumHeight(std::max(theme::kControl, m_kept));
  setText(text);
  setToolTip(theme::tipText(text == all ? QString() : all));
  setAccessibleDescription(all);
}

QString VerdictLine::whole() const { return sentenceText(m_sentence, m_format, kWhole); }

// QLabel::sizeHint() is slow: it lays out the document of a selectable text at each call, several times per change of the text.
QSize VerdictLine::sizeHint() const { return {width(), heightForWidth(width())}; }
QSize VerdictLine::minimumSizeHint() const { return {0, minimumHeight()}; }

int VerdictLine::heightForWidth(int width) const {
  if (width != m_measuredAt || m_measured != text())
    m_measuredAt = width, m_measured = text(), m_measuredHeight = heightOf(m_measured, width);
  return std::max(minimumHeight(), m_measuredHeight);
}

void VerdictLine::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  if (event->size().width() == event->oldSize().width()) return;
  m_kept = 0;
  fit();
}

void VerdictLine::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() != QEvent::FontChange && event->type() != QEvent::StyleChange) return;
  m_kept = 0, m_measuredAt = -1;
  fit();
}

} // namespace ui::shell
