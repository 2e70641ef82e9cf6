// The program as a tree: names, search and colours of the steps, and details of the selected step.
#include "analyser/program/model_layers.h"
#include "analyser/program/program_tree.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/fact_list.h"
#include "ui/tables/table_view.h"
#include "ui/views/program/program_tables.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>

#include <set>

using namespace ui;

class ProgramViewTest : public QObject {
  Q_OBJECT

  static tables::TreeView& treeOf(const tests::ViewWorld& world) { return *world.child<tables::TreeView>("Program"); }
  static QString note(const tests::ViewWorld& world) {
    for (const auto* label : world.view->findChildren<QLabel*>())
      if (label->text().contains("match") || label->text().startsWith("invalid")) return label->text();
    return {};
  }
  static QAction* actionOf(const tests::ViewWorld& world, const QString& text) {
    for (QAction* action : world.view->menuActions())
      if (action->text() == text) return action;
    return nullptr;
  }

private slots:
  // Every row has type and name, and no two siblings have the same name.
  void rowsBesideEachOtherDiffer() {
    tests::ViewWorld world;
    world.open("program");
    QVERIFY(world.settle());
    const auto tree = treeOf(world).rows().tree();
    const auto program = analyser::program::programTree(*world.session);
    std::set<std::pair<int, QString>> seen;
    for (std::size_t i = 0; i < tree->rows.size(); ++i) {
      const QString name = std::get<QString>(tree->rows[i].cells[0]);
      QVERIFY2(name.startsWith(QString::fromStdString(program.nodes[i].kind)), qPrintable(name));
      QVERIFY2(seen.emplace(tree->rows[i].parent, name).second, qPrintable(name));
      QVERIFY2(!name.contains('('), qPrintable(name));
    }
  }

  // The search accepts the same expressions as all fields, and shows the cost of its matches.
  void theSearchTakesExpressions() {
    tests::ViewWorld world;
    world.open("program");
    QVERIFY(world.settle());
    auto* field = world.child<QLineEdit>("Search for steps");
    field->setText("/conv\\d+.*COMPUTE$/");
    QVERIFY2(note(world).startsWith(theme::plural(1, "match", "matches") + ", "), qPrintable(note(world)));
    QVERIFY2(note(world).contains("cycles") && note(world).contains('%'), qPrintable(note(world)));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY2(note(world).isEmpty(), qPrintable(note(world))); // "1 of 1, …"
    QVERIFY(world.settle());
    QVERIFY(world.view->selectionText().contains("compute"));
    field->setText("conv\\d+.*compute$");
    QCOMPARE(note(world), theme::plural(0, "match", "matches"));
    field->setText("/conv(/");
    QVERIFY2(note(world).startsWith("invalid"), qPrintable(note(world)));
    // Escape empties the field, and then leaves it.
    field->setFocus();
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(field->text().isEmpty());
    QTest::keyClick(field, Qt::Key_Escape);
    QCOMPARE(world.view->focusWidget(), &treeOf(world));
  }

  // The square before a step is that of its layer if one asks for it; links carry the choice.
  void stepsAreColouredByLayer() {
    tests::ViewWorld world;
    world.open("program");
    QVERIFY(world.settle());
    const auto program = analyser::program::programTree(*world.session);
    QVERIFY(analyser::program::layersOf(program).size() > 1);
    const auto byType = treeOf(world).rows().tree();
    auto controls = world.view->fields().values();
    actionOf(world, "Colour by model layer")->trigger();
    QVERIFY(world.settle());
    const auto byLayer = treeOf(world).rows().tree();
    QCOMPARE(byLayer->columns.size(), byType->columns.size() + 1);
    const auto column =
        std::find_if(byLayer->columns.begin(), byLayer->columns.end(), [](const auto& c) { return c.id == "layer"; });
    QVERIFY(column != byLayer->columns.end());
    const auto ofLayer = std::size_t(column - byLayer->columns.begin());
    std::map<std::string, QRgb> colours;
    for (std::size_t i = 0; i < program.nodes.size(); ++i) {
      const std::string& layer = program.nodes[i].layer;
      QCOMPARE(byLayer->rows[i].swatch.isValid(), !layer.empty());
      QCOMPARE(std::get<QString>(byLayer->rows[i].cells[ofLayer]), QString::fromStdString(layer));
      if (layer.empty()) continue;
      const auto [at, isNew] = colours.try_emplace(layer, byLayer->rows[i].swatch.light.rgb());
      QCOMPARE(at->second, byLayer->rows[i].swatch.light.rgb());
    }
    QVERIFY(colours.size() > 1 && colours.begin()->second != std::next(colours.begin())->second);
    const auto byLayerControls = world.view->fields().values();
    QVERIFY(byLayerControls != controls);
    world.view->fields().set(controls);
    QVERIFY(world.settle());
    QCOMPARE(treeOf(world).rows().tree()->columns.size(), byType->columns.size());
    world.view->fields().set(byLayerControls);
    QVERIFY(world.settle());
    QCOMPARE(treeOf(world).rows().tree()->columns.size(), byLayer->columns.size());
  }

  // Without layers there is nothing to colour by, and no empty column for it.
  void withoutLayersStepsHaveTheColourOfTheirType() {
    analyser::program::Program plain;
    plain.nodes.resize(1);
    plain.nodes[0].id = reports::ProgramStepId(0), plain.nodes[0].kind = "OnTileExecute", plain.nodes[0].name = "add";
    plain.nodes[0].activity = reports::Activity::Compute;
    plain.roots = {0};
    const auto byLayer = program::programTree(plain, program::ColourBy::Layer, {});
    QCOMPARE(byLayer->columns.size(), program::programTree(plain, program::ColourBy::StepType, {})->columns.size());
    QVERIFY(byLayer->rows[0].swatch.isValid());
  }

