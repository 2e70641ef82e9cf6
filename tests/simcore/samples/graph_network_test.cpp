// The samples of graph networks: their losses are those of plain loops over edges, molecules and triples.
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/error_text.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <cmath>

using namespace simcore;
using tests::RunOptions;
using tests::Settings;

namespace {

using Matrix = std::vector<std::vector<double>>;

// A run of the forward pass, with all weights and the inputs that it had.
struct GraphRun {
  std::map<std::string, numerics::HostTensor> weights;
  graph::Workload load;
  double loss = 0;

  Matrix matrix(const std::string& name) const {
    const auto found = weights.find(name);
    const numerics::HostTensor& t = found != weights.end() ? found->second : load.inputs.at(name).at(0);
    const auto values = t.toDoubles();
    const std::size_t rows = t.shape().size() > 1 ? std::size_t(t.dim(0)) : 1, columns = values.size() / rows;
    Matrix m;
    for (std::size_t r = 0; r < rows; ++r)
      m.emplace_back(values.begin() + std::ptrdiff_t(r * columns), values.begin() + std::ptrdiff_t((r + 1) * columns));
    return m;
  }
  std::vector<int64_t> integers(const std::string& name) const { return load.inputs.at(name).at(0).toIntegers(); }
  Matrix linear(const Matrix& x, const std::string& name, bool bias = true) const {
    const Matrix w = matrix(name + ".weight");
    Matrix y(x.size(), std::vector<double>(w[0].size(), 0.0));
    for (std::size_t r = 0; r < x.size(); ++r)
      for (std::size_t j = 0; j < w[0].size(); ++j) {
        if (bias) y[r][j] = matrixCache(name + ".bias")[0][j];
        for (std::size_t i = 0; i < w.size(); ++i) y[r][j] += x[r][i] * w[i][j];
      }
    return y;
  }

private:
  const Matrix& matrixCache(const std::string& name) const {
    Matrix& m = m_cache[name];
    if (m.empty()) m = matrix(name);
    return m;
  }
  mutable std::map<std::string, Matrix> m_cache;
};

GraphRun runGraph(const std::string& sample, Settings settings, int ipus = 1) {
  settings["training"] = "0";
  const auto& found = samples::findSample(sample);
  samples::BuildOptions options;
  options.machine = arch::findMachine("gc200", ipus);
  GraphRun run;
  run.load = found.build(samples::Parameters(sample, found.parameters, settings), options);
  const graph::Graph& g = *run.load.graph;
  for (uint32_t i = 0; i < g.variables().size(); ++i)
    if (const auto& v = g.variables()[i]; v.name.ends_with(".weight") || v.name.ends_with(".bias"))
      run.load.state.emplace(v.name, graph::Tensor(reports::VariableId(i), v.type, v.shape));
  run::SimulateOptions simulate;
  simulate.readState = true;
  tests::RowCollector rows;
  run::HostTimeline timeline("test");
  reports::NoProgress quiet;
  auto result = run::simulate(run.load, simulate, rows, timeline, {}, quiet);
  run.weights = std::move(result.variables);
  run.loss = result.outputs.at("loss").at(0).at(0);
  return run;
}

Matrix mapped(Matrix x, double (*f)(double)) {
  for (auto& row : x)
    for (double& v : row) v = f(v);
  return x;
}
double relu(double v) { return std::max(0.0, v); }
double shifted(double v) { return std::log(0.5 * std::exp(v) + 0.5); }

// The sum, at the end of each edge, of a row of the edge.
template<class F> Matrix summedAtEnds(const GraphRun& run, std::size_t nodes, F rowOf) {
  const auto from = run.integers("from"), to = run.integers("to");
  Matrix sums(nodes);
  for (std::size_t e = 0; e < from.size(); ++e) {
    const std::vector<double> row = rowOf(e, std::size_t(from[e]));
    auto& sum = sums[std::size_t(to[e])];
    sum.resize(row.size(), 0.0);
    for (std::size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
  }
  std::size_t width = 0;
  for (const auto& sum : sums) width = std::max(width, sum.size());
  for (auto& sum : sums) sum.resize(width, 0.0);
  return sums;
}

double plainGnn(const GraphRun& run, const std::string& kind, bool isPacked, bool hasEdges, int layers) {
  Matrix x = run.matrix("x");
  const std::size_t nodes = x.size();
  std::vector<double> degree(nodes, 0.0);
  for (const int64_t to : run.integers("to")) ++degree[std::size_t(to)];
  for (int l = 0; l < layers; ++l) {
    const std::string name = "layer" + std::to_string(l);
    if (kind == "gcn") {
      const Matrix y = run.linear(x, name + "/linear");
      Matrix sum = summedAtEnds(run, nodes, [&](std::size_t, std::size_t from) {
        auto row = y[from];
        for (double& v : row) v /= std::sqrt(degree[from] + 1);
        return row;
      });
      for (std::size_t n = 0; n < nodes; ++n)
        for (std::size_t i = 0; i < sum[n].size(); ++i)
          sum[n][i] = (sum[n][i] + y[n][i] / std::sqrt(degree[n] + 1)) / std::sqrt(degree[n] + 1);
      x = sum;
    } else {
      const Matrix ofEdges = hasEdges ? run.linear(run.matrix("edgeFeatures"), name + "/edges") : Matrix();
      Matrix sum = summedAtEnds(run, nodes, [&](std::size_t e, std::size_t from) {
        auto row = x[from];
        for (std::size_t i = 0; hasEdges && i < row.size(); ++i) row[i] = relu(row[i] + ofEdges[e][i]);
        return row;
      });
      if (kind == "gin") {
        for (std::size_t n = 0; n < nodes; ++n)
          for (std::size_t i = 0; i < sum[n].size(); ++i) sum[n][i] += x[n][i];
        x = run.linear(mapped(run.linear(sum, name + "/first"), relu), name + "/second");
      } else {
        for (std::size_t n = 0; n < nodes; ++n)
          for (double& v : sum[n]) v /= std::max(1.0, degree[n]);
        const Matrix own = run.linear(x, name + "/own");
        x = run.linear(sum, name + "/neighbours");
        for (std::size_t n = 0; n < nodes; ++n)
          for (std::size_t i = 0; i < x[n].size(); ++i) x[n][i] += own[n][i];
      }
    }
    if (isPacked || l + 1 < layers) x = mapped(x, relu);
  }
  const auto labels = run.integers("labels");
  if (isPacked) {
    const auto molecule = run.integers("molecule");
    Matrix sums(labels.size(), std::vector<double>(x[0].size(), 0.0));
    for (std::size_t n = 0; n < nodes; ++n)
      for (std::size_t i = 0; i < x[n].size(); ++i) sums[std::size_t(molecule[n])][i] += x[n][i];
    x = run.linear(sums, "head");
  }
  double loss = 0, count = 0;
  for (std::size_t n = 0; n < labels.size(); ++n) {
    if (labels[n] < 0) continue;
    double sum = 0;
    for (const double v : x[n]) sum += std::exp(v);
    loss += std::log(sum) - x[n][std::size_t(labels[n])];
    ++count;
  }
  return loss / count;
}

double plainSchnet(const GraphRun& run, double cutoff, int gaussians, int blocks) {
  const Matrix at = run.matrix("positions"), kinds = run.matrix("kinds.weight");
  const auto from = run.integers("from"), to = run.integers("to"), elements = run.integers("kinds"),
             molecule = run.integers("molecule");
  Matrix spread, x;
  std::vector<double> fade;
  for (std::size_t e = 0; e < from.size(); ++e) {
    double square = 1e-6;
    for (std::size_t c = 0; c < 3; ++c) square += std::pow(at[std::size_t(from[e])][c] - at[std::size_t(to[e])][c], 2);
    const double distance = std::sqrt(square), width = cutoff / (gaussians - 1);
    spread.emplace_back();
    for (int i = 0; i < gaussians; ++i) spread.back().push_back(std::exp(-0.5 * std::pow((distance - width * i) / width, 2)));
    fade.push_back(0.5 * std::cos(M_PI * distance / cutoff) + 0.5);
  }
  for (const int64_t element : elements) x.push_back(kinds[std::size_t(element)]);
  for (int b = 0; b < blocks; ++b) {
    const std::string name = "block" + std::to_string(b);
    const Matrix filter = run.linear(mapped(run.linear(spread, name + "/filter/first"), shifted), name + "/filter/second");
    const Matrix y = run.linear(x, name + "/in", false);
    const Matrix sum = summedAtEnds(run, x.size(), [&](std::size_t e, std::size_t source) {
      auto row = y[source];
      for (std::size_t i = 0; i < row.size(); ++i) row[i] *= filter[e][i] * fade[e];
      return row;
    });
    const Matrix more = run.linear(mapped(run.linear(sum, name + "/out"), shifted), name + "/last");
    for (std::size_t n = 0; n < x.size(); ++n)
      for (std::size_t i = 0; i < x[n].size(); ++i) x[n][i] += more[n][i];
  }
  const Matrix energy = run.linear(mapped(run.linear(x, "head/first"), shifted), "head/second"), target = run.matrix("energies"),
               real = run.matrix("isMolecule");
  std::vector<double> sums(target.size(), 0.0);
  for (std::size_t n = 0; n < x.size(); ++n) sums[std::size_t(molecule[n])] += energy[n][0];
  double loss = 0;
  for (std::size_t m = 0; m < sums.size(); ++m) loss += std::pow(sums[m] * real[m][0] - target[m][0], 2) / double(sums.size());
  return loss;
}

double plainKge(const GraphRun& run, int shards, bool isTransE, int triples, int negatives, double margin) {
  const Matrix relations = run.matrix("relations.weight");
  const auto soft = [](double v) { return std::log1p(std::exp(-std::abs(v))) + std::max(0.0, v); };
  double loss = 0;
  const int each = triples / shards, wrong = negatives / shards;
  for (int s = 0; s < shards; ++s) {
    const std::string shard = std::to_string(s);
    const Matrix own = run.matrix("entities" + shard + ".weight");
    const auto heads = run.integers("heads" + shard), links = run.integers("relations" + shard);
    Matrix tails, others;
    for (int from = 0; from < shards; ++from) {
      const auto rows = run.integers("rows" + std::to_string(from));
      const Matrix table = run.matrix("entities" + std::to_string(from) + ".weight");
      for (int i = 0; i < each + wrong; ++i)
        (i < each ? tails : others).push_back(table[std::size_t(rows[std::size_t(s * (each + wrong) + i)])]);
    }
    const auto score = [&](std::size_t triple, const std::vector<double>& tail) {
      double sum = isTransE ? margin : 0;
      for (std::size_t i = 0; i < tail.size(); ++i) {
        const double head = own[std::size_t(heads[triple])][i], link = relations[std::size_t(links[triple])][i];
        sum += isTransE ? -std::abs(head + link - tail[i]) : head * link * tail[i];
      }
      return sum;
    };
    for (std::size_t t = 0; t < heads.size(); ++t) {
      loss += soft(-score(t, tails[t])) / double(triples) / shards;
      for (const auto& tail : others) loss += soft(score(t, tail)) / double(triples * negatives) / shards;
    }
  }
  return loss;
}

} // namespace

class GraphNetworkTest : public QObject {
  Q_OBJECT
private slots:
  void gnnIsAPlainLoop_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("form");
    QTest::addColumn<bool>("hasEdges");
    for (const char* kind : {"gin", "gcn", "sage"})
      for (const char* form : {"full", "packed", "cluster"})
        for (const bool hasEdges : {false, true})
          if (!hasEdges || std::string(kind) != "gcn")
            QTest::newRow(qPrintable(QString("%1 %2 %3").arg(kind, form).arg(hasEdges))) << kind << form << hasEdges;
  }
  void gnnIsAPlainLoop() {
    QFETCH(QString, kind);
    QFETCH(QString, form);
    QFETCH(bool, hasEdges);
    const GraphRun run = runGraph("gnn", {{"model", kind.toStdString()},
                                          {"graph", form.toStdString()},
                                          {"nodes", "90"},
                                          {"edges", "200"},
                                          {"features", "6"},
                                          {"hidden", "8"},
                                          {"classes", "5"},
                                          {"molecules", "9"},
                                          {"edge-features", hasEdges ? "3" : "0"}});
    const double plain = plainGnn(run, kind.toStdString(), form == "packed", hasEdges, 2);
    QVERIFY2(std::abs(run.loss - plain) < 1e-4 * plain, qPrintable(QString("%1, plainly %2").arg(run.loss).arg(plain)));
  }
  void schnetIsAPlainLoop() {
    const GraphRun run = runGraph("schnet", {{"atoms", "80"},
                                             {"edges", "900"},
                                             {"molecules", "6"},
                                             {"hidden", "8"},
                                             {"filters", "8"},
                                             {"gaussians", "10"},
                                             {"blocks", "2"},
                                             {"cutoff", "4"}});
    const double plain = plainSchnet(run, 4, 10, 2);
    QVERIFY2(std::abs(run.loss - plain) < 1e-4 * plain, qPrintable(QString("%1, plainly %2").arg(run.loss).arg(plain)));
  }
  void kgeIsAPlainLoop_data() {
    QTest::addColumn<QString>("score");
    QTest::addColumn<int>("ipus");
    for (const char* score : {"transe", "distmult"})
      for (const int ipus : {1, 2, 4}) QTest::newRow(qPrintable(QString("%1 %2").arg(score).arg(ipus))) << score << ipus;
  }
  void kgeIsAPlainLoop() {
    QFETCH(QString, score);
    QFETCH(int, ipus);
    const GraphRun run = runGraph("kge",
                                  {{"score", score.toStdString()},
                                   {"entities", "200"},
                                   {"relations", "7"},
                                   {"width", "6"},
                                   {"triples", "16"},
                                   {"negatives", "8"},
                                   {"margin", "2"}},
                                  ipus);
    const double plain = plainKge(run, ipus, score == "transe", 16, 8, 2);
    QVERIFY2(std::abs(run.loss - plain) < 1e-4 * plain, qPrintable(QString("%1, plainly %2").arg(run.loss).arg(plain)));
  }
  // The figures of the samples' texts.
  void theStoriesAreTrue() {
    struct Work {
      std::map<std::string, int64_t> cycles; // by kind of operation, without host
      int64_t flops = 0, filterFlops = 0, total = 0;
    };
    const auto workOf = [](const std::string& sample, int ipus) {
      const auto& found = samples::findSample(sample);
      samples::BuildOptions build;
      build.machine = arch::findMachine("gc200", ipus);
      const auto load = found.build(samples::Parameters(sample, found.parameters, {}), build);
      run::SimulateOptions simulate;
      simulate.engine.numbers = false;
      tests::RowCollector rows;
      run::HostTimeline timeline("test");
      reports::NoProgress quiet;
      Work work;
      work.total = run::simulate(load, simulate, rows, timeline, {}, quiet).cycles;
      for (const auto& row : rows.rows<reports::OperationRow>()) {
        work.cycles[row.kind] += row.computeCycles + row.exchangeCycles + row.syncCycles;
        work.flops += row.flops;
        if (row.name.find("filter/first") != std::string::npos || row.name.find("filter/second") != std::string::npos)
          work.filterFlops += row.flops;
      }
      return work;
    };
    Work gnn = workOf("gnn", 1), schnet = workOf("schnet", 1), kge = workOf("kge", 1);
    const double rows =
        double(gnn.cycles["ScatterND"] + gnn.cycles["Gather"] + gnn.cycles["GatherND"] + gnn.cycles["MovementGrad"]);
    const double share = rows / double(gnn.cycles["Gemm"]);
    QVERIFY2(share > 0.65 && share < 0.85, qPrintable(QString::number(share)));
    QVERIFY(2 * schnet.filterFlops > schnet.flops);
    const int64_t update = kge.cycles["AdaGradUpdate"];
    for (const auto& [kind, cycles] : kge.cycles) QVERIFY2(cycles <= update, kind.c_str());
    QVERIFY(3 * workOf("kge", 4).total < 4 * kge.total);
  }
  // Its nodes have their IPUs, so options that change the nodes are refused.
  void kgeRefusesOtherNodes() {
    samples::BuildOptions unit, quarter;
    unit.machine = quarter.machine = arch::findMachine("gc200", 2);
    unit.parallel.unitScaling = true;
    quarter.parallel.quarter.emplace();
    const auto& kge = samples::findSample("kge");
    const auto build = [&](const samples::BuildOptions& options) {
      kge.build(samples::Parameters("kge", kge.parameters, {}), options);
    };
    QVERIFY(tests::has(tests::errorOf([&] { build(unit); }), "unit-scaling"));
    QVERIFY(tests::has(tests::errorOf([&] { build(quarter); }), "precision"));
  }

