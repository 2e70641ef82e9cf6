#include "analyser/compare/compare.h"
#include "analyser/compare/comparison_columns.h"
#include "reports/sqlite/connection.h"
#include "reports/sqlite/statement.h"
#include "tests/support/error_text.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace analyser;
using namespace analyser::compare;

class CompareTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    m_a = Session::open(m_small.path().string());
    m_b = Session::open(m_big.path().string());
    m_ab = compare::compare(*m_a, *m_b);
  }
  void aReportAndItselfDoNotDiffer() {
    const Comparison same = compare::compare(*m_a, *m_a);
    QVERIFY(same.empty());
    QVERIFY(same.findings.empty());
    QCOMPARE(comparisonText(same), std::string("No difference: both reports say the same.\n"));
    QCOMPARE(same.sameOperations.size(), std::size_t(3));
    const auto json = nlohmann::json::parse(comparisonJson(same));
    QVERIFY(json["same"].get<bool>());
    QVERIFY(json["totals"].empty() && json["operations"].empty() && json["memory.by_category"].empty());
    QVERIFY(json["findings"].empty() && json["variables"].empty());
  }
  // A model has the name of its file or folder, which is the prefix of all its operation names.
  void theSameGraphUnderAnotherNameIsTheSame() {
    const auto under = [](const tests::TinyReport& report, const std::string& name) {
      tests::tamper(report.path(), "UPDATE operation SET name = '" + name + "/layer' || id");
      return Session::open(report.path().string());
    };
    const tests::TinyReport first, second;
    const auto a = under(first, "old"), b = under(second, "new");
    const Comparison c = compare::compare(*a, *b);
    QVERIFY(c.operations.empty() && c.pairedByLikeness == 0);
    QVERIFY(!c.sameOperations.empty() && c.sameOperations.front().starts_with("old/"));
    PairingRules exact;
    exact.leastConfidence = 2;
    QVERIFY(compare::compare(*a, *b, {}, exact).operations.empty());
    PairingRules apart;
    apart.apart = {c.sameOperations.front()};
    QCOMPARE(compare::compare(*a, *b, {}, apart).operations.size(), std::size_t(0)); // it still pairs with itself
  }
  void theOtherWayRoundIsTheNegative() {
    const Comparison ba = compare::compare(*m_b, *m_a);
    negative(m_ab.totals, ba.totals);
    negative(m_ab.memoryByCategory, ba.memoryByCategory);
    QCOMPARE(ba.operations.size(), m_ab.operations.size());
    for (const auto& x : m_ab.operations) {
      const auto y = std::find_if(ba.operations.begin(), ba.operations.end(), [&](const auto& o) { return o.name == x.name; });
      QVERIFY(y != ba.operations.end());
      QCOMPARE(x.cycles() + y->cycles(), Cycles());
      QCOMPARE(x.bytes() + y->bytes(), Bytes());
      if (x.presence == Presence::BaseOnly) QCOMPARE(y->presence, Presence::OtherOnly);
    }
    QCOMPARE(ba.variables.size(), m_ab.variables.size());
    QCOMPARE(ba.findings.size(), m_ab.findings.size());
    for (const Finding& x : m_ab.findings) {
      const auto y = std::find_if(ba.findings.begin(), ba.findings.end(), [&](const Finding& f) { return f.key == x.key; });
      QVERIFY2(y != ba.findings.end(), x.key.c_str());
      QCOMPARE(x.difference(), -y->difference());
    }
  }
  void partsSumToTheWhole_data() {
    QTest::addColumn<int>("baseIpus");
    QTest::addColumn<int>("otherIpus");
    QTest::newRow("one IPU") << 1 << 1;
    QTest::newRow("two IPUs") << 2 << 2;
    QTest::newRow("four IPUs") << 4 << 4;
    QTest::newRow("two and four IPUs") << 2 << 4;
  }
  void partsSumToTheWhole() {
    QFETCH(int, baseIpus);
    QFETCH(int, otherIpus);
    const tests::TinyReport one{tests::ReportShape{baseIpus, 8, 6}}, two{tests::ReportShape{otherIpus, 8, 9, 0, 2}};
    const auto c = compare::compare(*Session::open(one.path().string()), *Session::open(two.path().string()));
    double cycles = 0, memory = 0;
    for (const Finding& f : c.findings) {
      if (f.unit == Unit::Cycles) cycles += f.difference();
      if (f.cause == Cause::MemoryCategory) memory += f.difference();
    }
    QVERIFY2(std::abs(cycles - figure(c, "total_cycles").difference()) < 1e-6, qPrintable(QString::number(cycles)));
    double effect = 0; // of one whole: the cycles of the base
    for (const Finding& f : c.findings)
      if (f.unit == Unit::Cycles) effect += f.effect;
    QVERIFY(std::abs(effect - figure(c, "total_cycles").difference() / figure(c, "total_cycles").base) < 1e-9);
    QCOMPARE(memory, figure(c, "memory.total_bytes").difference());
  }
  void operationsAreMatchedByName() {
    // The bigger report has five operations, the smaller three of them.
    QCOMPARE(m_ab.operations.size() + m_ab.sameOperations.size(), std::size_t(5));
    int64_t onlyInB = 0;
    for (const auto& d : m_ab.operations) onlyInB += d.presence == Presence::OtherOnly;
    QCOMPARE(onlyInB, int64_t(2));
    for (std::size_t i = 1; i < m_ab.operations.size(); ++i)
      QVERIFY(std::abs(m_ab.operations[i - 1].cycles().value()) >= std::abs(m_ab.operations[i].cycles().value()));
  }
  void aCauseLeadsToTheReportsThatHaveItsOperation() {
    using columns::Subject;
    int64_t onlyInB = 0, paired = 0;
    for (const Finding& finding : m_ab.findings) {
      const columns::Subjects subjects = subjectsOf(finding);
      QCOMPARE(subjects.empty(), finding.cause != Cause::Operation);
      if (subjects.empty()) continue;
      const auto of = std::find_if(m_ab.operations.begin(), m_ab.operations.end(),
                                   [&](const OperationDifference& o) { return o.name == finding.key; });
      QVERIFY(of != m_ab.operations.end());
      columns::Subjects expected;
      if (of->presence != Presence::OtherOnly)
        expected.push_back({columns::Thing::Operation, int64_t(of->baseId.value()), {}, Subject::In::Base});
      if (of->presence != Presence::BaseOnly)
        expected.push_back({columns::Thing::Operation, int64_t(of->otherId.value()), {}, Subject::In::Other});
      QVERIFY(subjects == expected);
      onlyInB += of->presence == Presence::OtherOnly, paired += of->presence == Presence::Both;
    }
    QVERIFY(onlyInB > 0 && paired > 0);
  }
  // One number for one thing: the cause of an operation has the cycles of the Operations view, its syncs included.
  void anOperationHasTheCyclesOfOperations() {
    const tests::TinyReport one{tests::ReportShape{1, 8, 6}}, two{tests::ReportShape{1, 8, 9, 0, 2}};
    tests::tamper(two.path(), "UPDATE operation SET sync_cycles = sync_cycles + 7 * (id + 1)");
    const auto c = compare::compare(*Session::open(one.path().string()), *Session::open(two.path().string()));
    int64_t causes = 0, withSync = 0;
    for (const Finding& finding : c.findings) {
      if (finding.cause != Cause::Operation) continue;
      const auto o = std::find_if(c.operations.begin(), c.operations.end(),
                                  [&](const OperationDifference& d) { return d.name == finding.key; });
      QVERIFY(o != c.operations.end());
      const Cycles hosts = o->other.host - o->base.host; // host streams are a cause of their own
      QCOMPARE(finding.difference(), double((o->cycles() - hosts).value()));
      ++causes, withSync += o->base.sync != o->other.sync;
    }
    QVERIFY(causes > 0 && withSync > 0);
  }
  // The headline says the change of a cause itself, "Effect" its share of the whole: both have a column.
  void aCauseHasTheChangeOfItsHeadline() {
    const auto columns = findingColumns(m_ab);
    const auto relative = std::find_if(columns.begin(), columns.end(), [](const auto& c) { return c.id == "relative"; });
    QVERIFY(relative != columns.end() && relative->title == "Relative");
    int64_t known = 0;
    for (const Finding& finding : m_ab.findings) {
      QVERIFY(relative->value(finding) == columns::cellOf(finding.relative()));
      known += finding.relative().has_value();
    }
    QVERIFY(known > 0);
  }
  void aSettingHasOneRowUnderItsName() {
    Comparison c;
    c.metadata = {{"batch_size", "1", "2"},
                  {"option.partials", "float", "half"},
                  {"parameter.batch", "1", "2"},
                  {"parameter.layers", "2", "3"},
                  {"samples", "1", "2"},
                  {"train.statistics", "{}", "{\"a\": 1}"},
                  {"option.linear-bytes", "1", "9"},
                  {"linear_bytes", "1", "9"},
                  {"shape_of", "a", "b"}};
    QStringList rows;
    for (const Setting& row : settingsOf(c))
      rows << QString::fromStdString(std::string(row.of) + ' ' + row.text.key + ' ' + row.text.base + ' ' + row.text.other);
    QCOMPARE(rows, (QStringList{"run batch 1 2", "run linear-bytes 1 9", "run partials float half", "sample layers 2 3",
                                "run shape of a b"}));
  }
  void figuresAreThoseOfTheSummaries() {
    const auto a = summary::summarise(*m_a), b = summary::summarise(*m_b);
    QCOMPARE(figure(m_ab, "total_cycles").difference(), double((b.cycles.total - a.cycles.total).value()));
    double memory = 0;
    for (const auto& f : m_ab.memoryByCategory) memory += f.difference();
    QCOMPARE(memory, double((b.memory.total - a.memory.total).value()));
    QVERIFY2(m_ab.verdict.text().find("more cycles") != std::string::npos, m_ab.verdict.text().c_str());
  }
  void figuresPerSampleWhereBothKnowTheirBatch() {
    const tests::TinyReport one, two{tests::ReportShape{2, 8, 3, 0, 3}};
    setSamples(one, 16), setSamples(two, 64);
    const auto c = compare::compare(*Session::open(one.path().string()), *Session::open(two.path().string()));
    const Figure& total = figure(c, "total_cycles");
    QCOMPARE(*total.basePerSample, total.base / 16);
    QCOMPARE(*total.relativePerSample(), (total.other / 64) / (total.base / 16) - 1);
    QVERIFY(!figure(c, "graph.vertices").basePerSample);
    const std::string words = c.verdict.text(); // a run of four times the samples takes longer: what one takes comes first
    QVERIFY2(words.find("in all ") != std::string::npos && words.find("per sample ") < words.find("in all "), words.c_str());
    // The window's lines: memory, time, cause.
    const QStringList lines = QString::fromStdString(c.headline.text()).split('\n');
    QCOMPARE(lines.size(), 3);
    QVERIFY2(lines[0].endsWith("memory on the fullest tile"), qPrintable(lines[0]));
    QVERIFY2(lines[1].startsWith("Time: per sample ") && lines[1].contains(", in all "), qPrintable(lines[1]));
    QVERIFY2(!lines[2].isEmpty() && words.find(lines[2].toStdString()) != std::string::npos, qPrintable(lines[2]));
    QVERIFY(compare::compare(*m_a, *m_a).headline.empty());
    QVERIFY2(comparisonText(c).find("64 instead of 16 samples") != std::string::npos, comparisonText(c).c_str());
    QVERIFY(!figure(m_ab, "total_cycles").basePerSample);
    const auto half = compare::compare(*m_a, *Session::open(two.path().string()));
    QVERIFY(!figure(half, "total_cycles").basePerSample);
    QVERIFY(std::any_of(half.notCompared.begin(), half.notCompared.end(),
                        [](const auto& line) { return line.find("per sample") != std::string::npos; }));
  }
  void aMachineOfAnotherSizeIsComparedAsFarAsItGoes() {
    const tests::TinyReport wide{tests::ReportShape{2, 12, 3}};
    const auto c = compare::compare(*m_a, *Session::open(wide.path().string()));
    QVERIFY(!c.machine.empty());
    QVERIFY(std::any_of(c.notCompared.begin(), c.notCompared.end(),
                        [](const auto& words) { return words.find("tile by tile") != std::string::npos; }));
  }
  void curvesOfBoth() {
    const CurvePair pair = curves(*m_a, *m_b);
    QCOMPARE(pair.baseMemory.total.values.size(), std::size_t(16));
    QCOMPARE(pair.otherMemory.total.values.size(), std::size_t(16));
    QVERIFY(pair.otherLiveness.curve.peak > pair.baseLiveness.curve.peak);
  }
  // Two workloads: which, memory and time, in two lines; settings and causes are in the verdict.
  void theHeadlineOfTwoWorkloadsHasTwoLines() {
    const tests::TinyReport one, two{tests::ReportShape{2, 8, 3, 0, 3}};
    tests::tamper(one.path(), "INSERT OR REPLACE INTO metadata VALUES ('workload', 'mlp'), ('precision', 'fp32')");
    tests::tamper(two.path(), "INSERT OR REPLACE INTO metadata VALUES ('workload', 'heat'), ('precision', 'fp16')");
    const auto c = compare::compare(*Session::open(one.path().string()), *Session::open(two.path().string()));
    const QStringList lines = QString::fromStdString(c.headline.text()).split('\n');
    QCOMPARE(lines.size(), 2);
    QVERIFY2(lines[0].startsWith("Two workloads, heat instead of mlp: ") && lines[0].size() < 100, qPrintable(lines[0]));
    QVERIFY2(lines[1].startsWith("Time: "), qPrintable(lines[1]));
    QVERIFY(tests::has(c.verdict.text(), "fp16 instead of fp32"));
  }
  void theVerdictSaysASettingOnce() {
    const auto verdict = [](const std::string& base, const std::string& other) {
      const auto with = [](const std::string& facts) {
        auto report = std::make_unique<tests::TinyReport>();
        tests::tamper(report->path(), "INSERT OR REPLACE INTO metadata VALUES " + facts);
        return report;
      };
      const auto a = with(base), b = with(other);
      return compare::compare(*Session::open(a->path().string()), *Session::open(b->path().string())).verdict.text();
    };
    const std::string bert = "('workload', 'bert'), ", mlp = "('workload', 'mlp'), ";
    QCOMPARE(verdict(bert + "('parameter.recompute', 'none'), ('parameter.variant', 'default')",
                     bert + "('parameter.recompute', 'pipeline'), ('parameter.variant', 'tuned'), ('recomputation', 'pipeline')"),
             std::string("bert, recomputation pipeline instead of none: same time and same memory."));
    QCOMPARE(verdict(mlp + "('parameter.variant', 'default')", mlp + "('parameter.variant', 'tuned')"),
             std::string("mlp, variant tuned instead of default: same time and same memory."));
    QCOMPARE(verdict(mlp + "('parameter.accumulation', '0')", mlp + "('parameter.accumulation', '4'), ('micro_batches', '4')"),
             std::string("mlp, micro-batches 4 instead of 1: same time and same memory."));
    QCOMPARE(verdict(mlp + "('parameter.lr', '1')", mlp + "('parameter.lr', '2')"),
             std::string("mlp, lr 2 instead of 1: same time and same memory."));
    // The verdict names the offloaded tensors. A parameter that an older program did not have does not count as a change.
    QCOMPARE(verdict(bert + "('parameter.layers', '2')",
                     bert + "('parameter.layers', '2'), ('parameter.epsilon', '1e-8'), ('offload', 'weights')"),
             std::string("bert, offloaded weights instead of none: same time and same memory."));
    // A setting that only one of the two workloads has does not count as a change.
    QCOMPARE(verdict(mlp + "('parameter.layers', '3'), ('precision', 'fp32')",
                     "('workload', 'heat'), ('parameter.size', '64'), ('precision', 'fp16')"),
             std::string("Two workloads are compared, heat instead of mlp, fp16 instead of fp32: same time and same memory."));
  }
  void theVerdictSaysTimeBesideCyclesWhereTheClockDiffers() {
    const tests::TinyReport fast;
    tests::tamper(fast.path(), "UPDATE machine SET clock_hz = 2 * clock_hz");
    const std::string text = compare::compare(*m_a, *Session::open(fast.path().string())).verdict.text();
    QVERIFY2(tests::has(text, "50.0 % faster (") && tests::has(text, "s instead of ") && tests::has(text, "GHz instead of "),
             text.c_str());
  }
  void aTraceOfAHostHasNoDeviceToCompare() {
    const tests::TinyReport host;
    std::string sql;
    {
      reports::Connection db(host.path(), reports::Connection::Mode::ReadImmutable);
      reports::Statement tables(
          db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'metadata'");
      while (tables.step()) sql += "DELETE FROM " + std::get<std::string>(tables.value(0)) + ";";
    }
    tests::tamper(host.path(), sql);
    const auto trace = Session::open(host.path().string());
    for (const bool isBase : {true, false}) {
      const Comparison c = isBase ? compare::compare(*trace, *m_a) : compare::compare(*m_a, *trace);
      const std::string text = c.verdict.text();
      QVERIFY2(tests::has(text, isBase ? "The base is a trace of a host" : "The other is a trace of a host"), text.c_str());
      QVERIFY(c.findings.empty() && c.operations.empty());
      QVERIFY2(!tests::has(comparisonText(c), "Totals"), comparisonText(c).c_str());
    }
  }
  // The file is valid for SQLite, but a packed column is damaged.
  void damageNamesItsReport() {
    const tests::TinyReport bad;
    reports::Connection(bad.path(), reports::Connection::Mode::ReadWrite).execute("UPDATE tile_series SET by_tile = x'80'");
    const auto damaged = Session::open(bad.path().string());
    for (const bool first : {true, false}) {
      const std::string error =
          tests::errorOf([&] { first ? compare::compare(*damaged, *m_a) : compare::compare(*m_a, *damaged); });
      QVERIFY2(tests::has(error, bad.path().string()) && tests::has(error, "by_tile"), error.c_str());
    }
  }
  void textAndJsonSayTheSame() {
    const auto json = nlohmann::json::parse(comparisonJson(m_ab));
    QVERIFY(!json["same"].get<bool>());
    QCOMPARE(json["operations"].size(), m_ab.operations.size());
    QCOMPARE(json["findings"].size(), m_ab.findings.size());
    const auto& cycles = json["totals"]["total_cycles"];
    QCOMPARE(cycles["difference"].get<int64_t>(), cycles["other"].get<int64_t>() - cycles["base"].get<int64_t>());
    for (const TextFormat format : {TextFormat::Plain, TextFormat::Markdown, TextFormat::Html}) {
      const std::string text = comparisonText(m_ab, format);
      for (const char* part : {"Causes", "Totals", "Memory by category", "Operations", "Total cycles", "model/maxpool3"})
        QVERIFY2(text.find(part) != std::string::npos, part);
    }
  }
  void rowsBeyondTheTopAreCounted() {
    const std::string text = comparisonText(m_ab, TextFormat::Plain, 1);
    QVERIFY2(text.find("… and ") != std::string::npos, text.c_str());
    QVERIFY(comparisonText(m_ab, TextFormat::Plain, 0).find("… and ") == std::string::npos);
  }
  void severalOthersHaveAColumnEach() {
    const std::string text = comparisonText({m_ab, compare::compare(*m_a, *m_a)}, TextFormat::Plain, 5);
    QVERIFY2(tests::has(text, "\n\nTotals of all"), text.c_str());
    QCOMPARE(nlohmann::json::parse(comparisonJson({m_ab, m_ab}))["comparisons"].size(), std::size_t(2));
  }
  void theBestOfSeveralIsSaid() {
    const tests::TinyReport slow, small;
    tests::tamper(slow.path(), "UPDATE machine SET clock_hz = clock_hz / 2");
    const auto a = Session::open(slow.path().string()), b = Session::open(small.path().string());
    const std::string text = verdictOfAll({compare::compare(*a, *b), compare::compare(*a, *m_b)}).text();
    const std::string expected = "Of 3 reports " + small.path().filename().string() + " takes the least time, ";
    QVERIFY2(text.starts_with(expected) && tests::has(text, "(50.0 % less than the base); "), text.c_str());
    QVERIFY2(tests::has(text, " fills its fullest tile least, ") && tests::has(text, " (the base)."), text.c_str());
    QVERIFY(verdictOfAll({}).empty());
  }
  void namesOfStrangersStayText() {
    const tests::TinyReport odd;
    reports::Connection(odd.path(), reports::Connection::Mode::ReadWrite)
        .execute("UPDATE operation SET name = '<script>|`x`[a](b)' WHERE id = 0");
    PairingRules exact;
    exact.leastConfidence = 2;
    const auto c = compare::compare(*m_a, *Session::open(odd.path().string()), {}, exact);
    const std::string html = comparisonText(c, TextFormat::Html), markdown = comparisonText(c, TextFormat::Markdown);
    QVERIFY(html.find("<script>") == std::string::npos && html.find("&lt;script&gt;") != std::string::npos);
    // Tables scroll by themselves: on a phone nothing makes the page wider than its window.
    QVERIFY(html.find("<meta name=\"viewport\" content=\"width=device-width") != std::string::npos);
    const auto count = [&](const std::string& what) {
      int n = 0;
      for (std::size_t at = html.find(what); at != std::string::npos; at = html.find(what, at + 1)) ++n;
      return n;
    };
    QVERIFY(count("<table") > 0);
    QCOMPARE(count("<div class=\"w\" tabindex=\"0\"><table"), count("<table"));
    QVERIFY2(markdown.find("\\<script\\>\\|\\`x\\`\\[a\\](b)") != std::string::npos, markdown.c_str());
  }

private:
  static const Figure& figure(const Comparison& c, const char* key) {
    return *std::find_if(c.totals.begin(), c.totals.end(), [&](const auto& f) { return f.key == key; });
  }
  static void setSamples(const tests::TinyReport& report, int samples) {
    const std::string n = std::to_string(samples);
    reports::Connection(report.path(), reports::Connection::Mode::ReadWrite)
        .execute("INSERT INTO metadata VALUES ('samples', '" + n + "'), ('batch_size', '" + n + "')");
  }
  static void negative(const std::vector<Figure>& ab, const std::vector<Figure>& ba) {
    QCOMPARE(ab.size(), ba.size());
    for (std::size_t i = 0; i < ab.size(); ++i) {
      QCOMPARE(ab[i].key, ba[i].key);
      QCOMPARE(ab[i].difference(), -ba[i].difference());
    }
  }

  tests::TinyReport m_small, m_big{tests::ReportShape{2, 8, 5, 0, 3}};
  std::shared_ptr<Session> m_a, m_b;
  Comparison m_ab;
};

TILESCOPE_TEST(CompareTest)
#include "compare_test.moc"
