// The window and the command line show the same figures of the same report: Summary, Memory, Liveness and Operations as they are
// shown, against `summary --json` and `query` as they are printed.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/fact_list.h"
#include "ui/plot/bar_list.h"
#include "ui/plot/split_bar.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <map>
#include <set>

using ui::theme::Format;

namespace {

// Both print the same sentences and numbers; the window has thin spaces where the command line has commas.
QString bare(QString text) {
  for (const QChar space : {QChar(' '), QChar(0x2009), QChar(0xA0), QChar(0x202F), QChar(',')}) text.remove(space);
  return text;
}

// Equal sentences: the same words and figures; the window prints shares with one digit after the point, the command line with three
// significant ones.
bool same(const QString& window, const QString& line) {
  static const QRegularExpression share(QStringLiteral("[0-9.]+%"));
  const QString a = bare(window), b = bare(line);
  auto inA = share.globalMatch(a), inB = share.globalMatch(b);
  while (inA.hasNext() && inB.hasNext()) {
    const QString x = inA.next().captured().chopped(1), y = inB.next().captured().chopped(1);
    if (std::abs(x.toDouble() - y.toDouble()) > 0.05) return false;
  }
  return QString(a).remove(share) == QString(b).remove(share);
}

reports::Bytes bytes(const QJsonValue& v) { return reports::Bytes(v.toInteger()); }
reports::Cycles cycles(const QJsonValue& v) { return reports::Cycles(v.toInteger()); }

} // namespace

class WindowAgainstCliTest : public QObject {
  Q_OBJECT

  tests::ViewWorld m_world{{.ipus = 2, .tilesPerIpu = 16, .operations = 7, .scale = 3}};

  QJsonDocument printed(const std::vector<std::string>& words) const {
    const tests::Ran ran = tests::cli(words);
    if (ran.code) qWarning("%s", ran.err.c_str());
    return QJsonDocument::fromJson(QByteArray::fromStdString(ran.out));
  }
  QJsonObject summary() const { return printed({"summary", m_world.report.path().string(), "--json"}).object(); }
  QJsonArray query(const std::string& sql) const {
    return printed({"query", m_world.report.path().string(), sql, "--json"}).array();
  }
  bool shows(const QString& text) const {
    for (const QWidget* widget : m_world.view->findChildren<QWidget*>()) {
      const auto* label = qobject_cast<const QLabel*>(widget);
      if (widget->accessibleName().contains(text) || (label && label->text().contains(text))) return true;
    }
    return false;
  }

private slots:
  void summaryShowsWhatTheSummaryPrints() {
    const QJsonObject json = summary(), memory = json["memory"].toObject(), time = json["cycles"].toObject();
    m_world.open("summary");
    QVERIFY(m_world.settle());
    const Format f({}, json["clock_hz"].toDouble());
    // The window's verdict has the time, too, as its second clause.
    static const QRegularExpression timeClause("; [^;]*\\bruns? [^;]* of the run compute");
    const QString verdict = m_world.view->verdict(), line = json["verdict"].toString();
    QVERIFY(timeClause.match(verdict).hasMatch());
    QVERIFY2(same(QString(verdict).remove(timeClause), line), qPrintable(verdict + '\n' + line));

    const auto figure = [&](const QString& title, const QString& value) {
      QVERIFY2(shows(title + ": " + value + ", "), qPrintable(title + ": " + value));
    };
    figure("Time", f.cycles(cycles(json["total_cycles"])));
    figure("Throughput", ui::theme::flopsRate(json["flops_per_second"].toDouble()));
    figure("Memory", f.bytes(bytes(memory["total_bytes"])));
    figure(QString("Tile %1, the fullest").arg(memory["max_tile"].toInteger()), f.bytes(bytes(memory["max_tile_bytes"])));

    const QString parts = m_world.child<ui::plot::SplitBar>("Cycles by activity")->accessibleDescription();
    const std::pair<const char*, const char*> kinds[] = {{"Compute with on-tile copies", "compute"},
                                                         {"Exchange", "exchange"},
                                                         {"Sync", "sync"},
                                                         {"Host", "host"},
                                                         {"Idle", "idle"}};
    for (const auto& [title, key] : kinds) {
      const QString part = QString("%1 %2").arg(title, f.cycles(cycles(time[key])));
      QVERIFY2(parts.contains(part), qPrintable(part + " is not in " + parts));
    }
    const QString categories = m_world.child<ui::plot::SplitBar>("Memory by category")->accessibleDescription();
    const QJsonObject byCategory = memory["by_category"].toObject();
    QVERIFY(!byCategory.isEmpty());
    for (auto it = byCategory.begin(); it != byCategory.end() && byCategory.size() <= 8; ++it)
      QVERIFY2(categories.contains(' ' + f.bytes(bytes(it.value()))), qPrintable(it.key() + " is not in " + categories));
    QVERIFY(shows(f.bytes(bytes(memory["always_live_bytes"])) + " are always live"));
    QVERIFY(shows("peaks at " + f.bytes(bytes(memory["peak_not_always_live_bytes"]))));
    const auto* machine = m_world.child<ui::shell::FactList>("Machine");
    QCOMPARE(machine->valueOf("IPUs"), QString::number(json["ipus"].toInteger()));
    const auto* graph = m_world.child<ui::shell::FactList>("Graph");
    QCOMPARE(graph->valueOf("Vertices"), ui::theme::count(json["graph"].toObject()["vertices"].toInteger()));
    QCOMPARE(graph->valueOf("Compute sets"), ui::theme::count(json["graph"].toObject()["compute_sets"].toInteger()));
  }

