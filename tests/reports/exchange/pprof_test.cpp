// Profiles of pprof: stacks, inlined functions, several values, and odd cases.
#include "tests/reports/exchange/exported.h"
#include "tests/reports/exchange/pprof_profile.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;
using namespace reports::exchange;
using tests::ProfileWriter;

namespace {

ProfileWriter cpuProfile(bool isPacked = true) {
  ProfileWriter w;
  w.type("samples", "count"), w.type("cpu", "nanoseconds");
  w.sample({3, 1}, {2, 20'000'000}, isPacked); // innermost first
  w.sample({2, 1}, {1, 10'000'000}, isPacked);
  w.sample({1}, {1, 10'000'000}, isPacked);
  w.function(1, "main"), w.function(2, "work"), w.function(3, "inner");
  w.location(1, 0x1000, {1}), w.location(2, 0x2000, {2});
  w.location(3, 0x3000, {3, 2}); // inner is inlined into work
  return w;
}

} // namespace

class PprofTest : public QObject {
  Q_OBJECT
private slots:
  void isRecognised() {
    const auto imported = tests::importText(cpuProfile().bytes(), "cpu.pb");
    QCOMPARE(imported.result.files.front().format, TraceFormat::Pprof);
    QCOMPARE(imported.counts().samples, int64_t(3));
    QCOMPARE(imported.counts().processes, int64_t(2)); // counts and nanoseconds are not added up
  }

  // Other writers begin with the time, a mapping or the texts.
  void theOrderOfFieldsIsFree() {
    ProtoWriter time;
    time.number(9, 1'700'000'000'000'000'000);
    ProfileWriter tables = cpuProfile();
    for (const std::string& bytes : {time.message() + tables.bytes(), tables.tablesFirst()})
      QCOMPARE(tests::importText(bytes, "cpu.pb").result.files.front().format, TraceFormat::Pprof);
  }

  // Self times by stack, each value in its unit: 1 count is drawn as 1 µs, nanoseconds as they are.
  void stacksHaveTheirValues() {
    const std::vector<std::string> expected{"main 1000",          "main 10000000",        "main;work 1000",
                                            "main;work 10000000", "main;work;inner 2000", "main;work;inner 20000000"};
    for (const bool isPacked : {true, false}) {
      std::vector<std::string> lines;
      const auto imported = tests::importText(cpuProfile(isPacked).bytes(), "cpu.pb");
      const auto slices = imported.slices();
      for (const auto& slice : slices) {
        int64_t own = slice.end - slice.start;
        std::string stack = slice.name;
        for (const auto& inner : slices)
          if (inner.track == slice.track && inner.depth == slice.depth + 1 && inner.start >= slice.start &&
              inner.end <= slice.end)
            own -= inner.end - inner.start;
        for (int64_t depth = slice.depth - 1; depth >= 0; --depth)
          for (const auto& outer : slices)
            if (outer.track == slice.track && outer.depth == depth && outer.start <= slice.start && outer.end >= slice.end)
              stack = outer.name + ";" + stack;
        lines.push_back(stack + " " + std::to_string(own));
      }
      std::sort(lines.begin(), lines.end());
      QCOMPARE(lines, expected);
    }
  }

  void aLocationWithoutSymbolsHasItsAddress() {
    ProfileWriter w;
    w.type("cpu", "nanoseconds");
    w.sample({1}, {5});
    w.sample({2}, {5});
    w.sample({9}, {5}); // not in the table
    w.mapping(1, "/lib/libc.so.6");
    w.location(1, 0x4010, {}, 1), w.location(2, 0x80, {});
    const auto imported = tests::importText(w.bytes(), "cpu.pb");
    QCOMPARE(imported.names(), (std::vector<std::string>{"0x4010 (libc.so.6)", "0x80", "(no name)"}));
    QCOMPARE(imported.mended(Mend::UnknownNames), int64_t(1));
  }

