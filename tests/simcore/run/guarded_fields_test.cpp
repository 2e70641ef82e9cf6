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
        QVERIFY2(!fields.overwritten(), std::to_string(bytes).c_str());
        if (!writes || bytes == 4096) continue; // a whole page has no bytes beside it
        const int64_t place = atEnd ? -1 : bytes;
        field[place] = std::byte{0};
        const auto escape = fields.overwritten();
        QVERIFY2(escape && escape->field == 0 && escape->byte == place, std::to_string(bytes).c_str());
        fields.clear(); // the next one has its marks again
        fields.add(bytes, 4, atEnd);
        QVERIFY2(!fields.overwritten(), (std::to_string(bytes) + ", " + std::to_string(round)).c_str());
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
