#include "ui/parts/fact_list.h"

#include "tests/support/test_main.h"
#include "ui/parts/elided_label.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QTest>
#include <QVBoxLayout>

using namespace ui::shell;

class FactListTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

  static ElidedLabel* valueNamed(const QWidget& list, const QString& start) {
    for (ElidedLabel* label : list.findChildren<ElidedLabel*>())
      if (label->accessibleName().startsWith(start)) return label;
    return nullptr;
  }

private slots:
  void valuesStayWholeAndLongOnesGoBelow() {
    QWidget panel;
    auto* column = new QVBoxLayout(&panel);
    auto* list = new FactList(m_theme, "Facts", 2);
    column->addWidget(list);
    column->addStretch(1);
    const QString path = "bert/bwd/layer7/feedForward/up/Gemm/matmul/Convolve";
    std::vector<Fact> facts;
    for (const auto& [name, value] : {std::pair<const char*, QString>{"Kind", "GlobalExchange"},
                                      {"Operation", path},
                                      {"Tiles", "5"},
                                      {"Balance", "100 %"},
                                      {"Sent", "3 MiB"}})
      facts.push_back({name, value, {}, false});
    list->setFacts(facts);
    panel.resize(440, 300);
    panel.show();
    const auto* kind = valueNamed(*list, "Kind");
    const auto* sent = valueNamed(*list, "Sent");
    const auto* operation = valueNamed(*list, "Operation");
    QTRY_VERIFY(sent->x() > kind->x() + kind->width()); // in a second column
    for (const auto* label : {kind, sent}) QCOMPARE(label->text(), label->whole());
    QVERIFY(operation->y() > kind->y() && operation->y() > sent->y());
    QVERIFY(operation->width() > kind->width());
    panel.resize(220, 300); // and back into one
    QTRY_COMPARE(sent->x(), kind->x());
    QCOMPARE(kind->text(), kind->whole());
    QCOMPARE(list->valueOf("Operation"), path);
  }

  // A long name makes the first column wide; if the names of the second column would be cut, the list has one column.
  void namesAreNeverCut() {
    QWidget panel;
    auto* column = new QVBoxLayout(&panel);
    auto* list = new FactList(m_theme, "Facts", 2);
    column->addWidget(list);
    column->addStretch(1);
    list->setFacts({{"Kind", "OnTileExecute", {}, false},
                    {"From", "620 621", {}, false},
                    {"Wasted tile-cycles of it", "140 k, 7.24 % of the tile-cycles of the slice", {}, false},
                    {"Balance over active tiles", "100 %", {}, false},
                    {"Figures are", "simulated", {}, false}});
    panel.show();
    for (int width = 300; width < 700; width += 7) {
      panel.resize(width, 300);
      QTRY_COMPARE(panel.width(), width);
      QCoreApplication::processEvents();
      for (const auto* label : list->findChildren<QLabel*>())
        if (label->isVisible() && label->text() == "Balance over active tiles")
          QVERIFY2(label->width() >= label->sizeHint().width(), qPrintable(QString::number(width)));
    }
  }

  // The text size is a preference; the fonts of the values follow it.
  void valuesFollowTheSizeOfTheText() {
    QWidget panel;
    auto* column = new QVBoxLayout(&panel);
    auto* list = new FactList(m_theme, "Facts", 1);
    column->addWidget(list);
    list->setFacts({{"Kind", "GlobalExchange", {}, false}, {"Name", "fwd/conv", {}, true}});
    panel.show();
    const double before = m_theme.text().pointSizeF();
    m_theme.setPointSize(before + 3);
    panel.setFont(m_theme.text()); // as the application's font does
    QTRY_COMPARE(valueNamed(*list, "Kind")->font().pointSizeF(), before + 3);
    QCOMPARE(valueNamed(*list, "Name")->font().pointSizeF(), m_theme.mono().pointSizeF());
    m_theme.setPointSize(before);
  }

  // Long names break into lines, so that the value has half of the width; a command has lines of its own.
  void aLongNameLeavesRoomForItsValue() {
    QWidget panel;
    auto* column = new QVBoxLayout(&panel);
    auto* list = new FactList(m_theme, "Facts", 1);
    column->addWidget(list);
    column->addStretch(1);
    list->setFacts({{"Bandwidth of the memory that is streamed from", "7.83 TB/s", {}, false},
                    {"Command", "tilescope-cli run resnet50 --set training=1 --precision fp16 --no-numbers", {}, true, true},
                    {"File", "resnet50-training-batch-1-fp16.tsr", {}, false}});
    panel.resize(330, 500);
    panel.show();
    auto* value = valueNamed(*list, "Bandwidth");
    QTRY_COMPARE(value->text(), value->whole());
    QVERIFY2(value->width() >= 140, qPrintable(QString::number(value->width())));
    const auto* command = valueNamed(*list, "Command");
    QTRY_VERIFY(command->width() >= list->width() - 2);
    for (const auto* label : list->findChildren<QLabel*>())
      if (label->text() == "Command") QVERIFY(command->y() >= label->y() + label->height());
    QVERIFY(valueNamed(*list, "File")->y() > command->y());
  }

  // A command of many words is shown to its end in a narrow column.
  void aWrappedValueIsAsHighAsItsLines() {
    QWidget panel;
    auto* column = new QVBoxLayout(&panel);
    auto* list = new FactList(m_theme, "Facts", 1);
    column->addWidget(list);
    column->addStretch(1);
    QStringList words;
    for (int i = 0; i < 40; ++i) words << QStringLiteral("--set name%1=value").arg(i);
    list->setFacts({{"Command", words.join(' '), {}, true, true}, {"Seed", "0", {}, false}});
    panel.resize(320, 2000);
    panel.show();
    const auto* command = valueNamed(*list, "Command");
    QTRY_VERIFY(command->height() >= command->heightForWidth(command->width()));
    QVERIFY(command->height() < 1900); // nor are there empty lines
    QCOMPARE(valueNamed(*list, "Seed")->height(), valueNamed(*list, "Seed")->sizeHint().height());
  }
};

TILESCOPE_TEST(FactListTest)
#include "fact_list_test.moc"
