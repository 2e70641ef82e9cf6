// The lessons of the samples: each step opens its place in the report of the default run, what it says is true there, and the strip is there for
// reports of samples alone.
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/state/settings.h"
#include "ui/theme/theme.h"
#include "ui/window/lesson_strip.h"
#include "ui/window/main_window.h"

#include <QAbstractButton>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
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

// The claim of a step as a query of the report of the default run; its answer is 1.
struct Claim {
  const char* sample;
  int step; // from 1
  const char* sql;
};

#define OP_CYCLES "sum(compute_cycles + exchange_cycles + sync_cycles + host_cycles)"
#define OF_OPERATIONS(condition) "(SELECT " OP_CYCLES " FROM operation WHERE " condition ")"
#define COSTLIEST(position)                                                                                                      \
  "(SELECT name FROM operation ORDER BY compute_cycles + exchange_cycles + sync_cycles + host_cycles DESC LIMIT 1 "              \
  "OFFSET " #position ")"
#define OF_STEPS(condition) "(SELECT sum(cycles) FROM execution_step WHERE " condition ")"
#define CATEGORY(name) "(SELECT sum(value) FROM tile_value WHERE series = 'memory.category." name "')"
#define BYTES(condition) "(SELECT sum(total_bytes) FROM variable WHERE " condition ")"
#define AT_PEAK                                                                                                                  \
  "FROM variable_lifetime, (SELECT peak_step AS p FROM liveness_curve WHERE scope = 'all') WHERE first_step <= p AND end_step "  \
  "> p"
#define PEAK_STEP                                                                                                                \
  "(SELECT text(s.name_id) FROM liveness_curve c JOIN liveness_step s ON s.ordinal = c.peak_step WHERE c.scope = 'all')"
// The largest variable at the peak that is not always live.
#define LARGEST_AT_PEAK                                                                                                          \
  "(SELECT name " AT_PEAK " AND name IN (SELECT text(name_id) FROM variable WHERE always_live = 0) ORDER BY bytes DESC LIMIT 1)"

