// Each field that requires aligned data has it aligned in exchange buffers, too.
#include "simcore/compile/compiler.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
using namespace simcore::graph;

namespace {
// Bytes of what tile 1 receives for vertices that read 5 floats each from tile 0; `stretches` begin where they say.
int64_t receivedBytes(int minAlign, const std::vector<int64_t>& stretches) {
  const auto g = std::make_shared<Graph>(arch::tinyMachine(4));
  Codelet c;
  c.name = "Reads";
  c.fields = {{"x", FieldDirection::Input, ElementType::Float}};
  c.fields[0].minAlign = minAlign;
  c.cycles = [](const auto&) { return int64_t(10); };
  g->addCodelet(c);
  const Tensor x = g->addVariable(ElementType::Float, {40}, "x");
  g->setTileMapping(x, TileId(0));
  const auto set = g->addComputeSet("read");
  for (const int64_t begin : stretches)
    g->setTileMapping(g->addVertex(set, "Reads", {{"x", x.slice(begin, begin + 5)}}), TileId(1));
  const auto e = compile::compile(g, {{"main", program::execute(set)}});
  for (const auto& s : e.storage)
    if (s.name == "read/received") return s.bytes.at(1);
  return -1;
}
} // namespace

class FieldPaddingTest : public QObject {
  Q_OBJECT
private slots:
  void everyFieldBeginsAligned() {
    QCOMPARE(receivedBytes(0, {0, 16}), int64_t(40));
    QCOMPARE(receivedBytes(4, {0, 16}), int64_t(40));
    QCOMPARE(receivedBytes(8, {0, 16}), int64_t(48));
    QCOMPARE(receivedBytes(16, {0, 16}), int64_t(64));
    QCOMPARE(receivedBytes(16, {0, 16, 0}), int64_t(64)); // two vertices read the same
    QCOMPARE(receivedBytes(16, {0}), int64_t(32));
  }
};

TILESCOPE_TEST(FieldPaddingTest)
#include "field_padding_test.moc"
