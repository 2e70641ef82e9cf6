// Notes of an ONNX file reach the report: the lines a node was exported from, the producer, the metadata.
#include "simcore/onnx/onnx_notes.h"

#include "simcore/onnx/onnx_file.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;

class OnnxNotesTest : public QObject {
  Q_OBJECT

  static onnx::NodeProto* addRelu(onnx::ModelProto& model) {
    auto* graph = model.mutable_graph();
    tests::addValue(graph->add_input(), "x", {2, 3});
    tests::addValue(graph->add_output(), "y", {2, 3});
    tests::addNode(graph, "Relu", {"x"}, {"y"});
    return graph->mutable_node(0);
  }
  // As newer exporters write it: a field that older libraries do not know.
  static void addMetadata(onnx::NodeProto& node, const std::string& key, const std::string& value) {
    onnx::StringStringEntryProto entry;
    entry.set_key(key), entry.set_value(value);
    node.mutable_unknown_fields()->AddLengthDelimited(9, entry.SerializeAsString());
  }

private slots:
  void aNodeTellsTheLinesItComesFrom() {
    onnx::ModelProto model = tests::emptyModel(13);
    onnx::NodeProto* node = addRelu(model);
    QCOMPARE(model::noteOf(*node), std::string());
    node->set_doc_string("net.py:12");
    QCOMPARE(model::noteOf(*node), std::string("net.py:12"));
    addMetadata(*node, "namespace", "Net/relu");
    addMetadata(*node, "pkg.torch.onnx.stack_trace", "File \"net.py\", line 14, in forward");
    node->mutable_unknown_fields()->AddLengthDelimited(9, "\xff no entry");
    node->mutable_unknown_fields()->AddVarint(9, 3);
    const model::Model read = model::parseOnnx(model.SerializeAsString(), "net.onnx", {});
    QCOMPARE(read.graph.nodes.at(0).doc, std::string("File \"net.py\", line 14, in forward"));
  }

  // The older exporter's name for it, so that layers are found in both.
  void modulesAreInTheName_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("name");
    const QString scopes = "pkg.torch.onnx.name_scopes";
    QTest::newRow("list") << scopes << "['', 'layers', 'layers.0', 'layers.0.attend', 'linear']"
                          << "/layers/layers.0/attend/node_3";
    QTest::newRow("list alone") << scopes << "['', 'layers.11', 'add_5']"
                                << "/layers.11/node_3";
    QTest::newRow("other quotes") << scopes << "['', \"it's\", 'add']"
                                  << "/it's/node_3";
    QTest::newRow("top") << scopes << "['', 'relu']"
                         << "node_3";
    QTest::newRow("broken") << scopes << "['', 'open"
                            << "node_3";
    QTest::newRow("slash") << scopes << "['', 'a/b', 'relu']"
                           << "/a.b/node_3";
    QTest::newRow("added by a pass") << scopes << "['_empty_nn_module_stack_from_metadata_hook', 'sym_size_int_1']"
                                     << "node_3";
    QTest::newRow("namespace") << "namespace"
                               << ": m.Net/encoder: m.Enc/encoder.0: m.Block/relu: aten.relu.default"
                               << "/encoder/encoder.0/node_3";
    QTest::newRow("other") << "comment"
                           << "['', 'a', 'b']"
                           << "node_3";
  }
  void modulesAreInTheName() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QString, name);
    onnx::ModelProto model = tests::emptyModel(13);
    onnx::NodeProto* node = addRelu(model);
    node->set_name("node_3");
    addMetadata(*node, key.toStdString(), value.toStdString());
    const model::Model read = model::parseOnnx(model.SerializeAsString(), "net.onnx", {});
    QCOMPARE(QString::fromStdString(read.graph.nodes.at(0).name), name);
    if (name != "node_3") {
      node->clear_name();
      QCOMPARE(model::nameInModules(*node), name.section('/', 0, -2).toStdString() + "/Relu(y)");
    }
    node->set_name("/net/Relu"); // it tells them already
    QCOMPARE(model::nameInModules(*node), std::string("/net/Relu"));
  }

  void aLongNoteIsCut() {
    onnx::NodeProto node;
    node.set_doc_string(std::string(100'000, 'x'));
    QVERIFY(model::noteOf(node).size() < 5000);
    std::string accents;
    while (accents.size() < 10'000) accents += "é"; // two bytes each
    node.set_doc_string("x" + accents);
    const QString read = QString::fromStdString(model::noteOf(node));
    QVERIFY(!read.contains(QChar::ReplacementCharacter)); // no half character
  }

  void theFileIsDescribed() {
    onnx::ModelProto model = tests::emptyModel(13);
    addRelu(model);
    model.set_producer_name("pytorch"), model.set_producer_version("2.5"), model.set_doc_string("a net");
    for (int i = 0; i < 100; ++i) {
      auto* entry = model.add_metadata_props();
      entry->set_key("key" + std::to_string(i)), entry->set_value("v");
    }
    const auto notes = model::notesOf(model);
    const auto has = [&](const char* name, const char* value) {
      return std::find(notes.begin(), notes.end(), std::pair<std::string, std::string>{name, value}) != notes.end();
    };
    QVERIFY(has("producer", "pytorch 2.5") && has("opset ai.onnx", "13") && has("description", "a net") &&
            has("metadata key3", "v"));
    QVERIFY(has("more metadata", "52 entries"));
    QVERIFY(notes.size() <= 64);
    model.mutable_metadata_props(0)->set_key(std::string(1 << 20, 'k'));
    for (const auto& [name, value] : model::notesOf(model)) QVERIFY(name.size() < 200);
  }
};

TILESCOPE_TEST(OnnxNotesTest)
#include "onnx_notes_test.moc"
