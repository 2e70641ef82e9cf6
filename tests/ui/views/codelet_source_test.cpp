// Enter on a row with the source of a codelet opens that line in the user's editor, with real keys: Memory > Vertices, Program > Vertices,
// Program > Debug.
#include "analyser/program/program_tree.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/tables/table_view.h"

#include <QFile>
#include <QLabel>
#include <QTabBar>
#include <QTabWidget>

using namespace ui;

class CodeletSourceTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  QString path(const char* name) const { return QString::fromStdString((m_folder / name).string()); }
  void write(const char* name, const QByteArray& text) {
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
  }
  // The editor's arguments of its starts since the last call.
  QString edited() {
    if (!QTest::qWaitFor([this] { return QFile::exists(path("record")); }, 10'000)) return {};
    QFile record(path("record"));
    if (!record.open(QIODevice::ReadOnly)) return {};
    const QString text = QString::fromUtf8(record.readAll());
    record.remove();
    return text;
  }
  // Every vertex type comes from line 41 of a codelet.
  void giveSource(tests::ViewWorld& world) {
    tests::tamper(world.report.path(),
                  "INSERT INTO string (id, text) SELECT max(id) + 1, '" + path("codelet.cpp").toStdString() +
                      "' FROM string; UPDATE vertex_type SET file_id = (SELECT max(id) FROM string), line = 41");
    world.session = analyser::Session::open(world.report.path().string());
  }
  // Chooses the tab with its title by the keys of a tab bar.
  static void showTab(const tests::ViewWorld& world, const QWidget* of, const QString& title) {
    for (auto* tabs : world.view->findChildren<QTabWidget*>()) {
      if (!tabs->isAncestorOf(of)) continue;
      tabs->tabBar()->setFocus();
      QTest::keyClick(tabs->tabBar(), Qt::Key_Home);
      for (int i = 0; i < tabs->count() && !of->isVisible(); ++i) QTest::keyClick(tabs->tabBar(), Qt::Key_Right);
      QVERIFY2(tabs->tabText(tabs->currentIndex()).startsWith(title), qPrintable(tabs->tabText(tabs->currentIndex())));
    }
    QVERIFY(of->isVisible());
  }

private slots:
  void initTestCase() {
    write("codelet.cpp", "// a codelet\n");
    const QByteArray record = path("record").toUtf8();
    write("editor.sh", "printf '%s' \"$1:$2\" > '" + record + ".part' && mv '" + record + ".part' '" + record + "'\n");
    qputenv("TILESCOPE_EDITOR", "sh \"" + path("editor.sh").toUtf8() + "\" {file} {line}");
  }
  void cleanupTestCase() { qunsetenv("TILESCOPE_EDITOR"); }

  void enterInMemoryOpensTheCodelet() {
    tests::ViewWorld world;
    giveSource(world);
    world.open("memory");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Vertices by type");
    showTab(world, table, "Vertices");
    QVERIFY(world.settle());
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Enter}) {
      table->setFocus();
      QTest::keyClick(table, Qt::Key_Down);
      QTest::keyClick(table, key);
      QCOMPARE(edited(), path("codelet.cpp") + ":41");
    }
  }

  void enterInTheProgramOpensTheCodelet() {
    tests::ViewWorld world;
    giveSource(world);
    world.open("program");
    QVERIFY(world.settle());
    const auto program = analyser::program::programTree(*world.session);
    const auto step =
        std::find_if(program.nodes.begin(), program.nodes.end(), [](const auto& n) { return n.computeSet.valid(); });
    QVERIFY(step != program.nodes.end());
    world.state.setStep(step->id);
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Vertices of the step");
    showTab(world, table, "Vertices");
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Down);
    QTest::keyClick(table, Qt::Key_Return);
    QCOMPARE(edited(), path("codelet.cpp") + ":41");
    auto* debug = world.child<tables::TreeView>("Debug information of the step");
    showTab(world, debug, "Debug");
    debug->setFocus();
    QTest::keyClick(debug, Qt::Key_End); // behind the debug context
    QTest::keyClick(debug, Qt::Key_Return);
    QCOMPARE(edited(), path("codelet.cpp") + ":41");
  }

  // A codelet that was compiled on another computer: a sentence, and nothing is started.
  void aSourceThatIsNotHereIsSaid() {
    tests::ViewWorld world;
    giveSource(world);
    QVERIFY(QFile::rename(path("codelet.cpp"), path("gone.cpp")));
    world.open("memory");
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Vertices by type");
    showTab(world, table, "Vertices");
    QVERIFY(world.settle());
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Down);
    QTest::keyClick(table, Qt::Key_Return);
    const auto labels = world.view->findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
      return label->isVisible() && label->text().contains("codelet.cpp is not on this computer");
    }));
    QVERIFY(!QFile::exists(path("record")));
    QVERIFY(QFile::rename(path("gone.cpp"), path("codelet.cpp")));
  }
};

TILESCOPE_TEST(CodeletSourceTest)
#include "codelet_source_test.moc"
