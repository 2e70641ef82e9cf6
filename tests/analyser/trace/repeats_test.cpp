#include "analyser/trace/repeats.h"

#include "reports/core/ids.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace analyser::trace;

namespace {
std::vector<uint64_t> letters(const char* text) { return {text, text + std::char_traits<char>::length(text)}; }
std::string told(const char* text) { // "first:period×times …"
  std::string words;
  for (const Repeat& r : repeatsOf(letters(text)))
    words += std::to_string(r.first) + ":" + std::to_string(r.period) + "x" + std::to_string(r.times) + " ";
  return words;
}
} // namespace

class RepeatsTest : public QObject {
  Q_OBJECT
private slots:
  void patternsAreFound() {
    QCOMPARE(told(""), std::string());
    QCOMPARE(told("aa"), std::string());
    QCOMPARE(told("aaa"), std::string("0:1x3 "));
    QCOMPARE(told("abab"), std::string());
    QCOMPARE(told("ababab"), std::string("0:2x3 "));
    QCOMPARE(told("xabcabcabcay"), std::string("1:3x3 "));       // the last a is not part of the loop
    QCOMPARE(told("aaabaaabaaab"), std::string("0:4x3 "));       // the round that covers most, not its first letters
    QCOMPARE(told("aaaabcbcbcbc"), std::string("0:1x4 4:2x4 ")); // two stretches
    QCOMPARE(told("abcdef"), std::string());
  }
  // For any sequence: the repeated stretches are disjoint and complete, and every round equals the first.
  void roundsAreEqualInAnySequence() {
    std::mt19937 random(7);
    for (int turn = 0; turn < 200; ++turn) {
      std::vector<uint64_t> sequence;
      while (sequence.size() < 150) {
        const std::size_t period = 1 + random() % 5, times = 1 + random() % 6, at = sequence.size();
        for (std::size_t i = 0; i < period; ++i) sequence.push_back(random() % 3);
        for (std::size_t i = 0; i < period * times; ++i) sequence.push_back(sequence[at + i % period]);
      }
      std::size_t end = 0;
      for (const Repeat& r : repeatsOf(sequence)) {
        QVERIFY(r.first >= end && r.times >= kFewestRepeats && r.period >= 1 && r.period <= kLongestPeriod);
        for (std::size_t i = r.first; i + r.period < r.first + r.size(); ++i) QCOMPARE(sequence[i], sequence[i + r.period]);
        end = r.first + r.size();
      }
      QVERIFY(end <= sequence.size());
    }
  }
  // The cycle of a pipeline stage has hundreds of steps.
  void longRoundsAreFound() {
    std::mt19937 random(3);
    for (const std::size_t period : {std::size_t(130), kLongestPeriod}) {
      std::vector<uint64_t> round{100}, sequence{1000, 1001, 1002};
      while (round.size() < period) round.push_back(100 + random() % 40);
      for (int times = 0; times < 10; ++times) sequence.insert(sequence.end(), round.begin(), round.end());
      sequence.insert(sequence.end(), round.begin(), round.begin() + 7); // the start of another one
      const auto found = repeatsOf(sequence);
      QCOMPARE(found.size(), std::size_t(1));
      QVERIFY(found[0].first == 3 && found[0].period == period && found[0].times == 10);
    }
  }
  void aLaneIsReadInsideItsParents() {
    const tests::TinyReport report(tests::ReportShape{1, 8, 5});
    const auto session = analyser::Session::open(report.path().string());
    Slices slices(*session, "ipu");
    for (const Track& track : slices.tracks())
      for (int depth = 0; depth < track.depths; ++depth) {
        std::vector<Slice> lane;
        slices.forEach(track.id, depth, slices.range(), {}, [&](const Slice& s) { lane.push_back(s); });
        for (const RepeatedSteps& r : repeatedSteps(slices, track.id, depth, 1'000'000)) {
          std::size_t inside = 0;
          for (const Slice& s : lane) inside += r.ticks.begin <= s.ticks.begin && s.ticks.end <= r.ticks.end;
          QCOMPARE(inside, r.repeat.size());
          QVERIFY(r.busy <= r.ticks.size() && r.shortest <= r.longest);
          if (depth > 0) {
            const auto first = slices.sliceAt(track.id, depth - 1, r.ticks.begin),
                       last = slices.sliceAt(track.id, depth - 1, r.ticks.end - 1);
            QCOMPARE(first ? first->number : -1, last ? last->number : -1);
          }
        }
        QVERIFY(repeatedSteps(slices, track.id, depth, -1).empty()); // too many to read
      }
  }
};

TILESCOPE_TEST(RepeatsTest)
#include "repeats_test.moc"
