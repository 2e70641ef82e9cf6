#include "ui/parts/verdict_line.h"

#include "tests/support/test_main.h"
#include "ui/parts/elided_label.h"

#include <QTest>

using namespace ui::shell;

class VerdictLineTest : public QObject {
  Q_OBJECT

  static analyser::Sentence longSentence() {
    analyser::Sentence s;
    s << "Peak " << reports::Bytes(51'500'000) << " at step " << int64_t(18) << " ("
      << analyser::Sentence::Name{std::string(400, 'a')} << "): the largest " << analyser::Sentence::Name{std::string(380, 'b')}
      << ".";
    return s;
  }

private slots:
  void longNamesAreShortenedToTwoLinesAndWholeInTheTooltip() {
    VerdictLine line;
    line.resize(600, 60);
    line.setSentence(longSentence());
    QVERIFY(line.text().contains("…"));
    QVERIFY(line.text().size() < 300);
    QVERIFY(line.toolTip().contains(QString(400, 'a')));
    QVERIFY(line.linesAt(600) <= 2);
    const QString narrow = line.text();
    line.show();
    line.resize(1800, 60);
    QVERIFY(line.text().size() > narrow.size());
  }
  // A headline may have lines of its own; a line break in a text of the report makes none.
  void aHeadlineMayHaveLines() {
    VerdictLine line;
    line.resize(600, 60);
    analyser::Sentence s;
    s << "17.8 % more on the fullest tile"
      << "\n"
      << "Time: 3 % more"
      << "\n"
      << "Largest cause: a\nb";
    line.setSentence(s);
    QCOMPARE(line.ownLines(), 3);
    QCOMPARE(line.linesAt(600), 3);
    QVERIFY2(line.text().startsWith("17.8 % more on the fullest tile\nTime: 3 % more\nLargest"), qPrintable(line.text()));
  }
  void shortSentencesStayAsTheyAre() {
    VerdictLine line;
    line.resize(600, 60);
    analyser::Sentence s;
    s << "Fits: " << analyser::Sentence::Name{"conv/weights"} << " holds " << reports::Bytes(2048) << ".";
    line.setSentence(s);
    QCOMPARE(line.text().replace(QChar(0xa0), ' '), QString("Fits: conv/weights holds 2.00 KiB."));
    QVERIFY(line.toolTip().isEmpty());
    line.setFormat(ui::theme::Format({ui::theme::TimeUnit::Cycles, ui::theme::MemoryUnit::Bytes}));
    QVERIFY2(line.text().endsWith("B.") && !line.text().contains("KiB"), qPrintable(line.text()));
  }
  // The rest is in the tooltip; a semicolon in parentheses or in a name ends no clause.
  void theHeadlineHasTwoClauses() {
    VerdictLine line;
    line.resize(1600, 60);
    analyser::Sentence s;
    s << "Fits (5 %; 6 % with gaps), " << analyser::Sentence::Name{"a;b"} << " is largest; the second; the third.";
    line.setSentence(s);
    QCOMPARE(line.text().replace(QChar(0xa0), ' '), QString("Fits (5 %; 6 % with gaps), a;b is largest; the second."));
    QVERIFY(line.toolTip().contains("the third."));
    QVERIFY(line.accessibleDescription().endsWith("the third.") && line.whole() == line.accessibleDescription());
    line.setWords("One; two; three."); // a message is shown whole
    QCOMPARE(line.text(), QString("One; two; three."));
  }
  // The rows below do not move when the sentence gets shorter, until the width changes.
  void aShorterSentenceKeepsTheRoom() {
    VerdictLine line;
    line.resize(600, 60);
    line.setSentence(longSentence());
    const int tall = line.minimumHeight();
    line.setWords("Short.");
    QCOMPARE(line.minimumHeight(), tall);
    line.setWords({}); // another report
    line.setWords("Short.");
    QVERIFY(line.minimumHeight() < tall);
  }
  void foreignNamesCannotTurnTheLine() {
    VerdictLine line;
    line.resize(600, 60);
    analyser::Sentence s;
    s << analyser::Sentence::Name{"evil\n\xe2\x80\xae<b>name</b>"} << " first.";
    line.setSentence(s);
    QCOMPARE(line.textFormat(), Qt::PlainText);
    QVERIFY(!line.text().contains('\n') && !line.text().contains(QChar(0x202e)));
  }
  void anElidedLabelKeepsTheWhole() {
    ElidedLabel label("Name");
    label.resize(80, 20);
    label.setWhole("a/name/that/is/much/longer/than/eighty/pixels");
    QVERIFY(label.text().contains("…"));
    QCOMPARE(label.whole(), QString("a/name/that/is/much/longer/than/eighty/pixels"));
    QCOMPARE(label.toolTip(), label.whole());
  }
  void anElidedLabelKeepsItsBeginning() {
    ElidedLabel label("Selected step");
    label.resize(160, 20);
    label.setWhole("Step 95: bert/wu/embeddings/words.weight/gatherOperands", {}, 9);
    QVERIFY2(label.text().startsWith("Step 95: ") && label.text().contains("…"), qPrintable(label.text()));
  }
  // In a low window the layout shrinks all widgets, but the text is not cut.
  void twoLinesHaveTheirHeight() {
    VerdictLine line;
    line.resize(300, 20);
    line.setWords("A sentence with enough words that it needs more than one line of three hundred pixels.");
    QVERIFY(line.minimumHeight() >= 2 * line.fontMetrics().lineSpacing());
    line.setWords({}); // a shorter sentence would keep the room
    line.setWords("One.");
    QVERIFY(line.minimumHeight() < 2 * line.fontMetrics().lineSpacing());
  }
};

TILESCOPE_TEST(VerdictLineTest)
#include "verdict_line_test.moc"
