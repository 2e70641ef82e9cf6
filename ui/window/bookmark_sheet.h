// Ctrl+D: a note for the current view, and the bookmarks of the open report. A sheet over the window, like the palette.
#pragma once

#include "ui/state/bookmarks.h"

#include <QFrame>

#include <functional>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

class BookmarkSheet : public QFrame {
  Q_OBJECT

public:
  BookmarkSheet(const theme::Theme& theme, QWidget* window);
  // `here` is the content of a new bookmark.
  void open(std::vector<Bookmark> bookmarks, const ViewLink& here);
  const std::vector<Bookmark>& bookmarks() const { return m_bookmarks; }

signals:
  void changed(const std::vector<ui::shell::Bookmark>& bookmarks);
  void chosen(const ui::shell::ViewLink& link);
  void exportRequested();
  void importRequested();

protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void add();
  void removeCurrent();
  void go();
  void fill(int current);
  int currentRow() const;

  const theme::Theme& m_theme;
  std::vector<Bookmark> m_bookmarks;
  ViewLink m_here;
  QLabel* m_place;
  QLineEdit* m_note;
  QListWidget* m_list;
  QPushButton *m_go, *m_remove, *m_export;
};

} // namespace ui::shell
