// Numbers of labels: texts of every length that differ in one byte, in one buffer or in many.
#include "reports/recording/thread_log.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>

using tilescope_trace::StringNumbers;

class StringNumbersTest : public QObject {
  Q_OBJECT
private slots:
  void everyTextHasItsNumber() {
    StringNumbers numbers;
    std::map<std::string, std::uint32_t> wanted;
    std::string buffer; // as a caller puts labels together in one place
    for (int round = 0; round < 2; ++round)
      for (std::size_t size = 0; size <= 40; ++size)
        for (std::size_t changed = 0; changed <= size; ++changed)
          for (const char byte : {'\0', 'b', '\xff'}) {
            buffer.assign(size, 'a');
            if (changed < size) buffer[changed] = byte;
            bool isNew = false;
            const std::uint32_t number = numbers.number(buffer, isNew);
            const auto [known, first] = wanted.emplace(buffer, number);
            QCOMPARE(isNew, first);
            QCOMPARE(number, known->second);
          }
    QCOMPARE(wanted.size(), std::size_t(41 + 3 * 40 * 41 / 2));
    std::map<std::uint32_t, int> used;
    for (const auto& [text, number] : wanted) ++used[number];
    QCOMPARE(used.size(), wanted.size());
    QVERIFY(!numbers.full());
    numbers.clear();
    bool isNew = false;
    QCOMPARE(numbers.number("a", isNew), std::uint32_t(0));
    QVERIFY(isNew);
  }
};

TILESCOPE_TEST(StringNumbersTest)
#include "string_numbers_test.moc"
