// Names of many files, and of threads in many processes: comparing all pairs would take too long.
#include "reports/exchange/proto_writer.h"
#include "tests/reports/exchange/imported.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;
using namespace reports::exchange;

class ManyNamesTest : public QObject {
  Q_OBJECT
private slots:
  void filesHaveAsManyFoldersAsTellThemApart() {
    using Names = std::vector<std::string>;
    QCOMPARE(distinctNames({"x/a.json", "x/run1/b.json", "x/run2/b.json"}), (Names{"a.json", "run1/b.json", "run2/b.json"}));
    QCOMPARE(distinctNames({"b/a.json", "x/b/a.json", "b/./a.json"}), (Names{"b/a.json", "x/b/a.json", "b/a.json"}));
    QCOMPARE(distinctNames({"/r/1/t/a", "/r/2/t/a", "/r/2/u/a"}), (Names{"1/t/a", "2/t/a", "u/a"}));
    std::vector<std::filesystem::path> files;
    for (int i = 0; i < 20'000; ++i) files.push_back("traces/rank" + std::to_string(i) + "/trace.json");
    const auto names = distinctNames(files);
    for (int i = 0; i < 20'000; ++i) QCOMPARE(names[std::size_t(i)], "rank" + std::to_string(i) + "/trace.json");
  }

  // Containers number threads anew: every process has a thread 1.
  void threadsOfOneNumberInManyProcesses() {
    constexpr int kProcesses = 20'000;
    std::string trace;
    const auto add = [&](uint32_t field, const ProtoWriter& content, uint64_t time) {
      ProtoWriter packet, top;
      packet.number(8, time);
      packet.number(10, 1);
      packet.bytes(field, content.message());
      top.bytes(1, packet.message());
      trace += top.message();
    };
    for (int i = 0; i < kProcesses; ++i) {
      ProtoWriter thread, descriptor, begin, end;
      thread.number(1, uint64_t(i) + 1);
      thread.number(2, 1);
      thread.bytes(5, "main of " + std::to_string(i));
      descriptor.number(1, uint64_t(i) + 10);
      descriptor.bytes(4, thread.message());
      add(60, descriptor, 0);
      begin.number(9, 1);
      begin.number(11, uint64_t(i) + 10);
      begin.bytes(23, "work");
      add(11, begin, 1000);
      end.number(9, 2);
      end.number(11, uint64_t(i) + 10);
      add(11, end, 2000);
    }
    const tests::Imported imported = tests::importText(trace, "many.pftrace");
    QCOMPARE(imported.counts().processes, int64_t(kProcesses));
    QCOMPARE(imported.counts().slices, int64_t(kProcesses));
    const auto threads = imported.rows.rows<HostThreadRow>();
    QCOMPARE(threads.size(), std::size_t(kProcesses));
    QCOMPARE(threads.at(7).name, std::string("main of 7"));
    QCOMPARE(threads.back().name, "main of " + std::to_string(kProcesses - 1));
  }
};

TILESCOPE_TEST(ManyNamesTest)
#include "many_names_test.moc"
