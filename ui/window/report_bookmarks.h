// The bookmarks of the open report: the sheet that lists them, the file beside the report that stores them, and the marks in views.
#pragma once

#include "ui/state/view_state.h"

#include <QObject>

namespace ui::theme {
class Theme;
}

namespace ui::shell {

class BookmarkSheet;
class LinkNavigator;
class MessageBar;
class OpenReports;
struct ViewLink;

class ReportBookmarks : public QObject {
  Q_OBJECT

public:
  ReportBookmarks(const theme::Theme& theme, ViewState& state, const OpenReports& reports, const LinkNavigator& links,
                  MessageBar& message, QWidget* window);
  void show();
  void hide();
  // Marks the targets of bookmarks in views. An unreadable list marks nothing: show() reports the reason.
  void mark();

signals:
  void chosen(const ui::shell::ViewLink& link);

private:
  void follow(const ShowBookmark& asked);
  void exportTo();
  void importFrom();
  void within(const std::function<void()>& work); // runs `work` and shows its error

  ViewState& m_state;
  const OpenReports& m_reports;
  const LinkNavigator& m_links;
  MessageBar& m_message;
  BookmarkSheet* m_sheet;
  QString m_file; // of the list in the sheet, even if another report was opened since
};

} // namespace ui::shell
