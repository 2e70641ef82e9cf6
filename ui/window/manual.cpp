#include "ui/window/manual.h"

#include "reports/core/spelling.h"
#include "ui/parts/splitter_keys.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSplitter>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>
#include <map>

static void initialiseHelpPages() { Q_INIT_RESOURCE(help); } // outside of namespaces, as Qt requires

namespace ui::shell {

namespace {

// These come first in the contents, in this order; all other pages follow.
constexpr const char* kPages[] = {"views",           "shortcuts", "glossary", "accuracy", "files",
                                  "troubleshooting", "install",   "samples",  "models",   "onnx-models",
                                  "training",        "programs",  "api"};
constexpr int kShortestWord = 3;     // letters of a word that is searched by itself
constexpr std::size_t kMostNear = 8; // chapters

void addPage(const QString& page, std::vector<Chapter>& chapters) {
  QFile file(QStringLiteral(":/help/%1.md").arg(page));
  if (!file.open(QIODevice::ReadOnly)) return;
  bool inCode = false;
  for (const QString& line : QString::fromUtf8(file.readAll()).split('\n')) {
    if (line.startsWith(QStringLiteral("```"))) inCode = !inCode;
    const int level = inCode ? 0 : line.startsWith("# ") ? 1 : line.startsWith("## ") ? 2 : 0;
    if (level > 0)
      chapters.push_back({page, line.mid(level + 1).trimmed(), line + '\n', level});
    else if (!chapters.empty() && chapters.back().page == page)
      chapters.back().text += line + '\n';
  }
}

// The anchor of a heading, as web pages name it: "The automatic cut" is the-automatic-cut.
QString anchorOf(const QString& heading) {
  QString anchor;
  for (const QChar c : heading.toLower())
    if (c.isLetterOrNumber() || c == QLatin1Char('-') || c == QLatin1Char('_'))
      anchor += c;
    else if (c.isSpace())
      anchor += QLatin1Char('-');
  return anchor;
}

// Words of titles and of bold terms, from which candidates for a misspelt word are taken.
const std::vector<std::string>& knownWords() {
  static const std::vector<std::string> all = [] {
    static const QRegularExpression bold(QStringLiteral("\\*\\*([^*]+)\\*\\*")), notLetters(QStringLiteral("[^\\w]+"));
    std::vector<std::string> words;
    const auto add = [&](const QString& text) {
      for (const QString& word : text.split(notLetters, Qt::SkipEmptyParts))
        if (word.size() >= kShortestWord) words.push_back(word.toLower().toStdString());
    };
    for (const Chapter& chapter : manualChapters()) {
      add(chapter.title);
      for (auto term = bold.globalMatch(chapter.text); term.hasNext();) add(term.next().captured(1));
    }
    return words;
  }();
  return all;
}

// A chapter with its images, which are at most as wide as the text.
class ChapterText : public QTextBrowser {
public:
  QVariant loadResource(int type, const QUrl& name) override {
    if (type != QTextDocument::ImageResource) return QTextBrowser::loadResource(type, name);
    const double ratio = devicePixelRatioF();
    const int wide = std::max(80, viewport()->width() - 4 * theme::kMargin);
    QImage& shown = m_pictures[{name.path(), int(wide * ratio)}]; // requested at every paint
    if (!shown.isNull()) return shown;
    shown.load(QStringLiteral(":/help/") + name.path());
    if (shown.width() > wide * ratio) shown = shown.scaledToWidth(int(wide * ratio), Qt::SmoothTransformation);
    if (shown.width() > wide) shown.setDevicePixelRatio(ratio);
    return shown;
  }

protected:
  void resizeEvent(QResizeEvent* event) override {
    QTextBrowser::resizeEvent(event);
    m_pictures.clear();
    document()->markContentsDirty(0, document()->characterCount());
  }

private:
  std::map<std::pair<QString, int>, QImage> m_pictures; // by name and width in pixels
};

} // namespace

const std::vector<Chapter>& manualChapters() {
  static const std::vector<Chapter> chapters = [] {
    initialiseHelpPages();
    std::vector<Chapter> all;
    QStringList pages;
    for (const char* page : kPages) pages << QString::fromLatin1(page);
    for (const QString& file : QDir(QStringLiteral(":/help")).entryList({"*.md"}, QDir::Files, QDir::Name))
      if (!pages.contains(file.chopped(3))) pages << file.chopped(3);
    for (const QString& page : pages) addPage(page, all);
    return all;
  }();
  return chapters;
}

int chapterOfView(const QString& title) {
  const auto& all = manualChapters();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Chapter& c) {
    return c.page == QLatin1String("views") && c.title.compare(title, Qt::CaseInsensitive) == 0;
  });
  return found == all.end() ? 0 : int(found - all.begin());
}