  void memoryShowsTheSameTileAndTotals() {
    const QJsonObject json = summary();
    m_world.open("memory");
    QVERIFY(m_world.settle());
    QVERIFY2(same(m_world.view->verdict(), json["verdict"].toString()), qPrintable(m_world.view->verdict()));
    const QJsonArray largest = query("SELECT total_bytes FROM variable ORDER BY total_bytes DESC LIMIT 5");
    const auto rows = m_world.child<ui::tables::TableView>("Largest variables")->rows().table()->rows;
    QVERIFY(rows.size() >= 5 && largest.size() == 5);
    std::multiset<qint64> shown, printedSizes;
    for (int i = 0; i < 5; ++i) {
      printedSizes.insert(largest[i].toObject()["total_bytes"].toInteger());
      for (const auto& cell : rows[std::size_t(i)].cells)
        if (const auto* value = std::get_if<int64_t>(&cell)) {
          shown.insert(*value);
          break;
        }
    }
    QCOMPARE(shown, printedSizes);
  }

  void livenessPeaksWhereTheSummarySays() {
    const QJsonObject memory = summary()["memory"].toObject();
    m_world.open("liveness");
    QVERIFY(m_world.settle());
    auto* scope = m_world.child<QComboBox>("Scope"); // of two IPUs the fuller one is shown at first, the summary is of both
    scope->setCurrentIndex(0);
    emit scope->activated(0);
    QVERIFY(m_world.settle());
    const Format f;
    const QString verdict = m_world.view->verdict();
    QVERIFY2(verdict.contains(QString("at step %1").arg(memory["peak_step"].toInteger())), qPrintable(verdict));
    QVERIFY2(verdict.contains(f.bytes(bytes(memory["always_live_bytes"])) + " always live"), qPrintable(verdict));
    QVERIFY2(verdict.contains(f.bytes(bytes(memory["peak_not_always_live_bytes"])) + " not always live"), qPrintable(verdict));
  }

  void operationsAreTheRowsOfTheReport() {
    const QJsonArray printedRows = query("SELECT name, compute_cycles + exchange_cycles + sync_cycles + host_cycles AS cycles "
                                         "FROM operation ORDER BY cycles DESC, id");
    m_world.open("operations");
    QVERIFY(m_world.settle());
    const auto rows = m_world.child<ui::tables::TableView>("Operations")->rows().table()->rows;
    QCOMPARE(int(rows.size()), int(printedRows.size()));
    std::map<QString, qint64> shown, expected;
    for (const auto& row : rows) shown[std::get<QString>(row.cells.at(0))] = std::get<int64_t>(row.cells.at(2));
    for (const auto& row : printedRows) expected[row.toObject()["name"].toString()] = row.toObject()["cycles"].toInteger();
    QCOMPARE(shown, expected);
  }
};

TILESCOPE_TEST(WindowAgainstCliTest)
#include "window_against_cli_test.moc"
