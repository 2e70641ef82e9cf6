#include "ui/window/report_bookmarks.h"

#include "ui/theme/save_dialog.h"
#include "ui/window/bookmark_sheet.h"
#include "ui/window/link_navigator.h"
#include "ui/window/message_bar.h"
#include "ui/window/open_reports.h"

#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>

namespace ui::shell {

ReportBookmarks::ReportBookmarks(const theme::Theme& theme, ViewState& state, const OpenReports& reports,
                                 const LinkNavigator& links, MessageBar& message, QWidget* window)
    : QObject(window), m_state(state), m_reports(reports), m_links(links), m_message(message),
      m_sheet(new BookmarkSheet(theme, window)) {
  connect(m_sheet, &BookmarkSheet::chosen, this, &ReportBookmarks::chosen);
  connect(m_sheet, &BookmarkSheet::changed, this, [this](const std::vector<Bookmark>& bookmarks) {
    within([&] { writeBookmarks(m_file, bookmarks); });
    mark();
  });
  connect(m_sheet, &BookmarkSheet::exportRequested, this, &ReportBookmarks::exportTo);
  connect(m_sheet, &BookmarkSheet::importRequested, this, &ReportBookmarks::importFrom);
  connect(&state.messages(), &ViewMessages::bookmarkAsked, this, &ReportBookmarks::follow);
}

// A damaged list of bookmarks is reported and not overwritten: the sheet does not open.
void ReportBookmarks::show() {
  if (m_reports.files().isEmpty()) return;
  try {
    ViewLink here = m_links.here();
    if (here.reports.size() < 2)
      here.reports.clear(), here.ids.clear(); // the file is beside its report, so the links need not name it
    m_file = bookmarkFile(m_reports.files().first());
    m_sheet->open(readBookmarks(m_file), here);
  } catch (const reports::Error& error) {
    m_message.say(error);
  }
}

void ReportBookmarks::hide() { m_sheet->hide(); }

void ReportBookmarks::within(const std::function<void()>& work) {
  try {
    work();
  } catch (const reports::Error& error) {
    m_sheet->hide(); // the sheet would cover the message bar
    m_message.say(error);
  }
}

void ReportBookmarks::follow(const ShowBookmark& asked) {
  within([&] {
    const std::vector<Bookmark> all = readBookmarks(bookmarkFile(m_reports.files().first()));
    const auto at = std::size_t(asked.bookmark);
    if (asked.bookmark >= 0 && at < all.size()) emit chosen(all[at].link);
  });
}

void ReportBookmarks::exportTo() {
  const QString file =
      theme::saveFileName(m_sheet->window(), tr("Export bookmarks"), QFileInfo(m_file).fileName(), tr("Bookmarks (*.json)"));
  if (!file.isEmpty()) within([&] { writeBookmarks(file, m_sheet->bookmarks()); });
}

void ReportBookmarks::importFrom() {
  const QString into = m_file;
  std::vector<Bookmark> all = m_sheet->bookmarks();
  const QString file = QFileDialog::getOpenFileName(m_sheet->window(), tr("Import bookmarks"), {}, tr("Bookmarks (*.json)"));
  if (file.isEmpty()) return;
  within([&] {
    for (Bookmark& bookmark : readBookmarks(file))
      if (std::find(all.begin(), all.end(), bookmark) == all.end()) all.push_back(std::move(bookmark));
    writeBookmarks(into, all);
    mark();
    show();
  });
}

void ReportBookmarks::mark() {
  std::vector<ReportNotes::Mark> marks;
  try {
    if (!m_reports.files().isEmpty())
      for (const Bookmark& b : readBookmarks(bookmarkFile(m_reports.files().first())))
        marks.push_back({b.note.isEmpty() ? linkTitle(b.link) : b.note, b.link.place});
  } catch (const reports::Error&) {
    marks.clear();
  }
  m_state.notes().setMarks(std::move(marks));
}

} // namespace ui::shell
