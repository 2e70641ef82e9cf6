// The lessons of the samples: each step opens its place in the report of the default run, what it says is true there, and the
// strip is there for reports of samples alone.
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/lesson_claims.h"
#include "tests/ui/views/listed.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"
#include "ui/window/lesson_strip.h"
#include "ui/window/main_window.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;
using tests::listed;

namespace {

constexpr int kLessonRunMs = 120'000; // on a busy machine

QByteArray answerOf(const QStringList& words) {
  QProcess process;
  process.start(QStringLiteral(TILESCOPE_BINARY_DIR "/bin/tilescope-cli"), words);
  return process.waitForFinished(kLessonRunMs) && process.exitCode() <= 1 ? process.readAllStandardOutput() : QByteArray();
}

// A window with a report, and its strip.
struct LessonDesk {
  LessonDesk(const QString& report, const QString& ini, QSize size = {1280, 800})
      : settings(ini), window(theme, settings,
                              {listed("home"), listed("summary"), listed("insights"), listed("memory"), listed("liveness"),
                               listed("program"), listed("operations"), listed("trace"), listed("compare")}) {
    window.resize(size);
    window.show();
    strip = window.findChild<shell::LessonStrip*>();
    isOpen = open({report});
  }
  bool open(const QStringList& reports) {
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports(reports);
    return QTest::qWaitFor([&] { return finished.count() == 1; }, 20000) && settle();
  }
  bool settle() {
    return QTest::qWaitFor([this] { return window.currentView() && !window.currentView()->isBusy(); }, 20000);
  }
  bool hasStrip() {
    return QTest::qWaitFor([this] { return strip->isVisible(); }, 20000);
  }
  QAbstractButton* button(const QString& start) {
    for (auto* candidate : strip->findChildren<QAbstractButton*>())
      if (candidate->accessibleName().startsWith(start)) return candidate;
    return nullptr;
  }
  QString sentence() { return strip->findChild<QLabel*>()->text(); }

  theme::Theme theme;
  shell::Settings settings;
  shell::MainWindow window;
  shell::LessonStrip* strip = nullptr;
  bool isOpen = false;
};

} // namespace

class LessonsTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  QJsonArray m_samples;

  QString reportOf(const QString& sample, const QStringList& more = {}) const {
    const QString file = m_folder.filePath(sample + more.join('-') + ".tsr");
    if (!QFileInfo::exists(file)) answerOf(QStringList{"run", sample, "--no-numbers", "--progress", "none", "-o", file} + more);
    return file;
  }
  QString ini(const char* name) const { return m_folder.filePath(QString::fromLatin1(name) + ".ini"); }
  static QJsonArray stepsOf(const QJsonValue& sample) { return sample.toObject().value("lesson").toArray(); }

