// The headline of a view: at most two clauses of its sentence, on at most two lines unless it has line breaks. If it needs more,
// its names are shortened in the middle until they fit; the tooltip then shows the whole sentence.
#pragma once

#include "analyser/session/sentence.h"
#include "ui/theme/format.h"

#include <QLabel>

namespace ui::shell {

class VerdictLine : public QLabel {
  Q_OBJECT

public:
  explicit VerdictLine(QWidget* parent = nullptr);
  void setSentence(const analyser::Sentence& sentence);
  void setWords(const QString& words); // without numbers or names; all of it is shown
  QString whole() const;               // every clause, with whole names
  void setFormat(const theme::Format& format);
  // Lines needed at a width, with names as short as possible.
  int linesAt(int width) const;
  int ownLines() const { return int(text().count('\n')) + 1; } // lines at any width: line breaks + 1

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  int heightForWidth(int width) const override;

protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

private:
  void fit();
  int heightOf(const QString& text, int width) const;
  int linesOf(const QString& text, int width) const;

  analyser::Sentence m_sentence, m_head; // the head: its first two clauses
  theme::Format m_format;
  int m_kept = 0; // pixels: the height of the tallest sentence at this width
  // Cache of heightForWidth: text, width and answer of the last call.
  mutable QString m_measured;
  mutable int m_measuredAt = -1, m_measuredHeight = 0;
};

} // namespace ui::shell
