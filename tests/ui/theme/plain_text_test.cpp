// Names in a report are never interpreted as HTML, which could make the window open files or hang on a pipe.
#include "ui/theme/plain_text.h"

#include "tests/support/test_main.h"
#include "ui/theme/report_text.h"

#include <QDirIterator>
#include <QLabel>
#include <QRegularExpression>
#include <QTest>
#include <QTextDocument>

using namespace ui;

class PlainTextTest : public QObject {
  Q_OBJECT

  static constexpr const char* kImage = "<img src=\"/etc/hostname\"> & <b>bold</b>";

private slots:
  void aTagInATipIsShown() {
    QTextDocument shown;
    const QString tip = theme::tipText(kImage);
    QVERIFY(Qt::mightBeRichText(tip)); // so that the escapes are read
    shown.setHtml(tip);
    QCOMPARE(shown.toPlainText(), QString(kImage));
    QCOMPARE(theme::tipText("a & b"), QString("a & b"));
    QCOMPARE(theme::tipText("two\nlines"), QString("two\nlines"));
    QVERIFY(!Qt::mightBeRichText(theme::tipText("2 < 3, 5 > 4 & so on")) || theme::tipText("2 < 3").contains("&lt;"));
  }

  void aTagInALabelIsShown() {
    const std::unique_ptr<QLabel> label(theme::plainLabel(kImage));
    QCOMPARE(label->textFormat(), Qt::PlainText);
    QCOMPARE(label->text(), QString(kImage));
  }

  void aTextBeyondMeasureIsCutAndSaysSo() {
    const QString shown = theme::reportText(std::string(4'000'000, 'x'));
    QVERIFY(shown.size() < 5000);
    QVERIFY2(shown.endsWith("more characters)"), qPrintable(shown.right(60)));
    QVERIFY(theme::tipText(QString(1'000'000, 'y')).size() < 8000);
    QCOMPARE(theme::reportText("short"), QString("short"));
    // Cut between characters, not inside one.
    QVERIFY(!theme::reportText(std::string(9000, 'a') + "\xC3\xA9").contains(QChar::ReplacementCharacter));
  }

  // Only plain_text.cpp sets text that Qt could interpret as HTML; a tooltip is a literal or comes from tipText.
  void nobodyElseShowsText() {
    static const QRegularExpression forbidden(
        "new QLabel\\b|\\bsetHtml\\(|\\binsertHtml\\(|\\bQMessageBox\\b|<QTextBrowser>|Qt::RichText|Qt::AutoText|toHtmlEscaped");
    static const QRegularExpression tip("(?:\\bsetToolTip|QToolTip::showText)\\((?<argument>.*)");
    static const QRegularExpression fixed("^(?:tr|QObject::tr|QStringLiteral)\\(\"[^\"]*\"\\)\\)|^QString\\(\\)\\)|^\\{\\}\\)");
    static const QRegularExpression derived("\\bQLabel\\((?!\\))");
    QStringList faults;
    int files = 0;
    for (const char* folder : {"/ui", "/app/gui"}) {
      QDirIterator sources(QStringLiteral(TILESCOPE_SOURCE_DIR) + folder, {"*.cpp", "*.h"}, QDir::Files,
                           QDirIterator::Subdirectories);
      while (sources.hasNext()) {
        const QString path = sources.next();
        if (path.endsWith("ui/theme/plain_text.cpp")) continue;
        if (path.contains("ui/window/manual.")) continue; // shows pages that are compiled in, and nothing of a file
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(file.readAll());
        ++files;
        const QStringList lines = text.split('\n');
        for (qsizetype number = 1; number <= lines.size(); ++number) {
          QString line = lines[number - 1];
          if (line.endsWith('(') && number < lines.size()) line += lines[number].trimmed(); // a call that goes on below
          const auto fault = [&](const QString& why) { faults << QString("%1:%2: %3").arg(path).arg(number).arg(why); };
          if (line.trimmed().startsWith("//")) continue;
          if (const auto found = forbidden.match(line); found.hasMatch()) fault(found.captured());
          if (const auto found = tip.match(line); found.hasMatch() && !found.captured("argument").contains("tipText(") &&
                                                  !fixed.match(found.captured("argument")).hasMatch())
            fault("tool tip without tipText");
        }
        // A label of its own kind says what its text is.
        if (derived.match(text).hasMatch() && text.contains("::") && path.endsWith(".cpp") &&
            !text.contains("setTextFormat(Qt::PlainText)"))
          faults << path + ": a label without setTextFormat(Qt::PlainText)";
      }
    }
    QVERIFY(files > 100);
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
  }
};

TILESCOPE_TEST(PlainTextTest)
#include "plain_text_test.moc"