  // Functions with the same name are distinguished by the path of their caller, without the function's own name at its end.
  void functionsAreToldApartByTheirCallers() {
    analyser::program::Program adam;
    adam.nodes.resize(5);
    const char* callers[] = {"net/wu/layer0/qkv/AdamUpdate", "net/wu/layer0/output/AdamUpdate/AdamUpdate"};
    for (std::size_t i = 0; i < adam.nodes.size(); ++i) adam.nodes[i].id = reports::ProgramStepId(i);
    adam.nodes[0].kind = "Program";
    for (std::size_t i = 0; i < 2; ++i) {
      auto &call = adam.nodes[1 + i], &function = adam.nodes[3 + i];
      call.kind = "Call", call.name = callers[i], call.parent = 0, call.depth = 1, call.callee = function.id;
      function.kind = "Function", function.name = function.label = "AdamUpdate";
    }
    adam.roots = {0, 3, 4};
    const auto table = program::rootTable(adam);
    std::set<QString> called;
    for (std::size_t c = 0; c < table->columns.size(); ++c)
      if (table->columns[c].title.startsWith("First called"))
        for (std::size_t row = 1; row < 3; ++row) called.insert(std::get<QString>(table->rows[row].cells[c]));
    QCOMPARE(called, (std::set<QString>{"net/wu/layer0/qkv", "net/wu/layer0/output"}));
  }

  // If the last column has short texts, the name column gets the rest of the width.
  void shortWordsLeaveTheNameItsRoom() {
    const theme::Theme theme;
    tables::TreeView view(theme, "Steps");
    view.resize(640, 300);
    view.show();
    const auto widthsOf = [&](int given) {
      auto tree = std::make_shared<tables::Tree>();
      tree->columns = {{"step", "Step", tables::Kind::Text, {}, given},
                       {"cycles", "Cycles", tables::Kind::Cycles, {}, 80},
                       {"layer", "Layer", tables::Kind::Text}};
      tree->columns[0].grows = true;
      tables::TreeRow row;
      row.cells = {QString("OnTileExecute · gpt2/wu/layer0/attention/qkv/AdamUpdate/firstMoment/firstMoment"), int64_t(12),
                   QString("layer0")};
      tree->rows = {row, row};
      view.setTree(tree, 0);
      return std::pair(view.columnWidth(0), view.columnWidth(2));
    };
    for (const int given : {0, 150}) { // 150: the least that the tree asks for
      const auto [name, layer] = widthsOf(given);
      QVERIFY2(name > 400 && layer < 120, qPrintable(QString("%1 and %2").arg(name).arg(layer)));
    }
  }

  // The steps of the selected step's layer are marked.
  void theLayerOfTheSelectedStepIsMarked() {
    tests::ViewWorld world;
    world.open("program");
    QVERIFY(world.settle());
    const auto program = analyser::program::programTree(*world.session);
    const auto isOf = [&](const std::string& layer) {
      return std::find_if(program.nodes.begin(), program.nodes.end(), [&](const auto& n) { return n.layer == layer; });
    };
    const auto layers = analyser::program::layersOf(program);
    for (const std::string& layer : {layers[0], layers[1], std::string()}) {
      world.state.setStep(isOf(layer)->id);
      QVERIFY(world.settle());
      auto& rows = treeOf(world).rows();
      for (std::size_t i = 0; i < program.nodes.size(); ++i)
        QCOMPARE(rows.isMarked(rows.indexOfId(int64_t(i))), !layer.empty() && program.nodes[i].layer == layer);
    }
  }

  // Variables that the step uses come first; the other live variables are grouped in one row, which shows their sum.
  void variablesOfAStepAreThoseItUses() {
    tests::ViewWorld world;
    world.open("program");
    QVERIFY(world.settle());
    const auto program = analyser::program::programTree(*world.session);
    int folded = 0, used = 0;
    for (const auto& node : program.nodes) {
      if (!node.livenessStep) continue;
      world.state.setStep(node.id);
      QVERIFY(world.settle());
      const auto tree = world.child<tables::TreeView>("Variables of the step")->rows().tree();
      QVERIFY(tree);
      int64_t inside = 0, told = 0;
      for (const auto& row : tree->rows) {
        const QString name = std::get<QString>(row.cells[0]), here = std::get<QString>(row.cells[1]);
        if (name == "Other live variables") {
          told = std::get<int64_t>(row.cells[2]), ++folded;
          QVERIFY(row.parent < 0 && row.id < 0 && here.contains("variable"));
        } else if (row.parent >= 0) {
          inside += std::get<int64_t>(row.cells[2]);
          QVERIFY(here.isEmpty());
        } else {
          QVERIFY2(!here.isEmpty() && told == 0, qPrintable(name)); // above the folded row
          ++used;
        }
      }
      QCOMPARE(inside, told);
      const auto* facts = world.child<shell::FactList>("Facts about the step");
      QCOMPARE(facts->valueOf("Id"), QString("#%1").arg(node.id.value()));
    }
    QVERIFY(folded > 0 && used > 0);
  }
};

TILESCOPE_TEST(ProgramViewTest)
#include "program_view_test.moc"