int chapterOfLink(const QUrl& url, const QString& page) {
  const QString ending = QStringLiteral(".md"), path = url.path(), anchor = url.fragment();
  const QString wanted = path.isEmpty() ? page : path.endsWith(ending) ? path.chopped(ending.size()) : QString();
  const auto& all = manualChapters();
  int top = -1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].page != wanted) continue;
    if (!anchor.isEmpty() && anchorOf(all[i].title) == anchor) return int(i);
    if (top < 0) top = int(i);
  }
  return top;
}

namespace {
// `atWords`: a typed word must be at the beginning of a word, so that "ci" does not find "decision".
std::vector<int> chaptersWith(const QString& words, bool atWords) {
  std::vector<QRegularExpression> wanted;
  for (const QString& word : words.simplified().split(' ', Qt::SkipEmptyParts))
    wanted.emplace_back((atWords ? QStringLiteral("(?<!\\w)") : QString()) + QRegularExpression::escape(word),
                        QRegularExpression::CaseInsensitiveOption | QRegularExpression::UseUnicodePropertiesOption);
  const QString asTerm = QStringLiteral("**") + words.simplified();
  std::vector<int> inTitle, inBold, inText;
  const auto& all = manualChapters();
  for (std::size_t i = 0; i < all.size() && !wanted.empty(); ++i) {
    const auto holds = [&](const QString& text) {
      return std::all_of(wanted.begin(), wanted.end(), [&](const auto& word) { return text.contains(word); });
    };
    if (holds(all[i].title))
      inTitle.push_back(int(i));
    else if (holds(all[i].text))
      (all[i].text.contains(asTerm, Qt::CaseInsensitive) ? inBold : inText).push_back(int(i));
  }
  for (const auto* rest : {&inBold, &inText}) inTitle.insert(inTitle.end(), rest->begin(), rest->end());
  return inTitle;
}

// The title with its page, because several pages have a section "Install".
QString titleInList(const Chapter& chapter) {
  const auto& all = manualChapters();
  const auto page = std::find_if(all.begin(), all.end(), [&](const Chapter& c) { return c.page == chapter.page; });
  return page == all.end() || page->title == chapter.title ? chapter.title
                                                           : QStringLiteral("%1 · %2").arg(chapter.title, page->title);
}
} // namespace

std::vector<int> searchManual(const QString& words) {
  const std::vector<int> found = chaptersWith(words, true);
  return found.empty() ? chaptersWith(words, false) : found;
}

std::vector<int> chaptersNear(const QString& words) {
  QStringList meant = words.simplified().split(' ', Qt::SkipEmptyParts);
  for (QString& word : meant)
    if (word.size() >= kShortestWord && searchManual(word).empty())
      if (const std::string known = reports::likelyMeant(word.toStdString(), knownWords()); !known.empty())
        word = QString::fromStdString(known);
  std::vector<int> near = searchManual(meant.join(' '));
  if (near.empty())
    for (const QString& word : meant)
      for (const int chapter : word.size() < kShortestWord ? std::vector<int>() : searchManual(word))
        if (std::find(near.begin(), near.end(), chapter) == near.end()) near.push_back(chapter);
  if (near.size() > kMostNear) near.resize(kMostNear);
  return near;
}

