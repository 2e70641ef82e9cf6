#include "ui/views/query/sql_edit.h"

#include "ui/theme/theme.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStringListModel>
#include <QSyntaxHighlighter>

namespace ui::query {

namespace {

constexpr int kOfferFrom = 2; // letters typed

const QStringList& keywords() {
  static const QStringList kWords{"SELECT", "FROM", "WHERE",    "GROUP",   "BY",     "ORDER",  "LIMIT", "JOIN", "LEFT",
                                  "ON",     "AS",   "AND",      "OR",      "NOT",    "IN",     "LIKE",  "IS",   "NULL",
                                  "DESC",   "ASC",  "CASE",     "WHEN",    "THEN",   "ELSE",   "END",   "WITH", "HAVING",
                                  "UNION",  "ALL",  "DISTINCT", "BETWEEN", "OFFSET", "EXISTS", "USING"};
  return kWords;
}

class Highlighter : public QSyntaxHighlighter {
public:
  Highlighter(const theme::Theme& theme, QTextDocument* document)
      : QSyntaxHighlighter(document), m_theme(theme),
        m_keyword(QStringLiteral("\\b(%1)\\b").arg(keywords().join('|')), QRegularExpression::CaseInsensitiveOption) {
    QObject::connect(&theme, &theme::Theme::changed, this, &QSyntaxHighlighter::rehighlight);
  }

protected:
  void highlightBlock(const QString& text) override {
    const theme::Tokens& t = m_theme.tokens();
    mark(text, m_keyword, t.accent, true);
    static const QRegularExpression kNumber(QStringLiteral("\\b[0-9.]+\\b")), kText(QStringLiteral("'[^']*'")),
        kNote(QStringLiteral("--.*$"));
    mark(text, kNumber, t.warning, false);
    mark(text, kText, t.good, false);
    mark(text, kNote, t.secondary, false);
  }

private:
  void mark(const QString& text, const QRegularExpression& pattern, const QColor& colour, bool bold) {
    QTextCharFormat format;
    format.setForeground(colour);
    if (bold) format.setFontWeight(QFont::DemiBold);
    for (auto at = pattern.globalMatch(text); at.hasNext();) {
      const auto match = at.next();
      setFormat(int(match.capturedStart()), int(match.capturedLength()), format);
    }
  }
  const theme::Theme& m_theme;
  QRegularExpression m_keyword;
};

} // namespace

SqlEdit::SqlEdit(const theme::Theme& theme, QWidget* parent) : QPlainTextEdit(parent), m_completer(new QCompleter(this)) {
  setProperty("role", "mono");
  setAccessibleName(tr("SQL"));
  setTabChangesFocus(true);
  setLineWrapMode(QPlainTextEdit::WidgetWidth);
  new Highlighter(theme, document());
  m_completer->setWidget(this);
  m_completer->setCaseSensitivity(Qt::CaseInsensitive);
  m_completer->setFilterMode(Qt::MatchStartsWith);
  connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &SqlEdit::complete);
}

void SqlEdit::setNames(const QStringList& names) {
  QStringList all = names + keywords();
  all.removeDuplicates();
  all.sort(Qt::CaseInsensitive);
  m_completer->setModel(new QStringListModel(all, m_completer));
}

void SqlEdit::insertWord(const QString& word) {
  QTextCursor cursor = textCursor();
  const QString before = cursor.block().text().left(cursor.positionInBlock());
  const bool apart = before.isEmpty() || before.endsWith(' ') || before.endsWith('(') || before.endsWith(',');
  cursor.insertText((apart ? QString() : QStringLiteral(" ")) + word);
  setFocus(Qt::OtherFocusReason);
}

QString SqlEdit::wordBeforeCursor() const {
  const QTextCursor cursor = textCursor();
  const QString before = cursor.block().text().left(cursor.positionInBlock());
  qsizetype begin = before.size();
  while (begin > 0 && (before[begin - 1].isLetterOrNumber() || before[begin - 1] == '_')) --begin;
  return before.sliced(begin);
}

void SqlEdit::complete(const QString& word) {
  QTextCursor cursor = textCursor();
  cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, int(wordBeforeCursor().size()));
  cursor.insertText(word);
  setTextCursor(cursor);
}

void SqlEdit::offer(bool asked) {
  const QString word = wordBeforeCursor();
  if (!asked && word.size() < kOfferFrom) return m_completer->popup()->hide();
  m_completer->setCompletionPrefix(word);
  if (m_completer->completionCount() == 0 ||
      (m_completer->completionCount() == 1 && m_completer->currentCompletion().compare(word, Qt::CaseInsensitive) == 0))
    return m_completer->popup()->hide();
  m_completer->popup()->setCurrentIndex(m_completer->completionModel()->index(0, 0));
  QRect place = cursorRect();
  place.setWidth(m_completer->popup()->sizeHintForColumn(0) + m_completer->popup()->verticalScrollBar()->sizeHint().width() + 16);
  m_completer->complete(place);
}

void SqlEdit::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && (event->modifiers() & Qt::ControlModifier)) {
    m_completer->popup()->hide(); // the popup would swallow the next click
    return emit runRequested();
  }
  if (m_completer->popup()->isVisible() &&
      (enter || event->key() == Qt::Key_Tab || event->key() == Qt::Key_Escape || event->key() == Qt::Key_Backtab))
    return event->ignore(); // the list of completions handles this key
  if (event->key() == Qt::Key_Space && (event->modifiers() & Qt::ControlModifier)) return offer(true);
  QPlainTextEdit::keyPressEvent(event);
  if (!event->text().isEmpty() && event->text()[0].isPrint() && event->text() != QStringLiteral(" "))
    offer(false);
  else if (!event->text().isEmpty())
    m_completer->popup()->hide();
}

} // namespace ui::query
