// A field for SQL: fixed-width, keywords and text in colour, and names of tables and columns completed while one types.
#pragma once

#include <QPlainTextEdit>

class QCompleter;

namespace ui::theme {
class Theme;
}

namespace ui::query {

class SqlEdit : public QPlainTextEdit {
  Q_OBJECT

public:
  SqlEdit(const theme::Theme& theme, QWidget* parent = nullptr);
  void setNames(const QStringList& names); // tables, columns, functions
  // Puts a word where the cursor is, with a blank before it where one is needed.
  void insertWord(const QString& word);

signals:
  void runRequested(); // Ctrl+Enter

protected:
  void keyPressEvent(QKeyEvent* event) override;

private:
  QString wordBeforeCursor() const;
  void complete(const QString& word);
  void offer(bool asked);

  QCompleter* m_completer;
};

} // namespace ui::query
