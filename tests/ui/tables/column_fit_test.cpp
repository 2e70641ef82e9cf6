#include "ui/tables/column_fit.h"

#include "tests/support/test_main.h"
#include "ui/tables/column_wishes.h"
#include "ui/tables/table_model.h"

#include <QHeaderView>
#include <QStandardItemModel>
#include <QTableView>
#include <QTest>

#include <numeric>

using namespace ui::tables;

class ColumnFitTest : public QObject {
  Q_OBJECT

  static int sum(const std::vector<int>& widths) { return std::accumulate(widths.begin(), widths.end(), 0); }

private slots:
  // A chosen column gets its width before optional ones; a hidden column gets none.
  void wishesComeBeforeTheRoom() {
    QStandardItemModel model(1, 4);
    model.setHorizontalHeaderLabels({"Name", "Bytes", "Cycles", "Bytes"}); // twins, which their ids tell apart
    for (int c = 0; c < 4; ++c) model.setHeaderData(c, Qt::Horizontal, QStringLiteral("column%1").arg(c), IdRole);
    QTableView view;
    view.setModel(&model);
    ui::tables::ColumnWishes wishes;
    int changes = 0;
    wishes.attach(view, *view.horizontalHeader(), [&] { ++changes; });
    const auto fitted = [&] {
      std::vector<ColumnNeed> needs{{200, 200, false, true, false, false}};
      for (int c = 1; c < 4; ++c) needs.push_back({100, 100, false, false, false, true});
      wishes.apply(*view.horizontalHeader(), needs);
      std::vector<bool> shown;
      for (const int width : fittedWidths(needs, 420)) shown.push_back(width > 0);
      return shown;
    };
    QCOMPARE(fitted(), (std::vector<bool>{true, true, true, false}));
    wishes.wish(*view.horizontalHeader(), 3, true);
    QCOMPARE(fitted(), (std::vector<bool>{true, true, false, true}));
    wishes.wish(*view.horizontalHeader(), 1, false);
    QCOMPARE(fitted(), (std::vector<bool>{true, false, true, true}));
    QVERIFY(wishes.isUnwanted(*view.horizontalHeader(), 1) && !wishes.isUnwanted(*view.horizontalHeader(), 3));
    QCOMPARE(changes, 2);
    model.setHorizontalHeaderLabels({"Name", "Size", "Work", "Size"}); // other titles change nothing
    QVERIFY(wishes.isUnwanted(*view.horizontalHeader(), 1) && !wishes.isUnwanted(*view.horizontalHeader(), 3));
  }
  void barsGiveBeforeWords() {
    ColumnNeed bar{128, 80, true, false, false}, words{200, 72, false, false, false};
    QCOMPARE(fittedWidths({bar, words}, 300), (std::vector<int>{100, 200}));
    QCOMPARE(fittedWidths({bar, words}, 250), (std::vector<int>{80, 170})); // a number is never cut
  }

  void optionalColumnsAreLeftOutTheLastFirst() {
    const ColumnNeed name{800, 220, false, true}, words{300, 72}, number{90, 90};
    ColumnNeed extra{100, 100}, other{120, 72};
    extra.isOptional = other.isOptional = true;
    // Widths: name 360, words 160, number 90, optional columns 100 and 120.
    QCOMPARE(fittedWidths({name, extra, words, number, other}, 360 + 160 + 90 + 100 + 120).back(), 120);
    const std::vector<int> narrower = fittedWidths({name, extra, words, number, other}, 360 + 160 + 90 + 100 + 119);
    QCOMPARE(narrower.back(), 0);
    QCOMPARE(narrower[1], 100);
    const std::vector<int> narrow = fittedWidths({name, extra, words, number, other}, 400);
    QVERIFY(narrow[1] == 0 && narrow.back() == 0 && narrow.front() >= 220 && sum(narrow) <= 400);
  }

  void whatNobodyNeedsIsSpreadOverAll() {
    const std::vector<ColumnNeed> needs{{200, 100, false, true}, {100, 100, false, false}, {100, 100, false, false}};
    const std::vector<int> widths = fittedWidths(needs, 1001);
    QCOMPARE(sum(widths), 1001);
    QVERIFY(widths[0] > 450 && widths[0] < 550); // not the name alone
    QVERIFY(std::abs(widths[1] - widths[2]) <= 1 && widths[1] > 200);
  }

  void barsGainMost() {
    const std::vector<int> widths = fittedWidths({{100, 100, true, false}, {100, 100, false, false}}, 600);
    QCOMPARE(widths, (std::vector<int>{400, 200}));
  }

  void wordsGiveWayAndNumbersDoNot() {
    const std::vector<ColumnNeed> needs{
        {800, 200, false, true}, {300, 70, false, false}, {90, 70, false, false}, {110, 110, false, false}};
    for (int room = 460; room < 1300; room += 7) {
      const std::vector<int> widths = fittedWidths(needs, room);
      QCOMPARE(sum(widths), room);
      QCOMPARE(widths[3], 110);
      QVERIFY(widths[0] >= 200 && widths[0] <= 800 && widths[1] >= 70 && widths[1] <= 300);
      QVERIFY2(widths[0] >= widths[1] && widths[1] >= widths[2], qPrintable(QString::number(room))); // the longest gives first
    }
    // Short words stay whole while long ones are shortened.
    QCOMPARE(fittedWidths(needs, 900)[2], 90);
  }

  void categoriesStayWholeWhilePathsCanGive() {
    std::vector<ColumnNeed> needs{{500, 220, false, true}, {170, 72, false, false, true}, {400, 72, false, false}};
    QCOMPARE(fittedWidths(needs, 600)[1], 170);
    QVERIFY(fittedWidths(needs, 400)[1] < 170); // no other column can
  }

  void whatDoesNotFitIsWider() {
    QCOMPARE(fittedWidths({{300, 220, false, true}, {100, 100, false, false}}, 200), (std::vector<int>{220, 100}));
    QVERIFY(fittedWidths({}, 100).empty());
  }
};

TILESCOPE_TEST(ColumnFitTest)
#include "column_fit_test.moc"
