// Copies that share an exchange give the same numbers as one after the other.
#include "simcore/run/engine.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <random>

using namespace simcore;
using namespace simcore::graph;
using numerics::HostTensor;

class JoinedCopiesTest : public QObject {
  Q_OBJECT
private slots:
  // Random copies between rows of one variable; the expected values are computed in parallel.
  void chainsOfCopiesKeepTheirOrder() {
    std::mt19937 random(7);
    int joined = 0;
    for (int round = 0; round < 40; ++round) {
      auto g = std::make_shared<Graph>(arch::tinyMachine(6));
      const Tensor x = g->addVariable(ElementType::Float, {6, 4}, "x");
      std::vector<float> expected(24);
      for (int i = 0; i < 24; ++i) expected[std::size_t(i)] = float(i);
      for (int64_t i = 0; i < 6; ++i) g->setTileMapping(x[i], TileId(std::size_t(i)));
      g->setInitialValue(x, HostTensor::vector<float>(expected).reshaped({6, 4}));
      Sequence main;
      int copies = 0;
      for (int c = 0; c < 6; ++c) {
        const int64_t from = int64_t(random() % 6), to = int64_t(random() % 6), begin = int64_t(random() % 3),
                      end = begin + 1 + int64_t(random() % 2);
        if (from == to) continue;
        ++copies;
        main.add(program::copy(x[from].slice(begin, end), x[to].slice(begin, end)));
        for (int64_t i = begin; i < end; ++i) expected[std::size_t(to * 4 + i)] = expected[std::size_t(from * 4 + i)];
      }
      reports::NoProgress quiet;
      const auto executable = compile::compile(g, {{"main", main.program()}}, {}, quiet);
      joined += copies - int(executable.program.exchanges.size());
      run::Engine engine(executable, {}, nullptr);
      engine.run(0, "main", {}, quiet);
      const auto values = engine.readTensor(x);
      for (int i = 0; i < 24; ++i) QCOMPARE(values.at(i), double(expected[std::size_t(i)]));
    }
    QVERIFY2(joined > 20, std::to_string(joined).c_str()); // or nothing was tested
  }
};

TILESCOPE_TEST(JoinedCopiesTest)
#include "joined_copies_test.moc"
