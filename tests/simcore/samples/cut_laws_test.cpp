// Laws of the automatic cut: whoever adds recomputation to a pipeline gets a fullest tile that is not fuller than without it.
// Sizes are drawn.
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace simcore;

namespace {

// Code of the recomputed operations: it counts where a whole program takes a few KiB of a tile.
constexpr int64_t kCodeOfRecomputation = 4096;

std::string oneOf(std::mt19937& random, const std::vector<int>& values) {
  return std::to_string(values[random() % values.size()]);
}

struct CutCase {
  std::string sample;
  tests::Settings settings;
  int stages = 2;
};

CutCase drawnCase(const std::string& sample, unsigned seed) {
  std::mt19937 random(seed);
  CutCase c{sample, {}, random() % 2 ? 4 : 2};
  if (sample == "mlp")
    c.settings = {{"layers", oneOf(random, {6, 8, 12})},
                  {"width", oneOf(random, {256, 512, 1024})},
                  {"batch", oneOf(random, {32, 128, 512})}};
  if (sample == "bert")
    c.settings = {{"layers", "4"}, {"batch", oneOf(random, {1, 2, 4})}, {"hidden", oneOf(random, {128, 256})}};
  if (sample == "gpt2") c.settings = {{"layers", oneOf(random, {4, 6})}, {"batch", oneOf(random, {1, 2})}};
  if (sample == "vit") c.settings = {{"layers", oneOf(random, {4, 6})}, {"batch", oneOf(random, {1, 2})}, {"training", "1"}};
  return c;
}

} // namespace

class CutLawsTest : public QObject {
  Q_OBJECT

  static int64_t fullestTile(const CutCase& c, model::Recompute recompute) {
    tests::RunOptions options;
    options.parallel.stages = c.stages;
    options.parallel.recompute = recompute;
    return int64_t(tests::figuresOf(tests::runSample(c.sample, c.settings, options)).at("max_tile_bytes"));
  }

private slots:
  void recomputationNeedsNoMoreMemory_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<unsigned>("seed");
    for (const char* sample : {"mlp", "bert", "vit"})
      for (const unsigned seed : {1U, 2U}) QTest::addRow("%s %u", sample, seed) << QString(sample) << seed;
    QTest::addRow("gpt2") << QString("gpt2") << 0U; // two stages of six layers, which this law found
  }
  void recomputationNeedsNoMoreMemory() {
    QFETCH(QString, sample);
    QFETCH(unsigned, seed);
    CutCase c = drawnCase(sample.toStdString(), seed);
    if (c.sample == "gpt2") c = {"gpt2", {{"layers", "6"}, {"batch", "2"}}, 2};
    const int64_t kept = fullestTile(c, model::Recompute::None);
    std::vector<model::Recompute> kinds{model::Recompute::Standard};
    // The inputs of a stage, which `pipeline` keeps, may be larger than what they save: in these layers they are not.
    if (c.sample == "gpt2") kinds.push_back(model::Recompute::Pipeline);
    for (const auto kind : kinds) {
      const int64_t recomputed = fullestTile(c, kind);
      QVERIFY2(
          double(recomputed) <= 1.02 * double(kept) + double(kCodeOfRecomputation),
          qPrintable(
              QString("%1: %2 bytes with recomputation, %3 without").arg(model::recomputeName(kind)).arg(recomputed).arg(kept)));
    }
  }
};

TILESCOPE_TEST(CutLawsTest)
#include "cut_laws_test.moc"
