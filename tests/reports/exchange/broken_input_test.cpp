// Traces that are cut, deceptively packed, endlessly nested or full of impossible numbers: valid parts are read, others counted.
// Each file is cut at 1,000 places, the same in every run; TILESCOPE_CUTS is another number of them.
#include "reports/exchange/byte_source.h"
#include "reports/exchange/export.h"
#include "reports/recording/tilescope_trace.h"
#include "reports/rows/slice_track.h"
#include "reports/sqlite/reader.h"
#include "tests/reports/exchange/imported.h"
#include "tests/support/file_bytes.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fmt/format.h>

#include <random>
#include <sstream>

#include <zlib.h>
#include <zstd.h>

using namespace reports;
using namespace reports::exchange;

namespace {

constexpr int kDeep = 100'000;
const std::filesystem::path kPoplar = TILESCOPE_SOURCE_DIR "/tests/reports/exchange/poplar";

int cuts() {
  const int asked = qEnvironmentVariableIntValue("TILESCOPE_CUTS");
  return asked > 0 ? asked : 1000;
}

std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, uLong(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = uInt(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstPacked(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string chromeText() {
  std::string text = R"({"displayTimeUnit":"ms","traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"p"}})";
  for (int i = 0; i < 60; ++i)
    text += fmt::format(",\n{{\"ph\":\"X\",\"name\":\"op \\u00e4 "
                        "{0}\",\"pid\":1,\"tid\":{1},\"ts\":{0}.5,\"dur\":0.25,\"args\":{{\"a\":[{0}]}}}},"
                        "{{\"ph\":\"C\",\"name\":\"c\",\"pid\":1,\"ts\":{0},\"args\":{{\"v\":{0}}}}}",
                        i, i % 3);
  return text + "],\"stackFrames\":{\"1\":{\"name\":\"main\"}},\"samples\":[{\"tid\":1,\"ts\":3,\"sf\":1,\"weight\":1}]}";
}
std::string perfText() {
  std::string text;
  for (int i = 0; i < 60; ++i)
    text += fmt::format("a b 7/{} [000] 1.{:06}: 250 cycles:\n\t 1f main+0x2 (a.out)\n\t 2f start (libc)\n\n", i % 3, i);
  return text;
}
std::string foldedText() {
  std::string text;
  for (int i = 0; i < 60; ++i) text += fmt::format("main;run {};leaf {}\n", i % 7, i + 1);
  return text;
}
std::string speedscopeText() {
  std::string samples, weights;
  for (int i = 0; i < 60; ++i) samples += i ? ",[0,1]" : "[0]", weights += i ? ",2" : "1";
  return R"({"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},{"name":"b"}]},)"
         R"("profiles":[{"type":"sampled","name":"p","unit":"milliseconds","startValue":0,"endValue":119,"samples":[)" +
         samples + "],\"weights\":[" + weights + "]}]}";
}
std::string perfettoText() {
  const tests::TinyReport report;
  Reader reader(report.path());
  NoProgress progress;
  std::ostringstream out;
  exportPerfetto(reader, {}, out, progress, {});
  return out.str();
}
std::string pvtiText() {
  const tests::TinyReport report;
  const auto file = report.folder() / "a.pvti";
  std::ofstream(file, std::ios::binary).flush();
  Reader reader(report.path());
  NoProgress progress;
  exportPvti(reader, {}, file, progress, {});
  return tests::bytesOf(file);
}
int64_t slicesOf(const tests::Imported& report) { // of the device; their references do not point to details
  int64_t sum = 0;
  for (const auto& track : report.rows.rows<TrackRow>()) sum += track.slices;
  return sum;
}
// The file as it is while the program runs: with free space after the last event.
std::string recordingText() {
  const tests::TemporaryFolder folder;
  tilescope_trace::Options options;
  options.directory = folder.path().string();
  options.file = "run.tsrec";
  if (!tilescope_trace::start(options)) return {};
  const tilescope_trace::Channel channel("work");
  const auto loss = tilescope_trace::Graph("Loss", "%").addSeries("training");
  for (int i = 0; i < 2000; ++i) {
    const tilescope_trace::Scope step(channel, "step " + std::to_string(i % 50), R"({"number": 1})");
    const tilescope_trace::Scope inner(channel, "inner");
    tilescope_trace::instant(channel, "flag");
    loss.add(i);
  }
  std::string bytes = tests::bytesOf(folder / "run.tsrec");
  tilescope_trace::stop();
  return bytes;
}

} // namespace