Manual::Manual(const theme::Theme& theme, QWidget* window) : QWidget(window, Qt::Window), m_theme(theme) {
  setWindowTitle(tr("Manual – Tilescope"));
  resize(980, 720);
  auto* column = new QVBoxLayout(this);
  auto* split = new QSplitter(Qt::Horizontal);
  auto* left = new QWidget;
  auto* list = new QVBoxLayout(left);
  list->setContentsMargins(0, 0, 0, 0);
  list->addWidget(m_search = new QLineEdit);
  m_search->setPlaceholderText(tr("Search the manual"));
  m_search->setAccessibleName(tr("Search the manual"));
  m_search->setClearButtonEnabled(true);
  m_search->addAction(theme::icon(theme, "search", theme::Tint::Secondary), QLineEdit::LeadingPosition);
  list->addWidget(m_contents = new QTreeWidget);
  m_contents->setHeaderHidden(true);
  m_contents->setAccessibleName(tr("Chapters"));
  split->addWidget(left);
  split->addWidget(m_text = new ChapterText);
  m_text->setAccessibleName(tr("Chapter"));
  m_text->setOpenLinks(false);
  split->setSizes({280, 700});
  split->setStretchFactor(1, 1);
  moveByKeys(*split);
  column->addWidget(split);
  connect(m_search, &QLineEdit::textChanged, this, &Manual::find);
  connect(m_search, &QLineEdit::returnPressed, this, [this] {
    if (const QTreeWidgetItemIterator item(m_contents, QTreeWidgetItemIterator::Selectable); *item)
      m_contents->setCurrentItem(*item);
  });
  connect(m_contents, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* item) {
    if (item && item->flags().testFlag(Qt::ItemIsSelectable)) showChapter(item->data(0, Qt::UserRole).toInt());
  });
  connect(m_text, &QTextBrowser::anchorClicked, this, &Manual::follow);
  fill();
}

void Manual::fill() {
  const QSignalBlocker quiet(m_contents);
  m_contents->clear();
  QTreeWidgetItem* page = nullptr;
  const auto& all = manualChapters();
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto* item = all[i].level == 1 || !page ? new QTreeWidgetItem(m_contents) : new QTreeWidgetItem(page);
    if (all[i].level == 1) page = item;
    item->setText(0, all[i].title);
    item->setData(0, Qt::UserRole, int(i));
  }
}

void Manual::find(const QString& words) {
  if (words.trimmed().isEmpty()) return fill();
  const QSignalBlocker quiet(m_contents);
  m_contents->clear();
  std::vector<int> found = searchManual(words);
  if (found.empty()) {
    found = chaptersNear(words);
    auto* note = new QTreeWidgetItem(m_contents);
    note->setText(0, found.empty() ? tr("Nothing found") : tr("Nothing found. Similar chapters:"));
    note->setFlags(Qt::NoItemFlags);
  }
  for (const int chapter : found) {
    auto* item = new QTreeWidgetItem(m_contents);
    item->setText(0, titleInList(manualChapters()[std::size_t(chapter)]));
    item->setToolTip(0, item->text(0));
    item->setData(0, Qt::UserRole, chapter);
  }
}

// Clears the search, which could hide the chapter in the list.
void Manual::open(int chapter) {
  m_search->clear();
  showChapter(chapter);
  QWidget::show();
  raise();
  activateWindow();
}

void Manual::showChapter(int chapter) {
  const auto& all = manualChapters();
  if (chapter < 0 || std::size_t(chapter) >= all.size()) return;
  m_chapter = chapter;
  m_text->setMarkdown(all[std::size_t(chapter)].text);
  if (!m_search->text().trimmed().isEmpty()) {
    m_text->find(m_search->text().trimmed());
    return;
  }
  for (QTreeWidgetItemIterator item(m_contents); *item; ++item)
    if ((*item)->data(0, Qt::UserRole).toInt() == chapter) {
      const QSignalBlocker quiet(m_contents);
      m_contents->setCurrentItem(*item);
      break;
    }
}

// Pages link to each other by file name; addresses with a scheme open in a web browser. Other files open in the desktop's program.
void Manual::follow(const QUrl& url) {
  if (!url.scheme().isEmpty()) {
    QDesktopServices::openUrl(url);
    return;
  }
  const QString page = m_chapter < 0 ? QString() : manualChapters()[std::size_t(m_chapter)].page;
  if (const int chapter = chapterOfLink(url, page); chapter >= 0) return showChapter(chapter);
  QFile file(QStringLiteral(":/help/") + url.path());
  if (url.path().isEmpty() || !file.open(QIODevice::ReadOnly)) return;
  m_contents->setCurrentItem(nullptr); // so that the same chapter can be selected again
  m_text->setPlainText(QString::fromUtf8(file.readAll()));
}

void Manual::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) return void(close());
  if (event->matches(QKeySequence::Find)) return m_search->setFocus(), m_search->selectAll();
  QWidget::keyPressEvent(event);
}

} // namespace ui::shell
