#include "reports/rows/string_pool.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;

class StringPoolTest : public QObject {
  Q_OBJECT
private slots:
  void writesEachTextOnce() {
    tests::RowCollector rows;
    StringPool pool(rows);
    QCOMPARE(pool.id("a"), int64_t(0));
    QCOMPARE(pool.id(""), int64_t(1));
    QCOMPARE(pool.id(std::string("a")), int64_t(0));
    QCOMPARE(pool.size(), int64_t(2));
    QCOMPARE(rows.rows<StringRow>().size(), std::size_t(2));
    QCOMPARE(rows.text(0), std::string("a"));
  }
};

TILESCOPE_TEST(StringPoolTest)
#include "string_pool_test.moc"
