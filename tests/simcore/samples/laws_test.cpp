// Laws of cost for every sample: halves are not slower than floats, and more tiles cost at most 2 % more than fewer.
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;

class LawsTest : public QObject {
  Q_OBJECT

  static bool choosesPrecision(const samples::Sample& sample) {
    return sample.distributes || std::any_of(sample.parameters.begin(), sample.parameters.end(),
                                             [](const auto& parameter) { return parameter.name == "type"; });
  }
  static int64_t cyclesOf(const samples::Sample& sample, numerics::ElementType type, int tiles,
                          const tests::Settings& settings = {}) {
    samples::BuildOptions build;
    samples::placeAsShipped(sample, tests::kBaselineMachine, build);
    build.machine.tilesPerIpu = tiles;
    build.type = type;
    build.typeGiven = true;
    const auto workload = sample.build(samples::Parameters(sample.name, sample.parameters, settings), build);
    run::SimulateOptions options;
    options.engine.numbers = false;
    tests::RowCollector rows;
    run::HostTimeline timeline("test");
    reports::NoProgress quiet;
    return run::simulate(workload, options, rows, timeline, {}, quiet).cycles;
  }
  static constexpr int kTiles = 1472; // of the GC200

private slots:
  void samplesObey_data() {
    QTest::addColumn<QString>("name");
    for (const auto& sample : samples::catalogue())
      if (choosesPrecision(sample)) QTest::newRow(sample.name.c_str()) << QString::fromStdString(sample.name);
  }
  void samplesObey() {
    QFETCH(QString, name);
    const auto& sample = samples::findSample(name.toStdString());
    const int64_t floats = cyclesOf(sample, numerics::ElementType::Float, kTiles);
    const int64_t halves = cyclesOf(sample, numerics::ElementType::Half, kTiles);
    const int64_t onFewer = cyclesOf(sample, numerics::ElementType::Half, kTiles / 2);
    QVERIFY2(halves <= floats, qPrintable(QString("fp16 %1 cycles, fp32 %2").arg(halves).arg(floats)));
    QVERIFY2(double(halves) <= 1.02 * double(onFewer),
             qPrintable(QString("%1 cycles on all tiles, %2 on half of them").arg(halves).arg(onFewer)));
  }

  // Choices of a sample that differ in what their small tensors take, and sizes that are not whole words of halves.
  void choicesObey_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("choices");
    const auto row = [](const char* sample, const char* choices) {
      QTest::addRow("%s %s", sample, choices) << sample << choices;
    };
    for (const char* choice : {"model=gcn", "model=sage", "graph=packed"}) row("gnn", choice);
    row("gnn", "model=sage nodes=77 edges=300 layers=3");
    row("mnist-train", "batch=1");
    row("mnist-train", "batch=7");
    row("mlp", "width=777 batch=3 optimiser=sgd");
    row("mlp", "width=513 batch=64");
    row("vae", "batch=33 hidden=77 code=5");
    row("vit", "size=48 patch=8 layers=2 hidden=96 heads=3");
    row("attention", "sequence=77 hidden=96 heads=3");
    row("lstm", "steps=7 batch=3 hidden=100 inputs=33");
    row("bert", "sequence=33 hidden=72 heads=3 batch=2 vocabulary=999");
    row("matmul", "m=33 k=65 n=129");
  }
  void choicesObey() {
    QFETCH(QString, sample);
    QFETCH(QString, choices);
    const auto& found = samples::findSample(sample.toStdString());
    tests::Settings settings;
    for (const QString& choice : choices.split(' '))
      settings[choice.section('=', 0, 0).toStdString()] = choice.section('=', 1).toStdString();
    const int64_t floats = cyclesOf(found, numerics::ElementType::Float, kTiles, settings),
                  halves = cyclesOf(found, numerics::ElementType::Half, kTiles, settings);
    QVERIFY2(halves <= floats, qPrintable(QString("fp16 %1 cycles, fp32 %2").arg(halves).arg(floats)));
  }

  // Small products are the ones that too many tiles could slow down.
  void productsGainFromTiles_data() {
    QTest::addColumn<int>("size");
    QTest::addColumn<bool>("isHalf");
    for (const int size : {64, 96, 128, 256, 384, 512, 1024})
      for (const bool isHalf : {false, true}) QTest::addRow("%d %s", size, isHalf ? "half" : "float") << size << isHalf;
  }
  void productsGainFromTiles() {
    QFETCH(int, size);
    QFETCH(bool, isHalf);
    const std::string side = std::to_string(size);
    int64_t least = INT64_MAX;
    for (const int tiles : {64, 128, 256, 368, 512, 736, 1024, 1216, kTiles}) {
      const int64_t cycles =
          cyclesOf(samples::findSample("matmul"), isHalf ? numerics::ElementType::Half : numerics::ElementType::Float, tiles,
                   {{"m", side}, {"k", side}, {"n", side}});
      QVERIFY2(double(cycles) <= 1.02 * double(least),
               qPrintable(QString("%1 cycles on %2 tiles, %3 on fewer").arg(cycles).arg(tiles).arg(least)));
      least = std::min(least, cycles);
    }
  }
};

TILESCOPE_TEST(LawsTest)
#include "laws_test.moc"
