// The origin of a step as rows: each fact once, and the source line as one row.
#include "ui/parts/debug_rows.h"

#include "tests/support/test_main.h"

#include <QTest>

using analyser::DebugLayer;
using ui::shell::debugRows;

class DebugRowsTest : public QObject {
  Q_OBJECT

private slots:
  void namesOfTheModelAreOnePath() {
    const std::vector<DebugLayer> chain = {{"library", "multiSlice", "multiSlice", ""},
                                           {"onnx", "Gather", "embeddings/words", R"({"op":"Gather","opset":17})"},
                                           {"model", "", "fwd", ""},
                                           {"model", "", "bert", ""}};
    const auto rows = debugRows(chain);
    QCOMPARE(rows.size(), std::size_t(4));
    QCOMPARE(rows[0].what, QString("model"));
    QCOMPARE(rows[0].text, QString("bert/fwd"));
    QCOMPARE(rows[1].parent, 0);
    QCOMPARE(rows[1].text, QString("Gather · embeddings/words"));
    QCOMPARE(rows[2].what, QString("opset")); // "op" is in the row above
    QCOMPARE(rows[2].parent, 1);
    QCOMPARE(rows[3].text, QString("multiSlice"));
    QCOMPARE(rows[3].parent, 1);
  }

  // A layer inside a layer of the same category shows its kind; the category is not repeated.
  void aLayerInsideItselfIsCalledByItsKind() {
    const auto rows = debugRows({{"model", "outlining", "into norm", ""}, {"model", "", "bert", ""}});
    QCOMPARE(rows.size(), std::size_t(2));
    QCOMPARE(rows[1].what, QString("outlining"));
    QCOMPARE(rows[1].text, QString("into norm"));
  }

  void theSourceIsOneRow() {
    const auto textOf = [](const char* json) {
      const auto rows = debugRows({{"onnx", "Add", "a", json}});
      return rows.size() == 2 ? rows[1].text : QString::number(rows.size());
    };
    QCOMPARE(textOf(R"({"source":{"file":"samples/bert.cpp","line":60,"function":"embeddings"}})"),
             QString("samples/bert.cpp:60 in embeddings"));
    QCOMPARE(textOf(R"({"source":{"file":"a.py","line":3}})"), QString("a.py:3"));
    QCOMPARE(textOf(R"({"doc":"adds the positions"})"), QString("adds the positions"));
    QCOMPARE(debugRows({{"onnx", "Add", "a", R"({"source":{"line":60}})"}}).size(), std::size_t(3)); // no file: shown as it is
    QCOMPARE(textOf("{damaged"), QString("{damaged"));
  }

  void nothingMadeItIsNoRow() { QVERIFY(debugRows({}).empty()); }
};

TILESCOPE_TEST(DebugRowsTest)
#include "debug_rows_test.moc"