constexpr Claim kClaims[] = {
    {"mnist-train", 1,
     "SELECT " CATEGORY("vertexCode") " + " CATEGORY("internalExchangeCode") " + " CATEGORY("controlCode") " > " CATEGORY(
         "variable")},
    {"mnist-train", 2, "SELECT " PEAK_STEP " LIKE '%/bwd/%/Convolve'"},
    {"mnist-train", 2, "SELECT count(*) > 0 " AT_PEAK " AND name LIKE '%/fwd/%/out'"},
    {"mnist-train", 3, "SELECT " OF_OPERATIONS("name LIKE '%/bwd/%'") " > " OF_OPERATIONS("name LIKE '%/fwd/%'")},
    {"mnist-train", 3, "SELECT " OF_OPERATIONS("name LIKE '%/wu/%'") " * 5 < " OF_OPERATIONS("name LIKE '%/fwd/%'")},
    {"matmul", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'Sync'"},
    {"matmul", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"matmul", 2, "SELECT " OF_STEPS("kind = 'OnTileExecute'") " > 2 * " OF_STEPS("kind = 'DoExchange'")},
    {"matmul", 3, "SELECT " BYTES("text(name_id) LIKE '%/in'") " > " BYTES("memory_category_name(category) = 'variable'")},
    {"matmul", 4, "SELECT count(*) = 1 FROM variable_lifetime WHERE name LIKE '%/matmul/in' AND end_step - first_step = 2"},
    {"matmul", 4, "SELECT " PEAK_STEP " LIKE '%/Convolve'"},
    {"bert-pipeline", 4,
     "SELECT (SELECT sum(value) FROM tile_value WHERE series = 'memory.total' AND tile < 1472) > max(bytes) FROM (SELECT "
     "sum(value) AS bytes FROM tile_value WHERE series = 'memory.total' AND tile >= 1472 GROUP BY tile / 1472)"},
    {"bert-pipeline", 4,
     "SELECT " BYTES("text(name_id) LIKE '%/stash/layer1/feedForward/up%'") " > " BYTES(
         "text(name_id) LIKE '%/stash/layer3/feedForward/up%'")},
    {"attention", 1, "SELECT " OF_OPERATIONS("kind = 'Softmax'") " > " OF_OPERATIONS("kind = 'Gemm'")},
    {"attention", 1,
     "SELECT 10 * sum(CASE WHEN kind = 'Softmax' THEN flops END) < sum(CASE WHEN kind = 'Gemm' THEN flops END) "
     "FROM operation"},
    {"attention", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/matmul/in'"},
    {"heat", 1, "SELECT count(*) = 2 FROM program_step WHERE kind = 'DoExchange'"},
    {"heat", 2, "SELECT " OF_STEPS("kind = 'OnTileExecute'") " > 3 * " OF_STEPS("kind = 'DoExchange'")},
    {"heat", 4, "SELECT " CATEGORY("vertexCode") " > " CATEGORY("variable")},
    {"offload", 1, "SELECT " OF_OPERATIONS("kind = 'AdamUpdate'") " > " OF_OPERATIONS("kind = 'Gemm'")},
    {"offload", 2, "SELECT " BYTES("text(name_id) LIKE '%.weight/%Moment'") " = 2 * " BYTES("text(name_id) LIKE '%.weight'")},
    {"offload", 3, "SELECT min(always_live) = 1 FROM variable WHERE text(name_id) LIKE '%Moment'"},
    {"data-parallel", 1, "SELECT " OF_OPERATIONS("kind = 'AllReduce'") " > " OF_OPERATIONS("kind <> 'AllReduce'")},
    {"data-parallel", 4,
     "SELECT " BYTES("always_live = 1 AND text(name_id) LIKE '%Moment'") " > " BYTES(
         "always_live = 1 AND text(name_id) LIKE '%.weight'")},
    {"resnet50", 1, "SELECT " COSTLIEST(0) " LIKE '%/stem/conv'"},
    {"resnet50", 2, "SELECT " OF_OPERATIONS("kind = 'Conv'") " > " OF_OPERATIONS("kind <> 'Conv'")},
    {"resnet50", 2, "SELECT sum(flops) > 0.98 * (SELECT sum(flops) FROM operation) FROM operation WHERE kind = 'Conv'"},
    {"resnet50", 3,
     "SELECT min(spatial > others) = 1 AND count(*) = 4 FROM (SELECT substr(name, instr(name, '/stage'), 7) AS stage, sum(CASE "
     "WHEN "
     "name LIKE '%/spatial/%' THEN flops END) * 1.0 / sum(CASE WHEN name LIKE '%/spatial/%' THEN compute_cycles + "
     "exchange_cycles + "
     "sync_cycles END) AS spatial, sum(CASE WHEN name NOT LIKE '%/spatial/%' THEN flops END) * 1.0 / sum(CASE WHEN name NOT LIKE "
     "'%/spatial/%' THEN compute_cycles + exchange_cycles + sync_cycles END) AS others FROM operation WHERE kind = 'Conv' AND "
     "name "
     "LIKE '%/stage%' GROUP BY 1)"},
    {"resnet50", 4, "SELECT " LARGEST_AT_PEAK " LIKE '%/shortcut/%/in'"},
    {"resnet50", 5, "SELECT " CATEGORY("internalExchangeCode") " > " CATEGORY("vertexCode") " + " CATEGORY("controlCode")},
    {"bert", 1, "SELECT " COSTLIEST(0) " LIKE '%/wu/embeddings/words.weight/%'"},
    {"bert", 1, "SELECT " BYTES("text(name_id) LIKE '%/words.weight'") " > " BYTES("text(name_id) LIKE '%/layer%.weight'")},
    {"bert", 2, "SELECT " OF_OPERATIONS("name LIKE '%/bwd/%'") " > " OF_OPERATIONS("name LIKE '%/fwd/%'")},
    {"bert", 2,
     "SELECT " OF_OPERATIONS("name LIKE '%/wu/%'") " BETWEEN 0.8 * " OF_OPERATIONS("name LIKE '%/fwd/%'") " AND " OF_OPERATIONS(
         "name LIKE '%/fwd/%'")},
    {"bert", 3, "SELECT " PEAK_STEP " LIKE '%/bwd/head/decoder/%'"},
    {"gpt2", 1, "SELECT " COSTLIEST(0) " LIKE '%/wu/embeddings/words.weight/%'"},
    {"gpt2", 1,
     "SELECT " COSTLIEST(1) " LIKE '%/head/decoder/%' AND " COSTLIEST(2) " LIKE '%/head/decoder' AND " COSTLIEST(
         3) " LIKE '%/head/decoder/%'"},
    {"gpt2", 2,
     "SELECT " OF_OPERATIONS("name LIKE '%/fwd/%' AND (name LIKE '%/head/%' OR name LIKE '%/logSoftmax%' OR name LIKE "
                             "'%/loss%')") " > " OF_OPERATIONS("name LIKE '%/fwd/layer%'")},
    {"gpt2", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/bwd/head/%/in'"},
    {"llm", 1, "SELECT " OF_OPERATIONS("name LIKE '%/prompt/%'") " > " OF_OPERATIONS("name LIKE '%/token/%'")},
    {"llm", 2,
     "SELECT group_concat(kind) = 'MatMul,CacheWrite' FROM (SELECT kind FROM operation GROUP BY kind ORDER BY " OP_CYCLES
     " DESC LIMIT 2)"},
    {"llm", 2, "SELECT sum(flops) = 0 FROM operation WHERE kind = 'CacheWrite'"},
    {"llm", 3,
     "SELECT count(*) = 2 FROM (SELECT text(name_id) AS name FROM variable WHERE text(name_id) LIKE '%.weight' ORDER BY "
     "total_bytes DESC LIMIT 2) WHERE name LIKE '%embedding.weight' OR name LIKE '%head.weight'"},
    {"gnn", 1, "SELECT " COSTLIEST(0) " LIKE '%/aggregate' AND " COSTLIEST(1) " LIKE '%/aggregate'"},
    {"gnn", 2, "SELECT " PEAK_STEP " LIKE '%/aggregate/%'"},
    {"gnn", 2,
     "SELECT " BYTES("text(name_id) LIKE '%/layer1/aggregate/%/partials'") " = " BYTES(
         "text(name_id) LIKE '%/layer1/aggregate/%/ReduceOutputIn'")},
    {"autoencoder", 1,
     "SELECT count(*) = 5 FROM (SELECT name FROM operation ORDER BY compute_cycles + exchange_cycles + sync_cycles "
     "+ host_cycles DESC LIMIT 5) WHERE name LIKE '%/decoder/layer6%' OR name LIKE '%/encoder/layer1%'"},
    {"autoencoder", 2,
     "SELECT min(always_live) = 1 AND min(total_bytes) = max(total_bytes) FROM variable WHERE text(name_id) IN "
     "('autoencoder/layer1.weight', 'autoencoder/layer1.weight/velocity')"},
    {"autoencoder", 2,
     "SELECT total_bytes = (SELECT max(total_bytes) FROM variable WHERE always_live = 1 AND "
     "memory_category_name(category) = 'variable') FROM variable WHERE text(name_id) = 'autoencoder/layer1.weight'"},
    {"overlapped-io", 3, "SELECT " COSTLIEST(0) " LIKE '%/fc1'"},
    {"matvec", 1,
     "SELECT group_concat(name) = 'matvec/mulCS,matvec/reduceCS' FROM (SELECT text(name_id) AS name FROM program_step "
     "WHERE kind = 'OnTileExecute' ORDER BY id)"},
    {"matvec", 2, "SELECT 2 * " OF_STEPS("kind = 'DoExchange'") " > " OF_STEPS("kind = 'OnTileExecute'")},
    {"matvec", 3, "SELECT " CATEGORY("variable") " > 0.8 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"custom-vertex", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'OnTileExecute'"},
    {"custom-vertex", 1, "SELECT count(*) = 1 FROM program_step WHERE kind = 'DoExchange'"},
    {"custom-vertex", 2, "SELECT " OF_STEPS("kind = 'OnTileExecute'") " > 10 * " OF_STEPS("kind = 'DoExchange'")},
    {"custom-vertex", 2, "SELECT " OF_STEPS("kind LIKE 'StreamCopy%'") " > " OF_STEPS("kind IN ('OnTileExecute', 'DoExchange')")},
    {"custom-vertex", 3,
     "SELECT " CATEGORY("vertexCode") " > 0.5 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"group-conv", 1,
     "SELECT 100 * (SELECT flops FROM operation WHERE name LIKE '%/groups=128') < (SELECT flops FROM operation WHERE name LIKE "
     "'%/groups=1') AND " OF_OPERATIONS("name LIKE '%/groups=1'") " BETWEEN 11 * " OF_OPERATIONS(
         "name LIKE '%/groups=128'") " AND 13 * " OF_OPERATIONS("name LIKE '%/groups=128'")},
    {"group-conv", 2,
     "SELECT " COSTLIEST(0) " LIKE '%/groups=1' AND 2 * " OF_OPERATIONS("name LIKE '%/groups=1'") " > " OF_OPERATIONS("1")},
    {"group-conv", 2,
     "SELECT (SELECT exchange_cycles * 1.0 / compute_cycles FROM operation WHERE name LIKE '%/groups=1') > (SELECT "
     "exchange_cycles * 1.0 / compute_cycles FROM operation WHERE name LIKE '%/groups=16')"},
    {"group-conv", 3, "SELECT " LARGEST_AT_PEAK " LIKE '%/groups=1/convolution/in'"},
    {"lstm", 1, "SELECT (SELECT kind FROM operation GROUP BY kind ORDER BY " OP_CYCLES " DESC LIMIT 1) = 'Gemm'"},
    {"lstm", 1, "SELECT " COSTLIEST(0) " LIKE '%/loss' AND " COSTLIEST(1) " LIKE '%/predictions'"},
    {"lstm", 2, "SELECT count(*) = 1 FROM program_step WHERE kind = 'Function'"},
    {"lstm", 2, "SELECT count(*) = 31 FROM program_step WHERE kind = 'Call'"},
    {"lstm", 3, "SELECT 2 * " OF_STEPS("kind IN ('DoExchange', 'Sync')") " > " OF_STEPS("kind = 'OnTileExecute'")},
    {"lstm", 4,
     "SELECT " CATEGORY("controlCode") " + " CATEGORY("internalExchangeCode") " + " CATEGORY(
         "vertexCode") " > 0.5 * (SELECT sum(value) FROM tile_value WHERE series = 'memory.total')"},
    {"lstm", 4, "SELECT " CATEGORY("controlCode") " > " CATEGORY("variable")},
    {"hello-tiles", 1,
     "SELECT count(DISTINCT kind) = 6 FROM program_step WHERE kind IN ('OnTileCopy', 'Sync', 'DoExchange', "
     "'StreamCopyBegin', 'StreamCopyMid', 'StreamCopyEnd')"},
    {"hello-tiles", 2, "SELECT " OF_STEPS("kind LIKE 'StreamCopy%'") " > 0.5 * " OF_STEPS("1")},
    {"hello-tiles", 3,
     "SELECT " CATEGORY("vertexCode") " + " CATEGORY("controlCode") " > 0.5 * (SELECT sum(value) FROM tile_value WHERE "
                                                                    "series = 'memory.total')"},
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
    QVERIFY(lessons >= 13);
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

  // A figure that changes makes a sentence wrong: then the test fails, and the sentence is written again.
  void whatTheStepsSayIsTrue_data() {
    QTest::addColumn<int>("claim");
    for (int i = 0; i < int(std::size(kClaims)); ++i)
      QTest::newRow(qPrintable(QStringLiteral("%1 %2 (%3)").arg(kClaims[i].sample).arg(kClaims[i].step).arg(i))) << i;
  }
  void whatTheStepsSayIsTrue() {
    QFETCH(int, claim);
    const Claim& c = kClaims[claim];
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
