// Exchanges between pairs of tiles of whole programs: a tile's bytes from all others equal its received bytes.
#include "reports/rows/exchange_pairs.h"
#include "simcore/run/simulate.h"
#include "simcore/samples/sample.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <numeric>
#include <sstream>

using namespace simcore;
using Settings = std::map<std::string, std::string>;

class ExchangePairsTest : public QObject {
  Q_OBJECT

  static tests::RowCollector rowsOf(const QByteArray& sample, const QByteArray& settings, int ipus) {
    Settings given;
    for (const QByteArray& setting : settings.split(' '))
      if (const auto at = setting.indexOf('='); at > 0) given[setting.left(at).toStdString()] = setting.mid(at + 1).toStdString();
    samples::BuildOptions build;
    build.machine = arch::findMachine("gc200", ipus);
    return rowsOf(samples::findSample(sample.toStdString()), given, build);
  }
  static tests::RowCollector rowsOf(const samples::Sample& sample, const Settings& given, const samples::BuildOptions& build) {
    run::SimulateOptions options;
    options.engine.numbers = false;
    std::ostringstream printed;
    options.engine.printStream = &printed;
    run::HostTimeline timeline("test");
    reports::NoProgress quiet;
    tests::RowCollector rows;
    run::simulate(sample.build(samples::Parameters(sample.name, sample.parameters, given), build), options, rows, timeline, {},
                  quiet);
    return rows;
  }

private slots:
  void pairsAddUp_data() {
    QTest::addColumn<QByteArray>("sample");
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<int>("ipus");
    QTest::addColumn<int>("least"); // per cent of the bytes
    const auto row = [](const char* sample, const char* settings, int ipus = 1, int least = 5) {
      QTest::addRow("%s %s", sample, settings) << QByteArray(sample) << QByteArray(settings) << ipus << least;
    };
    row("mnist-train", "");
    row("resnet50", "training=1 size=32 width=8 depth=26", 1, 25);
    row("bert", "vocabulary=500 sequence=16", 1, 35);
    row("bert-pipeline", "vocabulary=500 sequence=16", 4);
    row("stencil", "width=40 height=30 steps=4");
    row("lstm", "steps=4");
    row("data-parallel", "width=64", 4);
    row("gpt2", "vocabulary=500 sequence=16", 1, 30);
    row("vit", "size=64", 1, 10);
    row("efficientnet", "size=64", 1, 60);
    row("autoencoder", "", 1, 2);
    row("hmc", "", 1, 3);
    row("group-conv", "", 1, 15);
  }
  void pairsAddUp() {
    QFETCH(QByteArray, sample);
    QFETCH(QByteArray, settings);
    QFETCH(int, ipus);
    QFETCH(int, least);
    const tests::RowCollector rows = rowsOf(sample, settings, ipus);
    const auto tiles = std::size_t(arch::findMachine("gc200", ipus).tiles());
    int known = 0;
    int64_t knownBytes = 0, allBytes = 0; // without those of the host
    for (const reports::ExchangeRow& row : rows.rows<reports::ExchangeRow>()) {
      if (row.kind != "host") allBytes += row.totalBytes;
      if (!row.pairs) continue;
      ++known;
      QVERIFY(row.kind != "host");
      const auto out = reports::unpackRuns(row.bytesOutByTile, tiles, "bytes_out_by_tile");
      int64_t received = 0, unsent = 0;
      reports::PairSweep sweep(reports::decodePairs(row, tiles)); // compares every receiver
      while (sweep.next())
        for (const auto& [from, bytes] : sweep.senders()) {
          received += bytes;
          if (out[std::size_t(from)] <= 0) unsent += bytes;
        }
      QCOMPARE(received, row.totalBytes);
      // If a plan rounds the sent bytes of all tiles down to 0, it has no information about senders.
      const bool isSaid = std::any_of(out.begin(), out.end(), [](int64_t bytes) { return bytes > 0; });
      if (isSaid && unsent * 20 > received)
        QFAIL(qPrintable(
            QString("tiles that send nothing send %1 of the %2 bytes of exchange %3").arg(unsent).arg(received).arg(row.id)));
      knownBytes += received;
    }
    QVERIFY(known > 0);
    if (knownBytes * 100 < allBytes * least) QFAIL(qPrintable(QString("pairs of %1 of %2 bytes").arg(knownBytes).arg(allBytes)));
  }

