#include "ui/window/manual.h"

#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QLineEdit>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSet>
#include <QTest>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QUrl>

#include <algorithm>
#include <set>

using namespace ui::shell;

class ManualTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

private slots:
  void everyHelpPageIsInIt() {
    std::set<QString> pages;
    for (const Chapter& chapter : manualChapters()) pages.insert(chapter.page + ".md");
    const QStringList files = QDir(QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/docs/help")).entryList({"*.md"}, QDir::Files);
    QVERIFY(files.size() >= 8);
    for (const QString& file : files) QVERIFY2(pages.contains(file), qPrintable(file));
  }

  void aViewHasItsChapter() {
    for (const char* view : {"Memory", "Liveness", "Program", "Trace", "Compare", "Run"})
      QCOMPARE(manualChapters()[std::size_t(chapterOfView(view))].title, QString(view));
    QCOMPARE(manualChapters()[std::size_t(chapterOfView("no such view"))].page, QString("views"));
  }

  // The chapter that F1 opens on Query was one paragraph of 1,900 characters.
  void theChapterOnQueryIsInParts() {
    const Chapter& chapter = manualChapters()[std::size_t(chapterOfView("Query"))];
    const QStringList parts = chapter.text.split("\n\n");
    QVERIFY(parts.size() > 5 && chapter.text.contains("\n- "));
    for (const QString& part : parts) QVERIFY2(part.size() < 600, qPrintable(part));
  }

  // Every page of the window has a screenshot in the manual, and every screenshot is used.
  void picturesAreThere() {
    std::set<QString> named;
    for (const Chapter& chapter : manualChapters())
      for (auto match = QRegularExpression("!\\[[^]]+\\]\\(([^)]+)\\)").globalMatch(chapter.text); match.hasNext();) {
        const QString file = match.next().captured(1);
        QVERIFY2(!QImage(":/help/" + file).isNull(), qPrintable(chapter.title + ": " + file));
        named.insert(file);
      }
    const QStringList files =
        QDir(QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/docs/help/pictures")).entryList({"*.png"}, QDir::Files);
    QVERIFY(files.size() >= 10);
    for (const QString& file : files) QVERIFY2(named.contains("pictures/" + file), qPrintable(file));
  }

  void aPictureIsAsWideAsTheText() {
    Manual manual(m_theme, nullptr);
    manual.resize(700, 600);
    manual.open(chapterOfView("Memory"));
    auto* text = manual.findChild<QTextBrowser*>();
    for (const int width : {700, 1000}) {
      manual.resize(width, 600);
      QCoreApplication::processEvents();
      const QImage shown = text->loadResource(QTextDocument::ImageResource, QUrl("pictures/memory.png")).value<QImage>();
      QVERIFY(shown.width() > 200 && shown.width() / shown.devicePixelRatio() <= text->viewport()->width());
      QVERIFY(text->horizontalScrollBar()->maximum() == 0);
    }
  }

  void everyWordIsLookedFor() {
    const auto found = searchManual("floor PLAN");
    QVERIFY(!found.empty());
    for (const int chapter : found) {
      const Chapter& c = manualChapters()[std::size_t(chapter)];
      QVERIFY2((c.title + c.text).contains("floor", Qt::CaseInsensitive), qPrintable(c.title));
    }
    QCOMPARE(manualChapters()[std::size_t(searchManual("trace").front())].title, QString("Trace")); // titles first
    QCOMPARE(manualChapters()[std::size_t(searchManual("ci").front())].title, QString("CI: continuous integration"));
    for (const int chapter : searchManual("ci")) { // at the beginning of a word: not in "decision"
      const Chapter& c = manualChapters()[std::size_t(chapter)];
      QVERIFY2((c.title + '\n' + c.text).contains(QRegularExpression("\\bci", QRegularExpression::CaseInsensitiveOption)),
               qPrintable(c.title));
    }
    QVERIFY(!searchManual("erstep").empty()); // nowhere at the beginning of a word
    QVERIFY(searchManual("zyxwvut").empty());
    QVERIFY(searchManual(" ").empty());
  }

  void aTermIsInTheGlossary() {
    for (const char* term : {"tile", "vertex", "superstep", "exchange", "liveness"}) {
      const auto found = searchManual(term);
      QVERIFY2(std::any_of(found.begin(), found.end(),
                           [](int i) { return manualChapters()[std::size_t(i)].page == QLatin1String("glossary"); }),
               term);
    }
    QCOMPARE(manualChapters()[std::size_t(searchManual("superstep").front())].page, QString("glossary")); // bold before plain
    for (const char* title : {"Install", "Glossary", "Shortcuts", "How accurate is it", "Where are my files", "Troubleshooting"})
      QCOMPARE(manualChapters()[std::size_t(searchManual(title).front())].title, QString(title));
  }

  void sectionsOfOneNameShowTheirPages() {
    Manual manual(m_theme, nullptr);
    manual.open(0);
    manual.findChild<QLineEdit*>()->setText("install");
    auto* contents = manual.findChild<QTreeWidget*>();
    QSet<QString> texts;
    for (int i = 0; i < contents->topLevelItemCount(); ++i) texts << contents->topLevelItem(i)->text(0);
    QVERIFY(texts.size() > 3 && texts.size() == contents->topLevelItemCount());
    QVERIFY(texts.contains("Install") && texts.contains("Install · Reports in Python"));
  }

  void aSearchWithoutAMatchNamesWhatIsNear() {
    QVERIFY(searchManual("supersetp").empty());
    QCOMPARE(chaptersNear("supersetp"), chaptersNear("superstep"));
    QVERIFY(!chaptersNear("install zyxwvut").empty());
    QVERIFY(chaptersNear("zyxwvut").empty());
    Manual manual(m_theme, nullptr);
    manual.open(0);
    auto* search = manual.findChild<QLineEdit*>();
    auto* contents = manual.findChild<QTreeWidget*>();
    search->setText("zyxwvut");
    QCOMPARE(contents->topLevelItemCount(), 1);
    QVERIFY(contents->topLevelItem(0)->text(0).startsWith("Nothing found"));
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(manual.chapter(), 0);
    search->setText("supersetp");
    QVERIFY(contents->topLevelItemCount() > 1);
    QTest::keyClick(search, Qt::Key_Return);
    QCOMPARE(manualChapters()[std::size_t(manual.chapter())].page, QString("glossary"));
  }

  // Links to other pages, to headings of them and of the same page, and to examples; all others have a scheme.
  void everyLinkLeadsToItsHeading() {
    static const QRegularExpression link("(?<!!)\\[[^]]+\\]\\(([^)\\s]+)\\)"), notLetters("[^a-z0-9]");
    const auto letters = [](QString text) { return text.toLower().remove(notLetters); };
    for (const Chapter& chapter : manualChapters())
      for (auto match = link.globalMatch(chapter.text); match.hasNext();) {
        const QUrl url(match.next().captured(1));
        const bool isExample = !url.path().isEmpty() && !url.path().endsWith(".md") && QFile::exists(":/help/" + url.path());
        if (!url.scheme().isEmpty() || isExample) continue;
        const QString where = chapter.title + ": " + url.toString();
        const int led = chapterOfLink(url, chapter.page);
        QVERIFY2(led >= 0, qPrintable(where));
        const Chapter& to = manualChapters()[std::size_t(led)];
        if (url.hasFragment()) QVERIFY2(letters(to.title) == letters(url.fragment()), qPrintable(where));
      }
    QCOMPARE(chapterOfLink(QUrl("no-such-page.md"), "views"), -1);
  }

  void theWindowFollowsLinks() {
    Manual manual(m_theme, nullptr);
    manual.open(chapterOfLink(QUrl("training.md"), {}));
    auto* text = manual.findChild<QTextBrowser*>();
    emit text->anchorClicked(QUrl("#the-automatic-cut"));
    QVERIFY(text->toPlainText().startsWith("The automatic cut"));
    emit text->anchorClicked(QUrl("views.md#liveness"));
    QVERIFY(text->toPlainText().startsWith("Liveness"));
    emit text->anchorClicked(QUrl("compare-workflow.yml"));
    QVERIFY(text->toPlainText().contains("runs-on"));
  }

  void theWindowShowsWhatIsChosen() {
    Manual manual(m_theme, nullptr);
    manual.open(chapterOfView("Trace"));
    auto* text = manual.findChild<QTextBrowser*>();
    QVERIFY(text->toPlainText().startsWith("Trace"));
    auto* search = manual.findChild<QLineEdit*>();
    QTest::keyClicks(search, "lifetimes");
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY(text->toPlainText().contains("Lifetimes"));
    search->clear();
    QVERIFY(manual.findChild<QTreeWidget*>()->topLevelItemCount() >= 8);
    QTest::keyClick(&manual, Qt::Key_Escape);
    QVERIFY(!manual.isVisible());
  }
};

TILESCOPE_TEST(ManualTest)
#include "manual_test.moc"
