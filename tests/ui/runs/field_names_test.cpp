#include "ui/runs/field_names.h"

#include "analyser/session/sentence.h"
#include "tests/support/test_main.h"
#include "ui/theme/report_text.h"

#include <QTest>

using ui::shell::withFieldNames;

class FieldNamesTest : public QObject {
  Q_OBJECT

private slots:
  // Words with dashes of their own stay.
  void optionsHaveTheNamesOfTheirFields() {
    QCOMPARE(withFieldNames("With --accumulation 4 (--shard-state) as --io-tiles: one - two -- three, a--b, -1"),
             QString("With accumulation 4 (shard-state) as io-tiles: one - two -- three, a--b, -1"));
  }
  void optionsOfOtherCommandsStay() {
    QCOMPARE(withFieldNames("Look at the plans (summary --plans) with --ipus"),
             QString("Look at the plans (summary --plans) with ipus"));
  }
  // The headline of a sweep.
  void sentencesToo() {
    analyser::Sentence sentence;
    sentence << "fewest cycles: " << reports::Cycles(762) << " with " << analyser::Sentence::Name{"--linear-bytes 128"} << ".";
    const analyser::Sentence named = ui::shell::fieldNamesIn(sentence);
    QCOMPARE(named.parts().size(), sentence.parts().size());
    QVERIFY2(named.text().ends_with(" with linear-bytes 128."), named.text().c_str());
  }
  void textsOfLowerLayersToo() {
    QCOMPARE(ui::theme::messageText("Run replicas ({option replicas} 2)."), QString("Run replicas (replicas 2)."));
    QCOMPARE(ui::theme::reportText("{option batch}"), QString("{option batch}")); // a stranger's name
  }
};

TILESCOPE_TEST(FieldNamesTest)
#include "field_names_test.moc"