class BrokenInputTest : public QObject {
  Q_OBJECT
private slots:
  void cutAnywhere_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("format");
    const auto row = [](const char* name, const std::string& bytes, TraceFormat format) {
      QTest::newRow(name) << QByteArray::fromStdString(bytes) << int(format);
    };
    row("chrome", chromeText(), TraceFormat::Chrome);
    row("chrome.gz", gzipped(chromeText()), TraceFormat::Chrome);
    row("chrome.zst", zstPacked(chromeText()), TraceFormat::Chrome);
    row("perfetto", perfettoText(), TraceFormat::Perfetto);
    row("perf script", perfText(), TraceFormat::PerfScript);
    row("folded", foldedText(), TraceFormat::Folded);
    row("speedscope", speedscopeText(), TraceFormat::Speedscope);
    row("pvti", pvtiText(), TraceFormat::Pvti);
    row("recording", recordingText(), TraceFormat::Recording);
  }
  // Every slice of a cut file is also in the whole file; a cut file is an error only if nothing in it can be read.
  void cutAnywhere() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, format);
    const std::string_view whole(bytes.constData(), std::size_t(bytes.size()));
    const ImportCounts all = tests::importText(whole, "whole", TraceFormat(format)).counts();
    QVERIFY(all.slices + all.samples + all.counterSamples > 0);
    const tests::TemporaryFolder folder;
    ImportRequest request;
    request.files = {folder / "cut"};
    request.format = TraceFormat(format);
    std::mt19937 random(3);
    int read = 0;
    for (int i = 0; i < cuts(); ++i) {
      const std::size_t bytesLeft = random() % whole.size();
      std::ofstream(request.files[0], std::ios::binary) << whole.substr(0, bytesLeft);
      try {
        const ImportCounts some = tests::importFiles(request).counts();
        QVERIFY(some.samples <= all.samples && some.counterSamples <= all.counterSamples && some.instants <= all.instants);
        QVERIFY(some.slices <= all.slices || all.samples > 0); // a stack that lost its outer frames is a slice of its own
        ++read;
      } catch (const Error&) {
      }
    }
    const bool isOneBlock = QByteArray(QTest::currentDataTag()).endsWith(".zst"); // nothing of which is unpacked before its end
    QVERIFY2(read > cuts() / 2 || isOneBlock || TraceFormat(format) == TraceFormat::Pvti, qPrintable(QString::number(read)));
  }

  // One of the profiles is cut, the others are complete. The cut one is refused by name, or gives at most the complete one's rows.
  void cutProfiles() {
    const std::vector<std::string> names{"graph.json", "execution.json", "vars.json"};
    ImportRequest request;
    for (const std::string& name : names) request.files.push_back(kPoplar / name);
    const tests::Imported all = tests::importFiles(request);
    const tests::TemporaryFolder folder;
    std::mt19937 random(5);
    for (std::size_t cut = 0; cut < names.size(); ++cut) {
      const std::string whole = tests::bytesOf(kPoplar / names[cut]);
      request.files[cut] = folder / names[cut];
      for (int i = 0; i < cuts(); ++i) {
        std::ofstream(request.files[cut], std::ios::binary) << whole.substr(0, random() % whole.size());
        try {
          const tests::Imported some = tests::importFiles(request);
          QVERIFY(some.rows.rows<ProgramStepRow>().size() <= all.rows.rows<ProgramStepRow>().size());
          QVERIFY(some.rows.rows<VariableRow>().size() <= all.rows.rows<VariableRow>().size());
          QVERIFY(slicesOf(some) <= slicesOf(all));
        } catch (const Error& error) {
          QVERIFY2(error.code() == ErrorCode::InvalidInput || error.code() == ErrorCode::Damaged, error.what());
          QVERIFY2(std::string(error.what()).find(names[cut]) != std::string::npos, error.what());
        }
      }
      request.files[cut] = kPoplar / names[cut];
    }
  }

  // A profile that is cut within an array of an execution gives the steps before the cut, and the cut is counted.
  void cutProfileGivesItsWholeSteps() {
    ImportRequest request;
    for (const char* name : {"graph.json", "execution.json"}) request.files.push_back(kPoplar / name);
    const auto steps = [&] { return tests::importFiles(request).rows.rows<StepProfileRow>().size(); };
    const std::size_t all = steps();
    const std::string whole = tests::bytesOf(request.files[1]);
    const tests::TemporaryFolder folder;
    request.files[1] = folder / "execution.json";
    std::ofstream(request.files[1]) << whole.substr(0, whole.rfind("\"program\""));
    QVERIFY(all > 1);
    QCOMPARE(steps(), all - 1);
    QCOMPARE(tests::importFiles(request).mended(Mend::TornFile), int64_t(1));
  }

  // A cut file without any complete event is one error that names the file, the position and the remedy; never an empty report.
  void cutBeforeAnything_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("format");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const std::string& bytes, TraceFormat format, const char* says) {
      QTest::newRow(name) << QByteArray::fromStdString(bytes) << int(format) << says;
    };
    row("chrome", chromeText().substr(0, 50), TraceFormat::Chrome, "ends after 50 bytes");
    row("speedscope", speedscopeText().substr(0, 120), TraceFormat::Speedscope, "ends after 120 bytes");
    row("pvti", pvtiText().substr(0, 5000), TraceFormat::Pvti, "5000 of its");
    row("poplar", "{\"target\":{\"numTiles\"", TraceFormat::Poplar, "how many tiles");
    row("poplar, a word", "{\"targ", TraceFormat::Poplar, "ends after 6 bytes");
    row("no JSON", "some words", TraceFormat::Chrome, "nothing in it can be shown");
    row("no stacks", "some words\n", TraceFormat::Folded, "lines could not be read");
    row("no samples", "some words\n", TraceFormat::PerfScript, "lines could not be read");
    row("packed", zstPacked(chromeText()).substr(0, 40), TraceFormat::Chrome, "before its first complete entry");
  }
  void cutBeforeAnything() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, format);
    QFETCH(QString, says);
    std::string message;
    try {
      tests::importText(std::string_view(bytes.constData(), std::size_t(bytes.size())), "cut.bin", TraceFormat(format));
    } catch (const Error& error) {
      message = error.what();
      QVERIFY(!error.advice().empty());
    }
    QVERIFY2(message.find("cut.bin") != std::string::npos, message.c_str());
    QVERIFY2(message.find(says.toStdString()) != std::string::npos, message.c_str());
    QVERIFY2(message.find("report") == std::string::npos, message.c_str());
  }

  void packedToDeceive() {
    const std::string block(64 << 20, ' ');
    for (const bool gzip : {true, false}) {
      const char* const start = R"([{"ph":"i","name":"a","pid":1,"tid":1,"ts":1},)";
      std::string bomb = gzip ? gzipped(start) : zstPacked(start);
      const std::string packed = gzip ? gzipped(block) : zstPacked(block);
      for (int i = 0; i < 24; ++i) bomb += packed; // 1.5 GiB
      const tests::Imported trace = tests::importText(bomb, "bomb.json", TraceFormat::Chrome);
      QCOMPARE(trace.mended(Mend::TornFile), int64_t(2)); // the array, and the unpacking
      QVERIFY(trace.rows.rows<ReportIssueRow>().at(0).message.find("times its size") != std::string::npos);
    }
  }

  // Members of one gzip file are one text; zeros behind them are padding, other bytes are counted.
  void gzipMembers() {
    const std::string event = R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1})";
    const std::string members = gzipped("[" + event + ",") + gzipped(event + "]");
    for (const auto& [behind, trailing] :
         {std::pair(std::string(), 0), std::pair(std::string(700, '\0'), 0), std::pair(std::string("signature"), 1),
          std::pair(std::string(512, '\0') + "signature", 1)}) {
      const tests::Imported trace = tests::importText(members + behind, "a.json.gz");
      QCOMPARE(trace.counts().slices, int64_t(2));
      QCOMPARE(trace.mended(Mend::TrailingContent), int64_t(trailing));
      QCOMPARE(trace.mended(Mend::TornFile), int64_t(0));
    }
  }

  void aMemberTooLargeForMemoryIsSkipped() {
    std::string text =
        "{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},{\"ph\":\"X\",\"name\":\"";
    text += std::string(70 << 20, 'y') + "\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},";
    text += "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":3,\"dur\":1}],\"junk\":\"";
    text += std::string(300 << 20, 'x') + "\",\"displayTimeUnit\":\"ms\"}";
    const tests::Imported trace = tests::importText(text, "huge.json", TraceFormat::Chrome);
    QCOMPARE(trace.counts().slices, int64_t(2));
    QCOMPARE(trace.names(), (std::vector<std::string>{"a", "b"}));
    QCOMPARE(trace.mended(Mend::UnreadableEvents), int64_t(1));
    QCOMPARE(trace.mended(Mend::TornFile), int64_t(0));
  }

  void deepNesting() {
    std::string begins = "[", nested = R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1,"args":)", folded, perf,
                speedscope;
    for (int i = 0; i < kDeep; ++i) begins += fmt::format(R"({{"ph":"B","name":"d{}","pid":1,"tid":1,"ts":{}}},)", i % 9, i);
    for (int i = 0; i < kDeep; ++i) begins += fmt::format(R"({{"ph":"E","pid":1,"tid":1,"ts":{}}},)", kDeep + i);
    begins.back() = ']';
    for (int i = 0; i < kDeep; ++i) nested += "{\"a\":[";
    nested += "1";
    for (int i = 0; i < kDeep; ++i) nested += "]}";
    nested += "}]";
    for (int i = 0; i < kDeep; ++i) folded += fmt::format("{}f{}", i ? ";" : "", i % 7);
    folded += " 5\n";
    perf = "a 1/2 [000] 1.5: 1 cycles:\n";
    for (int i = 0; i < kDeep; ++i) perf += fmt::format("\t1f f{} (m)\n", i % 7);
    speedscope = R"({"shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[0)";
    for (int i = 1; i < kDeep; ++i) speedscope += ",0";
    speedscope += R"(]],"weights":[1]}]})";
    const tests::Imported pairs = tests::importText(begins, "deep.json", TraceFormat::Chrome);
    QCOMPARE(pairs.counts().slices, int64_t(kDeep));
    int64_t squeezed = 0; // the lanes end at kMaxDepth: slices below share the last one, and an issue counts them
    for (const auto& issue : pairs.rows.rows<ReportIssueRow>()) squeezed += issue.place.starts_with("track ") ? issue.count : 0;
    QCOMPARE(squeezed, int64_t(kDeep - kMaxDepth));
    QCOMPARE(pairs.slices().size(), std::size_t(kDeep));
    QCOMPARE(tests::importText(nested, "nested.json", TraceFormat::Chrome).counts().slices, int64_t(1));
    QCOMPARE(tests::importText(folded, "deep.folded", TraceFormat::Folded).counts().samples, int64_t(5));
    QCOMPARE(tests::importText(perf, "deep.perf", TraceFormat::PerfScript).counts().samples, int64_t(1));
    QCOMPARE(tests::importText(speedscope, "deep.speedscope.json", TraceFormat::Speedscope).counts().samples, int64_t(1));
  }

  // Times at and beyond the edge, in any order; ids of every kind.
  void impossibleNumbers() {
    const tests::Imported trace = tests::importText(
        R"([{"ph":"X","name":"late","pid":1,"tid":1,"ts":1e300,"dur":1e300},{"ph":"X","name":"early","pid":-7,"tid":4294967296,"ts":-3,"dur":-1},)"
        R"({"ph":"X","name":"a","pid":99999999999999999999,"tid":"t","ts":9223372036854775807,"dur":9223372036854775807},)"
        R"({"ph":"X","name":"b","pid":[1],"tid":{"a":1},"ts":5,"dur":NaN},{"ph":"X","name":"c","pid":1,"tid":1,"ts":NaN,"dur":1},)"
        R"({"ph":"X","name":"d","pid":1,"tid":1,"ts":"x","dur":1},{"ph":"C","name":"v","pid":1,"ts":4,"args":{"a":1e999,"b":-1e308}}])");
    QCOMPARE(trace.counts().slices, int64_t(2)); // times that no trace can have would make all others one pixel
    QCOMPARE(trace.mended(Mend::EventsWithoutTime), int64_t(2));
    QCOMPARE(trace.mended(Mend::NegativeDurations), int64_t(1));
    QVERIFY(trace.mended(Mend::TimesOutOfRange) >= 2);
    QCOMPARE(trace.mended(Mend::CounterValuesNotNumbers), int64_t(1));
    for (const auto& slice : trace.slices()) QVERIFY(slice.start >= 0 && slice.end >= slice.start);
    const tests::Imported perf = tests::importText("a 1/2 [000] 99999999999999999999.5: 1 cycles:\n\t1f f (m)\n\n"
                                                   "a 99999999999999999999 1.5: 1 cycles:\n\na 1 0.5: 1 cycles:\n\t1f f (m)\n",
                                                   "odd.perf", TraceFormat::PerfScript);
    QCOMPARE(perf.counts().samples, int64_t(3)); // an impossible number is a part of the command
    QCOMPARE(perf.mended(Mend::LinesNotRead), int64_t(0));
  }
};

TILESCOPE_TEST(BrokenInputTest)
#include "broken_input_test.moc"