  // The rows of other shards learn, too: the loss falls on several IPUs as on one.
  void theyLearn_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("settings");
    QTest::addColumn<int>("ipus");
    QTest::newRow("gin") << "gnn"
                         << "nodes=64 edges=200" << 1;
    QTest::newRow("gcn") << "gnn"
                         << "nodes=64 edges=200 model=gcn" << 1;
    QTest::newRow("sage") << "gnn"
                          << "nodes=64 edges=200 model=sage" << 1;
    QTest::newRow("schnet") << "schnet"
                            << "atoms=80 edges=900 molecules=6 hidden=16 filters=16 gaussians=10 blocks=2 cutoff=4 lr=0.005" << 1;
    QTest::newRow("kge") << "kge"
                         << "entities=200 relations=4 width=16 triples=64 negatives=16 margin=4" << 1;
    QTest::newRow("kge, 2 IPUs") << "kge"
                                 << "entities=200 relations=4 width=16 triples=64 negatives=16 margin=4" << 2;
    QTest::newRow("kge, DistMult") << "kge"
                                   << "score=distmult entities=100 relations=2 width=16 triples=64 negatives=16 lr=0.5" << 2;
  }
  void theyLearn() {
    QFETCH(QString, sample);
    QFETCH(QString, settings);
    QFETCH(int, ipus);
    Settings all;
    for (const QString& pair : settings.split(' '))
      all[pair.section('=', 0, 0).toStdString()] = pair.section('=', 1).toStdString();
    const auto& found = samples::findSample(sample.toStdString());
    samples::BuildOptions options;
    options.machine = arch::findMachine("gc200", ipus);
    options.iterations = 40;
    const auto load = found.build(samples::Parameters(found.name, found.parameters, all), options);
    run::SimulateOptions simulate;
    simulate.iterations = 40;
    tests::RowCollector rows;
    run::HostTimeline timeline("test");
    reports::NoProgress quiet;
    const auto result = run::simulate(load, simulate, rows, timeline, {}, quiet);
    const auto& losses = result.history.at("loss");
    const double first = losses.front(), last = (losses[39] + losses[38] + losses[37]) / 3;
    QVERIFY2(last < 0.85 * first, qPrintable(QString("from %1 to %2").arg(first).arg(last)));
  }
};

TILESCOPE_TEST(GraphNetworkTest)
#include "graph_network_test.moc"