  // In every exchange of every sample the tiles send at most the bytes that they receive, and more than 0 if they receive any.
  void sentIsReceived_data() {
    QTest::addColumn<QByteArray>("sample");
    for (const samples::Sample& sample : samples::catalogue())
      QTest::newRow(sample.name.c_str()) << QByteArray(sample.name.c_str());
  }
  void sentIsReceived() {
    QFETCH(QByteArray, sample);
    const samples::Sample& found = samples::findSample(sample.toStdString());
    samples::BuildOptions build;
    build.machine = arch::findMachine("gc200", 0);
    samples::placeAsShipped(found, "gc200", build);
    const tests::RowCollector rows = rowsOf(found, {}, build);
    const auto tiles = std::size_t(build.machine.tiles());
    for (const reports::ExchangeRow& row : rows.rows<reports::ExchangeRow>()) {
      if (row.kind != "internal") continue;
      const auto in = reports::unpackRuns(row.bytesInByTile, tiles, "bytes_in_by_tile");
      const auto out = reports::unpackRuns(row.bytesOutByTile, tiles, "bytes_out_by_tile");
      const int64_t received = std::accumulate(in.begin(), in.end(), int64_t(0)),
                    sent = std::accumulate(out.begin(), out.end(), int64_t(0));
      QCOMPARE(received, row.totalBytes);
      if (sent > received || (sent == 0 && received > 0))
        QFAIL(qPrintable(QString("exchange %1 sends %2 bytes and receives %3").arg(row.id).arg(sent).arg(received)));
    }
  }

  // A word received by several tiles is sent once: a tile sends at most the bytes that others receive from it, and not 0 if they do.
  void halosSendWhatIsTaken_data() {
    QTest::addColumn<QByteArray>("sample");
    QTest::addColumn<QByteArray>("settings");
    QTest::addRow("heat") << QByteArray("heat") << QByteArray("ipus=2 size=150 steps=7");
    QTest::addRow("heat in 3D") << QByteArray("heat") << QByteArray("ipus=2 dims=3 size=40 steps=2");
    QTest::addRow("stencil") << QByteArray("stencil") << QByteArray("width=200 height=150 steps=4");
  }
  void halosSendWhatIsTaken() {
    QFETCH(QByteArray, sample);
    QFETCH(QByteArray, settings);
    const tests::RowCollector rows = rowsOf(sample, settings, 2);
    const auto tiles = std::size_t(arch::findMachine("gc200", 2).tiles());
    int known = 0;
    for (const reports::ExchangeRow& row : rows.rows<reports::ExchangeRow>()) {
      if (!row.pairs) continue;
      ++known;
      const auto out = reports::unpackRuns(row.bytesOutByTile, tiles, "bytes_out_by_tile");
      std::vector<int64_t> taken(tiles, 0);
      reports::PairSweep sweep(reports::decodePairs(row, tiles));
      while (sweep.next())
        for (const auto& [from, bytes] : sweep.senders()) taken[std::size_t(from)] += bytes;
      for (std::size_t tile = 0; tile < tiles; ++tile)
        if (out[tile] > taken[tile] || (taken[tile] > 0 && out[tile] == 0))
          QFAIL(qPrintable(QString("exchange %1: tile %2 sends %3 bytes, the others take %4")
                               .arg(row.id)
                               .arg(tile)
                               .arg(out[tile])
                               .arg(taken[tile])));
    }
    QVERIFY(known > 0);
  }
};

TILESCOPE_TEST(ExchangePairsTest)
#include "exchange_pairs_test.moc"
