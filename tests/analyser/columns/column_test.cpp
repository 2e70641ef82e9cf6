#include "analyser/columns/column.h"
#include "reports/core/ids.h"
#include "reports/core/units.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser::columns;

namespace {
struct Pair {
  reports::Bytes bytes;
  std::string name;
  int64_t twice() const { return bytes.value() * 2; }
};
const Columns<Pair> kPairs = {{"name", "Name", Kind::Name, "", &Pair::name},
                              {"bytes", "Bytes", Kind::Bytes, "Of both", &Pair::bytes, Sum::Yes},
                              {"twice", "Twice", Kind::Bytes, "", &Pair::twice},
                              {"half", "Half", Kind::Number, "", [](const Pair& p) { return double(p.bytes.value()) / 2; }}};
} // namespace

class ColumnTest : public QObject {
  Q_OBJECT
private slots:
  void cellsAreOfMembersAndFunctions() {
    const Pair pair{reports::Bytes(3), "a/b"};
    QVERIFY(kPairs[0].value(pair) == Cell(std::string("a/b")));
    QVERIFY(kPairs[1].value(pair) == Cell(int64_t(3)));
    QVERIFY(kPairs[2].value(pair) == Cell(int64_t(6)));
    QVERIFY(kPairs[3].value(pair) == Cell(1.5));
  }
  void whatIsNotKnownHasNoValue() {
    QVERIFY(cellOf(std::optional<reports::Bytes>()) == Cell());
    QVERIFY(cellOf(knownIf(false, int64_t(0))) == Cell());
    QVERIFY(cellOf(knownIf(true, int64_t(0))) == Cell(int64_t(0)));
    QVERIFY(cellOf(reports::TileId()) == Cell());
    QVERIFY(cellOf(reports::TileId(7)) == Cell(int64_t(7)));
  }
  void columnsAreFoundById() {
    QCOMPARE(indexOf(kPairs, "twice"), 2);
    QCOMPARE(indexOf(kPairs, "Twice"), -1);
    const auto fewer = without(kPairs, {"bytes", "nothing"});
    QCOMPARE(fewer.size(), std::size_t(3));
    QCOMPARE(indexOf(fewer, "bytes"), -1);
  }
  void titlesBecomeIds() {
    QCOMPARE(idOf("Not always live"), std::string("notAlwaysLive"));
    QCOMPARE(idOf("FLOPs per byte"), std::string("flopsPerByte"));
    QCOMPARE(idOf("vertex code, shared"), std::string("vertexCodeShared"));
    QCOMPARE(idOf("95th percentile"), std::string("column95thPercentile"));
    QCOMPARE(idOf("−"), std::string("column"));
  }
  void unitsAreOfKinds() {
    QCOMPARE(unitOf(Kind::BytesDelta), std::string_view("bytes"));
    QVERIFY(unitOf(Kind::Percent).empty() && unitOf(Kind::Name).empty());
    QVERIFY(isNumeric(Kind::Address) && !isNumeric(Kind::Name) && isDelta(Kind::PercentDelta) && !isDelta(Kind::Percent));
  }
};

TILESCOPE_TEST(ColumnTest)
#include "column_test.moc"
