#include "ui/views/run/run_form.h"

#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"
#include "ui/shell/settings.h"
#include "ui/theme/theme.h"

#include <QJsonDocument>
#include <QTest>

class RunFormTest : public QObject {
  Q_OBJECT
private slots:
  // A sample with a type of its own refuses --precision or is led astray by it.
  void aPrecisionIsAskedForWhereItCanBeChosen() {
    const tests::TemporaryFolder folder;
    ui::theme::Theme theme;
    ui::shell::Settings settings(QString::fromStdString((folder / "settings.ini").string()));
    ui::run::RunForm form(theme, settings);
    form.setSamples(QJsonDocument::fromJson(R"([{"name": "mlp", "precision": "chosen"}, {"name": "heat", "precision": "fp32"},
                                                {"name": "prng", "precision": "type"}])")
                        .array());
    form.chooseSample("mlp");
    QCOMPARE(form.request().precision, QString("fp32"));
    for (const char* name : {"heat", "prng"}) {
      form.chooseSample(name);
      QCOMPARE(form.request().precision, QString());
      QVERIFY(!form.request().arguments().contains("--precision"));
    }
    form.chooseFile("model.onnx");
    QCOMPARE(form.request().precision, QString("fp32"));
  }
};

TILESCOPE_TEST(RunFormTest)
#include "run_form_test.moc"
