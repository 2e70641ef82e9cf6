// Copies of fields between pages that cannot be touched: marker bytes are kept from one vertex to the next.
#include "simcore/run/guarded_fields.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cstring>
#include <vector>

using simcore::run::equalBytes;
using simcore::run::GuardedFields;

class GuardedFieldsTest : public QObject {
  Q_OBJECT
private slots:
  void eachWriteBesideAFieldIsFound() {
    GuardedFields fields;
    for (const int64_t bytes : {4, 12, 2000, 4096, 5000, 4}) // all on the same pages; later fields cover earlier marks
      for (int round = 0; round < 6; ++round) {
        const bool atEnd = round % 2 == 0, writes = round > 3;
        fields.clear();
        std::byte* const field = fields.add(bytes, 4, atEnd);
        std::memset(field, 0x5a, std::size_t(bytes));
        QVERIFY2(fields.overwritten().empty(), std::to_string(bytes).c_str());
        if (!writes || bytes == 4096) continue; // a whole page has no bytes beside it
        const int64_t place = atEnd ? -1 : bytes;
        field[place] = std::byte{0};
        const auto escapes = fields.overwritten();
        QVERIFY2(escapes.size() == 1 && escapes[0].field == 0 && escapes[0].byte == place, std::to_string(bytes).c_str());
        fields.clear(); // the next one has its marks again
        fields.add(bytes, 4, atEnd);
        QVERIFY2(fields.overwritten().empty(), (std::to_string(bytes) + ", " + std::to_string(round)).c_str());
      }
  }

  // Both sides of a page that was let through hold zeros for the next field, whatever the last one stored there.
  void storesThatPassAreLost() {
    GuardedFields fields;
    for (const bool keepOpen : {false, true}) {
      fields.clear();
      std::byte* const field = fields.add(8, 8, true, keepOpen);
      volatile std::byte* const beside = field + 8;
      QVERIFY(fields.outside(true).empty() && fields.outside(false).empty());
      QVERIFY(fields.letPass(field + 16, false));
      QCOMPARE(int(beside[8]), 0);
      QVERIFY(fields.letPass(field + 12, true));
      beside[4] = std::byte{7};
      QCOMPARE(int(beside[4]), 7);
      QCOMPARE(fields.outside(false).at(0).byte, int64_t(16));
      QCOMPARE(fields.outside(true).at(0).byte, int64_t(12));
      QVERIFY(!fields.letPass(field, true) && !fields.letPass(nullptr, true));
      fields.clear();
      QCOMPARE(fields.add(8, 8, true, keepOpen), field);
      QVERIFY(fields.outside(true).empty() && fields.letPass(field + 12, false));
      QCOMPARE(int(beside[4]), 0);
    }
  }

  void bytesAreComparedToTheLast() {
    for (std::size_t n : {0, 1, 7, 8, 9, 63, 64, 127, 128, 300}) {
      std::vector<std::byte> a(n + 1, std::byte{1}), b = a;
      b[n] = std::byte{2};
      QVERIFY(equalBytes(a.data(), b.data(), n));
      for (std::size_t at = 0; at < n; ++at) {
        b[at] = std::byte{3};
        QVERIFY(!equalBytes(a.data(), b.data(), n));
        b[at] = std::byte{1};
      }
    }
  }
};

TILESCOPE_TEST(GuardedFieldsTest)
#include "guarded_fields_test.moc"
