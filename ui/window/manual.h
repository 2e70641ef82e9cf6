// The manual in a separate window: the help pages of the project, compiled in, with a list of chapters and a search over all of
// them. F1 opens the chapter of the shown view.
#pragma once

#include <QWidget>

#include <vector>

class QLineEdit;
class QTextBrowser;
class QTreeWidget;
class QTreeWidgetItem;
class QUrl;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

// A heading of a page and the text below it, as Markdown.
struct Chapter {
  QString page, title, text; // page: "views", as in "views.md"
  int level = 1;             // 1: the page itself
  bool operator==(const Chapter&) const = default;
};

// All pages in reading order; the first chapter of a page has the page's title and the text before its first heading.
const std::vector<Chapter>& manualChapters();
// The chapter about a view, by the title of the view; the page on views if there is none.
int chapterOfView(const QString& title);
// The chapter that a link on `page` leads to ("training.md#replicas", "#replicas"): the top of the page if no heading has the name,
// -1 if the page does not exist.
int chapterOfLink(const QUrl& url, const QString& page);
// Chapters in which every word occurs: first those with the words in the title, then those with them in bold.
std::vector<int> searchManual(const QString& words);
// For words that searchManual() does not find: chapters with words of similar spelling, else chapters with some of the words.
std::vector<int> chaptersNear(const QString& words);

class Manual : public QWidget {
  Q_OBJECT

public:
  Manual(const theme::Theme& theme, QWidget* window);
  void open(int chapter);
  int chapter() const { return m_chapter; }

protected:
  void keyPressEvent(QKeyEvent* event) override;

private:
  void fill();
  void find(const QString& words);
  void showChapter(int chapter);
  void follow(const QUrl& url);

  const theme::Theme& m_theme;
  QLineEdit* m_search;
  QTreeWidget* m_contents;
  QTextBrowser* m_text;
  int m_chapter = -1;
};

} // namespace ui::shell