  void whatCannotBeDrawnIsCounted() {
    ProfileWriter w;
    w.type("cpu", "nanoseconds");
    w.sample({}, {5});        // no stack
    w.sample({1}, {-5});      // of the difference of two profiles
    w.sample({1}, {7, 8, 9}); // more values than types
    w.function(1, "main"), w.location(1, 1, {1});
    const auto imported = tests::importText(w.bytes(), "cpu.pb");
    QCOMPARE(imported.mended(Mend::SamplesWithoutStack), int64_t(1));
    QCOMPARE(imported.mended(Mend::WeightsNotNumbers), int64_t(1));
    QCOMPARE(imported.slices().size(), std::size_t(1));
    QCOMPARE(imported.slices().front().end - imported.slices().front().start, int64_t(7));
  }

  // A function that calls itself 100,000 times is cut, not an overflow.
  void deepStacksAreCut() {
    ProfileWriter w;
    w.type("cpu", "nanoseconds");
    w.function(1, "f"), w.location(1, 1, {1});
    ProtoWriter sample;
    sample.bytes(1, std::string(100'000, '\x01')), sample.bytes(2, "\x05");
    ProtoWriter profile;
    profile.bytes(2, sample.message());
    const auto imported = tests::importText(w.bytes() + profile.message(), "cpu.pb", TraceFormat::Pprof);
    QCOMPARE(imported.mended(Mend::StacksCut), int64_t(1));
    QCOMPARE(imported.slices().size(), std::size_t(4096));
  }

  // A byte of a sample can stand for much: a location with inlined functions, a value of each kind, a long file name.
  void aSmallFileBecomesNoLargeReport() {
    ProfileWriter inlined;
    inlined.type("cpu", "nanoseconds");
    ProtoWriter location;
    location.number(1, 1);
    for (int i = 0; i < 3000; ++i) location.bytes(4, std::string("\x08\x01", 2));
    inlined.function(1, "f");
    ProtoWriter sample, profile;
    sample.bytes(1, std::string(50'000, '\x01')), sample.bytes(2, "\x05");
    profile.bytes(4, location.message()), profile.bytes(2, sample.message());
    QCOMPARE(tests::importText(inlined.bytes() + profile.message(), "a.pb", TraceFormat::Pprof).slices().size(),
             std::size_t(4096));

    ProfileWriter kinds;
    for (int i = 0; i < 40; ++i) kinds.type("kind", "count");
    kinds.function(1, "f"), kinds.location(1, 1, {1}), kinds.sample({1}, {1});
    QCOMPARE(tests::importText(kinds.bytes(), "b.pb", TraceFormat::Pprof).mended(Mend::ProfilesNotRead), int64_t(24));

    ProfileWriter named;
    named.type("cpu", "nanoseconds");
    named.mapping(1, "/usr/lib/" + std::string(100'000, 'x')), named.location(1, 0x40, {}, 1), named.sample({1}, {1});
    const auto imported = tests::importText(named.bytes(), "c.pb", TraceFormat::Pprof);
    QVERIFY(imported.names().at(0).size() < 1000);
  }

  void manyFramesOfFewBytesAreRefused() {
    ProfileWriter w;
    for (int i = 0; i < 16; ++i) w.type("kind", "count");
    for (uint64_t i = 1; i < 128; ++i) w.function(i, "f" + std::to_string(i)), w.location(i, i, {i});
    ProtoWriter profile;
    for (int s = 0; s < 10; ++s) { // each stack differs from its first frame on
      ProtoWriter sample;
      sample.bytes(1, std::string(4000, '\x01') + char(s + 2)), sample.bytes(2, std::string(16, '\x01'));
      profile.bytes(2, sample.message());
    }
    const auto refused = tests::errorOf([&] { tests::importText(w.bytes() + profile.message(), "d.pb", TraceFormat::Pprof); });
    QVERIFY2(refused.find("implausibly many stack frames for its file size") != std::string::npos, refused.c_str());
  }
};

TILESCOPE_TEST(PprofTest)
#include "pprof_test.moc"
