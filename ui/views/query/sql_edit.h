// A field for SQL: fixed-width, keywords and text in colour, and names of tables and columns completed while typing.
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
  // Inserts a word at the cursor, with a blank before it if needed.
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
