#include "ui/views/home/sample_grid.h"

#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPixmap>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <set>

using namespace ui::home;

class SampleGridTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

  void fill(SampleGrid& grid) {
    std::vector<SampleText> samples;
    for (const char* name : {"mnist-train", "bert", "heat", "stencil", "matmul", "prng", "triad"})
      samples.push_back({name, QString("Title of %1").arg(name), QString("What %1 is. What to look at there.").arg(name)});
    grid.setSamples(samples);
    grid.show();
  }
  static int columnsOf(const SampleGrid& grid) {
    std::set<int> left;
    for (const QAbstractButton* run : grid.findChildren<QAbstractButton*>())
      if (run->isVisible()) left.insert(run->parentWidget()->x());
    return int(left.size());
  }

private slots:
  void aWideGridHasMoreColumnsAndLessHeight() {
    SampleGrid grid(m_theme);
    fill(grid);
    grid.resize(280, 900);
    QCOMPARE(columnsOf(grid), 1);
    const int tall = grid.heightForWidth(280);
    grid.resize(1000, 900);
    QCOMPARE(columnsOf(grid), 3);
    QVERIFY(grid.heightForWidth(1000) < tall / 2);
    // No cells overlap.
    const auto cells = grid.findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
    for (const QWidget* a : cells)
      for (const QWidget* b : cells) QVERIFY(a == b || !a->geometry().intersects(b->geometry()));
  }

  void theFilterLeavesWhatHasAllWords() {
    SampleGrid grid(m_theme);
    fill(grid);
    QCOMPARE(grid.shown(), 7);
    grid.setFilter("title bert");
    QCOMPARE(grid.shown(), 1);
    grid.setFilter("no such sample");
    QCOMPARE(grid.shown(), 0);
    QCOMPARE(grid.heightForWidth(600), 0);
    grid.setFilter({});
    QCOMPARE(grid.shown(), 7);
  }

  void samplesAreBelowTheTitleOfTheirGroup() {
    SampleGrid grid(m_theme);
    grid.setSamples({{"resnet50", "R", "An image network.", "Networks", "ResNet-50"},
                     {"vit", "V", "Patches.", "Networks", "ViT"},
                     {"llm", "L", "Decodes.", "Language models", "Llama"}});
    grid.resize(1000, 400);
    grid.show();
    QStringList titles;
    const auto headings = [&] {
      titles.clear();
      for (const QLabel* label : grid.findChildren<QLabel*>(Qt::FindDirectChildrenOnly))
        if (label->isVisible()) titles += label->text();
      return titles;
    };
    QCOMPARE(headings(), (QStringList{"Networks", "Language models"}));
    const auto cells = grid.findChildren<QWidget*>(Qt::FindDirectChildrenOnly);
    for (const QWidget* a : cells)
      for (const QWidget* b : cells) QVERIFY(a == b || !a->geometry().intersects(b->geometry()));
    grid.setFilter("llama");
    QCOMPARE(grid.shown(), 1);
    QCOMPARE(headings(), QStringList{"Language models"});
    grid.setFilter("resnet-50");
    QCOMPARE(grid.shown(), 1);
  }

  void everyCellRunsItsSample() {
    SampleGrid grid(m_theme);
    fill(grid);
    QSignalSpy asked(&grid, &SampleGrid::runRequested);
    for (QAbstractButton* run : grid.findChildren<QAbstractButton*>()) {
      QVERIFY(!run->accessibleName().isEmpty());
      run->click();
      QCOMPARE("Run " + asked.last()[0].toString(), run->accessibleName());
    }
    QCOMPARE(asked.count(), 7);
  }

  void aClickAnywhereOnACellRunsItsSample() {
    SampleGrid grid(m_theme);
    fill(grid);
    grid.resize(900, 400);
    QSignalSpy asked(&grid, &SampleGrid::runRequested);
    auto* cell = grid.findChildren<SampleCell*>().at(2);
    QVERIFY(cell->isVisible());
    QTest::mouseClick(cell->findChildren<QLabel*>().at(1), Qt::LeftButton);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].toString(), QString("heat"));
    QTest::mouseClick(cell, Qt::RightButton);
    QTest::mousePress(cell, Qt::LeftButton);
    QTest::mouseRelease(cell, Qt::LeftButton, {}, {-5, -5});
    QCOMPARE(asked.count(), 1);
  }

  // In the colours of the parts, as wide as their shares; the tooltip has the figures.
  void theStripShowsWhereTheTimeGoes() {
    const TimeParts parts{500, 250, 0, 250, 0};
    QCOMPARE(timeText(parts), QString("compute 50 %, exchange 25 %, host 25 %"));
    QCOMPARE(timeText({}), QString());
    TimeStrip strip(m_theme, parts);
    strip.resize(200, strip.height());
    const QImage image = strip.grab().toImage();
    const auto isAt = [&](int x, reports::Activity activity) { return image.pixelColor(x, 2) == m_theme.activity(activity); };
    QVERIFY(isAt(1, reports::Activity::Compute) && isAt(98, reports::Activity::Compute));
    QVERIFY(isAt(102, reports::Activity::InternalExchange) && isAt(148, reports::Activity::InternalExchange));
    QVERIFY(isAt(152, reports::Activity::HostStream) && isAt(198, reports::Activity::HostStream));
    SampleGrid grid(m_theme);
    grid.setSamples({{"a", "A", "What it is.", "First", {}, true, parts}, {"b", "B", "What it is.", "First"}});
    const auto cells = grid.findChildren<SampleCell*>();
    QCOMPARE(cells[0]->findChildren<TimeStrip*>().size(), 1);
    QVERIFY(cells[1]->findChildren<TimeStrip*>().isEmpty());
    QVERIFY(cells[0]->toolTip().contains("exchange 25 %"));
    QVERIFY(!cells[1]->toolTip().contains("Time of"));
  }

  void aBriefCellHasOneLineAndAnotherItsSentence() {
    SampleGrid grid(m_theme);
    const QString text = QString("a sentence of many words ").repeated(8).trimmed() + ". And more.";
    grid.setSamples({{"a", "A", text, "First", {}, false}, {"b", "B", text, "Others"}});
    grid.resize(280, 400);
    grid.show();
    const auto cells = grid.findChildren<SampleCell*>();
    QVERIFY(cells[0]->height() > 2 * cells[1]->height());
    QVERIFY(cells[1]->findChildren<QLabel*>().at(1)->text().endsWith(QChar(0x2026)));
    QCOMPARE(cells[1]->toolTip().contains("And more"), true);
  }

  // Beside the samples: asks for a model, which fills the form of Run; a cancelled dialog changes nothing.
  void runsAModelOfTheUser() {
    QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    tests::ViewWorld world;
    world.open("home", nullptr);
    const QString model = QString::fromStdString((world.report.folder() / "net.bin").string()); // any name
    QFile file(model);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    QSignalSpy shown(world.view.get(), &ui::shell::View::viewRequested);
    const auto answer = [&](const QString& choice) {
      QTimer look;
      QObject::connect(&look, &QTimer::timeout, [&] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (!dialog) return;
        look.stop();
        if (choice.isEmpty()) return dialog->reject();
        dialog->findChild<QLineEdit*>("fileNameEdit")->setText(choice); // as a user types it
        QMetaObject::invokeMethod(dialog, "accept");                    // protected there
      });
      look.start(10);
      world.view->findChild<QPushButton*>("runModel")->click();
    };
    answer({});
    QVERIFY(shown.isEmpty() && !world.state.messages().take<ui::shell::RunOrder>());
    answer(model);
    QCOMPARE(shown.value(0).value(0).toString(), QString("run"));
    const auto order = world.state.messages().take<ui::shell::RunOrder>();
    QVERIFY(order && std::holds_alternative<ui::shell::FillModel>(*order));
    QCOMPARE(std::get<ui::shell::FillModel>(*order).file, model);
  }
};

TILESCOPE_TEST(SampleGridTest)
#include "sample_grid_test.moc"