private slots:
  void initTestCase() {
    qputenv("TILESCOPE_CLI", TILESCOPE_BINARY_DIR "/bin/tilescope-cli");
    m_samples = QJsonDocument::fromJson(answerOf({"samples", "--json"})).array();
    QVERIFY(!m_samples.isEmpty());
  }
  void cleanupTestCase() { qunsetenv("TILESCOPE_CLI"); }

  void theSentencesAreShort() {
    int lessons = 0;
    for (const QJsonValue sample : m_samples) {
      const QJsonArray steps = stepsOf(sample);
      if (steps.isEmpty()) continue;
      ++lessons;
      QVERIFY(steps.size() >= 3 && steps.size() <= 5);
      for (const QJsonValue step : steps) {
        const QString text = step.toObject().value("text").toString();
        QVERIFY2(text.size() > 30 && text.size() <= 130 && text.endsWith('.'), qPrintable(text));
        QVERIFY2(!text.contains("--"), qPrintable(text));
      }
    }
    QCOMPARE(lessons, int(m_samples.size()));
    for (const char* first : {"mnist-train", "matmul", "bert-pipeline"}) // Home begins with them
      QVERIFY2(std::any_of(m_samples.begin(), m_samples.end(),
                           [&](const QJsonValue s) {
                             return s.toObject().value("name") == QLatin1String(first) && !stepsOf(s).isEmpty();
                           }),
               first);
  }

  void eachStepOpensItsPlace_data() {
    QTest::addColumn<QString>("sample");
    for (const QJsonValue sample : m_samples)
      if (!stepsOf(sample).isEmpty()) {
        const QString name = sample.toObject().value("name").toString();
        QTest::newRow(qPrintable(name)) << name;
      }
  }
  void eachStepOpensItsPlace() {
    QFETCH(QString, sample);
    const QString report = reportOf(sample);
    LessonDesk desk(report, ini("places"));
    QVERIFY(desk.isOpen && desk.hasStrip());
    QJsonArray steps;
    for (const QJsonValue one : m_samples)
      if (one.toObject().value("name") == sample) steps = stepsOf(one);
    QCOMPARE(desk.strip->steps(), int(steps.size())); // each has a location
    for (int i = 0; i < steps.size(); ++i) {
      QAbstractButton* number = desk.button(QStringLiteral("Step %1 of").arg(i + 1));
      QVERIFY(number && number->isVisible());
      QTest::mouseClick(number, Qt::LeftButton);
      QVERIFY(desk.settle());
      const auto place = shell::parseLink(steps[i].toObject().value("place").toString());
      QVERIFY(place && place->reports.isEmpty());
      QCOMPARE(desk.window.state().view(), place->place.view);
      const auto isShown = [&] {
        const auto values = desk.window.currentView()->fields().values();
        for (auto field = place->fields.begin(); field != place->fields.end(); ++field)
          if (values.value(field.key()) != field.value()) return false;
        return true;
      };
      QVERIFY2(QTest::qWaitFor(isShown, 20000), qPrintable(steps[i].toObject().value("place").toString()));
      QCOMPARE(desk.strip->step(), i);
      QVERIFY(number->isChecked());
      QCOMPARE(desk.sentence(), steps[i].toObject().value("text").toString());
    }
  }

  // The list of operations and their picture are two choices, of which a step needs both.
  void stepsOfOperationsSetBothChoices() {
    int found = 0;
    for (const QJsonValue sample : m_samples)
      for (const QJsonValue step : stepsOf(sample)) {
        const auto place = shell::parseLink(step.toObject().value("place").toString());
        QVERIFY(place);
        if (place->place.view != QLatin1String("operations")) continue;
        ++found;
        QVERIFY2(place->fields.contains("rows") && place->fields.contains("picture"),
                 qPrintable(sample.toObject().value("name").toString()));
      }
    QVERIFY(found > 20);
  }

  // Step 3 of resnet50 showed the rows by kind that step 2 had chosen.
  void aStepShowsTheSameAfterOtherChoices_data() {
    QTest::addColumn<QString>("sample");
    for (const char* sample : {"resnet50", "bert-pipeline", "matmul"}) QTest::newRow(sample) << QString::fromLatin1(sample);
  }
  void aStepShowsTheSameAfterOtherChoices() {
    QFETCH(QString, sample);
    LessonDesk desk(reportOf(sample), ini("changed"));
    QVERIFY(desk.isOpen && desk.hasStrip());
    const auto shownAt = [&](int step) {
      desk.strip->go(step);
      [[maybe_unused]] const bool isStill =
          desk.settle() && QTest::qWaitFor([&] { return !desk.window.currentView()->isBusy(); });
      QTest::qWait(0);
      shell::FieldValues values = desk.window.currentView()->fields().values(shell::ViewFields::Which::First);
      values.removeIf([](const auto& value) { return value.key() == "slice"; }); // of a selection
      return values;
    };
    std::vector<shell::FieldValues> before(std::size_t(desk.strip->steps()));
    for (int step = desk.strip->steps() - 1; step >= 0; --step) before[std::size_t(step)] = shownAt(step);
    for (int step = 0; step < desk.strip->steps(); ++step) {
      shell::View* view = desk.window.currentView();
      for (auto* box : view->findChildren<QComboBox*>())
        if (box->isVisible() && box->isEnabled())
          box->setCurrentIndex(box->count() - 1), emit box->activated(box->currentIndex());
      for (auto* table : view->findChildren<tables::FilteredTable*>()) table->filter().setText("nothing is called so");
      QVERIFY(desk.settle());
      QCOMPARE(shownAt(step), before[std::size_t(step)]);
    }
  }

  // A figure that changes makes a sentence wrong: then the test fails, and the sentence is written again.
  void whatTheStepsSayIsTrue_data() {
    QTest::addColumn<int>("claim");
    for (int i = 0; i < int(std::size(tests::kClaims)); ++i)
      QTest::newRow(qPrintable(QStringLiteral("%1 %2 (%3)").arg(tests::kClaims[i].sample).arg(tests::kClaims[i].step).arg(i)))
          << i;
  }
  void whatTheStepsSayIsTrue() {
    QFETCH(int, claim);
    const tests::Claim& c = tests::kClaims[claim];
    const QByteArray answer = answerOf({"query", reportOf(c.sample), c.sql, "--format", "csv"});
    QCOMPARE(answer.trimmed().split('\n').last().trimmed(), QByteArray("1"));
  }

  void theCostliestFindingIsTheOneNamed() {
    const auto findingsOf = [this](const char* sample) {
      return QJsonDocument::fromJson(answerOf({"insights", reportOf(sample), "--json"})).array();
    };
    const auto firstOf = [&](const char* sample) { return findingsOf(sample)[0].toObject().value("title").toString(); };
    for (const char* sample : {"mnist-train", "attention", "gnn", "autoencoder", "overlapped-io"})
      QCOMPARE(QString::fromLatin1(sample) + ' ' + firstOf(sample), QString::fromLatin1(sample) + " Waiting for the host");
    QCOMPARE(findingsOf("attention")[1].toObject().value("title").toString(), QString("Exchange"));
    const QJsonObject bubble = findingsOf("bert-pipeline")[0].toObject();
    QCOMPARE(bubble.value("title").toString(), QString("Pipeline bubble"));
    std::map<QString, double> waits; // the first and the last stage wait least
    for (const QJsonValue part : bubble.value("parts").toArray())
      waits[part.toObject().value("name").toString()] = part.toObject().value("cycles").toDouble();
    for (const char* outer : {"IPU 0 waits", "IPU 3 waits"})
      for (const char* inner : {"IPU 1 waits", "IPU 2 waits"}) QVERIFY(waits.at(outer) > 0 && waits.at(outer) < waits.at(inner));
    QCOMPARE(firstOf("heat"), QString("Copies within tiles"));
    QCOMPARE(firstOf("data-parallel"), QString("Copies between IPUs"));
    QCOMPARE(firstOf("matvec"), QString("Small messages"));
    const std::vector<std::pair<const char*, QStringList>> more{{"efficientnet", {"Exchange"}},
                                                                {"sales-forecast", {"Waiting for the host"}},
                                                                {"rl-policy", {"Copies between IPUs"}},
                                                                {"schnet", {"Exchange"}},
                                                                {"kge", {"Waiting for the host"}},
                                                                {"sparse-matmul", {"Copies within tiles"}},
                                                                {"scaled-add", {"Unused tiles"}},
                                                                {"pointer-chase", {"Unused tiles"}},
                                                                {"belief-propagation", {"Unused tiles"}},
                                                                {"x-drop", {"Unused tiles", "Imbalance"}},
                                                                {"gaussian-blur", {"Copies within tiles"}},
                                                                {"monte-carlo", {"Waiting for the host"}},
                                                                {"hmc", {"Unused tiles"}},
                                                                {"spiking", {"Unused tiles", "Low use of the matrix units"}}};
    for (const auto& [sample, titles] : more)
      for (int i = 0; i < titles.size(); ++i)
        QCOMPARE(QString::fromLatin1(sample) + ' ' + findingsOf(sample)[i].toObject().value("title").toString(),
                 QString::fromLatin1(sample) + ' ' + titles[i]);
    for (const char* sample : {"scaled-add", "pointer-chase", "belief-propagation"}) QCOMPARE(findingsOf(sample).size(), 1);
  }

  // Only for the report of a sample, in views of that report.
  void theStripIsForReportsOfSamples() {
    LessonDesk desk(reportOf("matvec"), ini("strip"));
    QVERIFY(desk.isOpen && desk.hasStrip());
    QVERIFY2(desk.sentence().startsWith("Lesson on"), qPrintable(desk.sentence()));
    QCOMPARE(desk.strip->step(), -1);
    QCOMPARE(desk.window.state().view(), QString("summary")); // opening a report opens no step
    desk.window.showView("home");
    QVERIFY(!desk.strip->isVisible());
    desk.window.showView("memory");
    QVERIFY(desk.strip->isVisible());
    // A comparison has no lesson.
    QVERIFY(desk.open({reportOf("matvec"), reportOf("hello-tiles")}));
    QVERIFY(!desk.strip->isVisible());
    // A made-up report that names no sample; one that names a model; one whose workload is a sample, with texts of its own.
    const tests::TinyReport stranger{{.ipus = 1, .tilesPerIpu = 4, .operations = 2}};
    const QString file = QString::fromStdString(stranger.path().string());
    QVERIFY(desk.open({file}));
    QVERIFY(!desk.strip->isVisible());
    const auto set = [&](const char* key, const char* value) {
      tests::tamper(stranger.path(), std::string("INSERT OR REPLACE INTO metadata VALUES ('") + key + "', '" + value + "')");
    };
    set("workload", "matvec"), set("command_line", "tilescope-cli run ./matvec.onnx -o x.tsr");
    LessonDesk model(file, ini("model"));
    QTest::qWait(300); // waits because a wrong strip would come with the list of samples
    QVERIFY(model.isOpen && !model.strip->isVisible());
    set("command_line", "tilescope-cli run matvec -o x.tsr"),
        set("lesson", "[{\"text\":\"Trust me\",\"place\":\"tilescope:?view=run\"}]");
    LessonDesk named(file, ini("named"));
    QVERIFY(named.isOpen && named.hasStrip());
    for (auto* button : named.strip->findChildren<QAbstractButton*>()) QVERIFY(!button->accessibleName().contains("Trust me"));
  }

  // A lesson of four steps after one of three: the wider row of buttons leaves less room to the longer sentence.
  void theTextOfTheNextLessonIsNotCut() {
    for (const QSize size : {QSize(1280, 800), QSize(1024, 600), QSize(900, 600), QSize(820, 600)}) {
      LessonDesk desk(reportOf("hello-tiles"), ini("next"), size);
      QVERIFY(desk.isOpen && desk.hasStrip());
      QVERIFY(desk.open({reportOf("matvec", {"--set", "split=1"})}) && desk.hasStrip());
      const auto* text = desk.strip->findChild<QLabel*>();
      QVERIFY(text->text().contains(QStringLiteral("settings of its own")));
      QTRY_VERIFY(text->height() >= text->heightForWidth(text->width()));
    }
  }

  void aRunWithOtherSettingsSaysSo() {
    LessonDesk desk(reportOf("matvec", {"--set", "split=1"}), ini("other"));
    QVERIFY(desk.isOpen && desk.hasStrip());
    QVERIFY2(desk.sentence().contains("default run"), qPrintable(desk.sentence()));
    desk.strip->go(0);
    QVERIFY2(desk.sentence().endsWith("(default run)"), qPrintable(desk.sentence()));
  }

  void keysGoThroughTheSteps() {
    LessonDesk desk(reportOf("matvec"), ini("keys"));
    QVERIFY(desk.isOpen && desk.hasStrip() && QTest::qWaitForWindowActive(&desk.window));
    QVERIFY(!desk.button("Previous step")->isEnabled());
    QTest::keyClick(&desk.window, Qt::Key_F4);
    QCOMPARE(desk.window.state().view(), QString("program"));
    QTest::keyClick(&desk.window, Qt::Key_F4);
    QCOMPARE(desk.window.state().view(), QString("trace"));
    QTest::keyClick(&desk.window, Qt::Key_F4, Qt::ShiftModifier);
    QCOMPARE(desk.window.state().view(), QString("program"));
    // The strip keeps the keyboard of a user who is in it.
    QAbstractButton* third = desk.button("Step 3 of");
    third->setFocus(Qt::TabFocusReason);
    QTest::keyClick(third, Qt::Key_Space);
    QCOMPARE(desk.window.state().view(), QString("memory"));
    QVERIFY(third->hasFocus());
    QTest::keyClick(third, Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget(), static_cast<QWidget*>(desk.button("Step 4 of")));
    QTest::mouseClick(desk.button("Next step"), Qt::LeftButton);
    QCOMPARE(desk.window.state().view(), QString("insights"));
    QVERIFY(!desk.button("Next step")->isEnabled());
    for (auto* button : desk.strip->findChildren<QAbstractButton*>()) QVERIFY(!button->accessibleName().isEmpty());
  }

  void aDismissedLessonStaysAwayUntilItIsAskedFor() {
    {
      LessonDesk desk(reportOf("matvec"), ini("away"));
      QVERIFY(desk.isOpen && desk.hasStrip());
      QTest::mouseClick(desk.button("Dismiss"), Qt::LeftButton);
      QVERIFY(!desk.strip->isVisible());
      QVERIFY(desk.open({reportOf("hello-tiles")})); // of its own sample
      QVERIFY(desk.hasStrip());
    }
    LessonDesk again(reportOf("matvec"), ini("away"));
    QVERIFY(again.isOpen && QTest::qWaitFor([&] { return again.strip->hasLesson(); }, 20000));
    QVERIFY(!again.strip->isVisible());
    again.strip->bringBack(); // as the menu of the report does
    QVERIFY(again.strip->isVisible());
  }

  // In a small window the numbers stay, and the longest sentence has its lines; the strip is as high for each step.
  void nothingIsCut() {
    for (const QSize size : {QSize(1280, 800), QSize(1024, 600), QSize(880, 480)}) {
      LessonDesk desk(reportOf("hello-tiles"), ini("size"), size);
      QVERIFY(desk.isOpen && desk.hasStrip());
      int height = 0;
      for (int step = 0; step < desk.strip->steps(); ++step) {
        desk.strip->go(step);
        QVERIFY(desk.settle());
        auto* text = desk.strip->findChild<QLabel*>();
        QTRY_VERIFY(text->height() >= text->heightForWidth(text->width()));
        if (step > 0) QCOMPARE(desk.strip->height(), height);
        height = desk.strip->height();
        for (auto* button : desk.strip->findChildren<QAbstractButton*>())
          QVERIFY(desk.strip->rect().contains(button->geometry()) && !button->geometry().intersects(text->geometry()));
      }
      QVERIFY2(height <= 60, qPrintable(QString::number(height)));
    }
  }
};

TILESCOPE_TEST(LessonsTest)
#include "lessons_test.moc"
