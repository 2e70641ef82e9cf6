#include "reports/core/text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace reports;

class TextTest : public QObject {
  Q_OBJECT
private slots:
  // Any bytes become valid UTF-8; valid text is unchanged.
  void F17_validText() {
    for (const char* text : {"", "plain", "ü € 𝄞", "\xF4\x8F\xBF\xBF", "\xEF\xBB\xBF with mark"})
      QCOMPARE(validUtf8(text), std::string(text));
    QCOMPARE(validUtf8(std::string("a\0b", 3)), std::string("a\0b", 3));
  }
  void F17_malformedText() {
    const std::string r = "\xEF\xBF\xBD";
    QCOMPARE(validUtf8("a\xFFz"), "a" + r + "z");
    QCOMPARE(validUtf8("\xC0\x80"), r + r);                 // overlong NUL
    QCOMPARE(validUtf8("\xED\xA0\x80"), r + r + r);         // surrogate
    QCOMPARE(validUtf8("\xF4\x90\x80\x80"), r + r + r + r); // beyond Unicode
    QCOMPARE(validUtf8("\xE2\x82"), r + r);                 // cut short
    std::mt19937 random(3);
    for (int i = 0; i < 5000; ++i) {
      std::string bytes(random() % 12, ' ');
      for (auto& c : bytes) c = char(random());
      const std::string text = validUtf8(bytes);
      QCOMPARE(validUtf8(text), text);
      QCOMPARE(QString::fromStdString(text).toUtf8(), QByteArray::fromStdString(text));
    }
  }
  // Text is counted and cut by whole characters; an encoded code point decodes to itself.
  void characters() {
    QCOMPARE(characterStarts("aü€𝄞z"), (std::vector<std::size_t>{0, 1, 3, 6, 10}));
    QCOMPARE(characterCount("\xE2\x82"), std::size_t(2));
    for (const char32_t c : {U'a', U'ü', U'€', U'𝄞'}) {
      std::string text;
      appendCharacter(text, c);
      QCOMPARE(QString::fromStdString(text).toUcs4(), QList<uint>{uint(c)});
    }
    std::string lone;
    appendCharacter(lone, 0xD800);
    QCOMPARE(lone, std::string("\xEF\xBF\xBD"));
  }
  void F17_display() {
    QCOMPARE(displayText("a\nb\x1b"), std::string("a\\x0ab\\x1b"));
    QCOMPARE(displayText(std::string("a\0b", 3)), std::string("a\\x00b"));
    QCOMPARE(displayText("abc\xE2\x80\xAEgpj"), std::string("abc\\u202egpj"));
    QCOMPARE(displayText("ü€ü€", 3), std::string("ü€ü…"));
    QCOMPARE(displayText(std::string(1 << 20, 'x'), 100).size(), std::size_t(103));
  }
};

TILESCOPE_TEST(TextTest)
#include "text_test.moc"
