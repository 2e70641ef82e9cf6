// The network samples: every parameter has its effect, both forms of an operation give the same numbers, all networks train.
#include "reports/core/error.h"
#include "simcore/samples/transformer.h"
#include "tests/simcore/samples/sample_run.h"
#include "tests/support/test_main.h"

#include <QElapsedTimer>
#include <QTest>

#include <cmath>
#include <set>

using namespace simcore;
using tests::RunOptions;
using tests::Settings;

namespace {

RunOptions withNumbers(int iterations = 1, bool half = false) {
  RunOptions run;
  run.numbers = true;
  run.iterations = iterations;
  run.half = half;
  return run;
}

int callsOf(const graph::Program& p, const std::string& function) {
  int n = p->kind == graph::ProgramNode::Kind::Call && p->name == function;
  for (const auto& child : p->children) n += callsOf(child, function);
  return n;
}

Settings settingsOf(const QString& text) {
  Settings settings;
  for (const QString& pair : text.split(' ', Qt::SkipEmptyParts))
    settings[pair.section('=', 0, 0).toStdString()] = pair.section('=', 1).toStdString();
  return settings;
}

std::vector<double> outputOf(const std::string& sample, const QString& settings, const std::string& stream) {
  return tests::runSample(sample, settingsOf(settings), withNumbers())->result.outputs.at(stream).at(0).toDoubles();
}

double largestDifference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

} // namespace

class NetworkSamplesTest : public QObject {
  Q_OBJECT
private slots:
  void lossesFall_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("settings");
    QTest::addColumn<bool>("half");
    QTest::addColumn<double>("share"); // of the first loss, after 30 steps
    const QString small = "hidden=64 heads=4 layers=2 sequence=24 batch=4 vocabulary=200 lr=0.003";
    QTest::newRow("bert") << "bert" << small << false << 0.85;
    QTest::newRow("bert, half") << "bert" << small << true << 0.85;
    QTest::newRow("bert, fused") << "bert" << small + " projections=fused" << false << 0.85;
    QTest::newRow("gpt2") << "gpt2" << small << false << 0.85;
    QTest::newRow("gpt2, half") << "gpt2" << small + " projections=separate" << true << 0.85;
    const QString films = "items=200 rated=40 width=32 code=16 batch=8 optimiser=adam lr=0.01";
    QTest::newRow("autoencoder") << "autoencoder" << films << false << 0.7;
    QTest::newRow("autoencoder, rows") << "autoencoder" << films + " input=rows" << false << 0.7;
    QTest::newRow("vae") << "vae"
                         << "batch=20 hidden=40 code=4 lr=0.005" << false << 0.85;
    QTest::newRow("vae without a chain") << "vae"
                                         << "batch=20 hidden=40 code=4 lr=0.005 draws=0" << false << 0.7;
    QTest::newRow("sales-forecast") << "sales-forecast"
                                    << "width=40 batches=1 lr=0.005" << false << 0.5;
    QTest::newRow("data-parallel") << "data-parallel"
                                   << "width=64 layers=2" << false << 0.6;
    QTest::newRow("offload") << "offload"
                             << "width=64 layers=2 place=remote" << false << 0.6;
    QTest::newRow("lstm") << "lstm"
                          << "training=1 steps=6 hidden=48 inputs=32 alphabet=12 lr=0.01" << false << 0.8;
    QTest::newRow("lstm of two layers, waves")
        << "lstm"
        << "training=1 input=waves layers=2 steps=6 hidden=24 inputs=8 alphabet=4 lr=0.01" << false << 0.9;
    QTest::newRow("resnet50") << "resnet50"
                              << "training=1 depth=26 width=8 size=32 classes=4 norm=group lr=0.001 batch=8" << false << 0.5;
  }
  void lossesFall() {
    QFETCH(QString, sample);
    QFETCH(QString, settings);
    QFETCH(bool, half);
    QFETCH(double, share);
    try {
      const auto run = tests::runSample(sample.toStdString(), settingsOf(settings), withNumbers(30, half));
      const auto& loss = run->result.history.at("loss");
      double last = 0;
      for (std::size_t i = loss.size() - 5; i < loss.size(); ++i) last += loss[i] / 5;
      QVERIFY2(last < loss[0] * share, qPrintable(QString("%1 to %2").arg(loss[0]).arg(last)));
    } catch (const std::exception& error) {
      QFAIL(error.what());
    }
  }

  // The published program computes its mask, positions, scores and losses in other ways; the losses after updates are the same.
  // Images as bytes are the same images, rounded to 1 / 64, in a quarter of the bytes of floats.
  void bytesOfImagesAreTheSameImages() {
    const QString small = "depth=26 width=8 size=32 classes=7 batch=2";
    const auto floats = outputOf("resnet50", small, "predictions"),
               bytes = outputOf("resnet50", small + " images=uint8", "predictions");
    QVERIFY(floats != bytes);
    QVERIFY2(largestDifference(floats, bytes) < 0.01, qPrintable(QString::number(largestDifference(floats, bytes))));
    const auto bytesOfImages = [&](const QString& settings) {
      const auto load = tests::buildSample("resnet50", settingsOf(settings));
      return int64_t(load.inputs.at("images").at(0).byteCount());
    };
    QCOMPARE(4 * bytesOfImages(small + " images=uint8"), bytesOfImages(small));
  }

  void formsOfGpt2() {
    const QString plain = "layers=2 hidden=24 heads=3 sequence=12 batch=2 vocabulary=32 dropout=0 attention-dropout=0";
    const auto lossesOf = [&](const QString& form) {
      return tests::runSample("gpt2", settingsOf(plain + form), withNumbers(3))->result.history;
    };
    const auto wanted = lossesOf("");
    const auto got = lossesOf(" mask=subtract positions=gathered head-parts=4 loss-parts=6 accuracy=1 remap=1 table=tied");
    for (std::size_t i = 0; i < wanted.at("loss").size(); ++i) {
      const double difference = got.at("loss")[i] - wanted.at("loss")[i];
      QVERIFY2(std::abs(difference) < 1e-4, qPrintable(QString::number(difference)));
      const double share = got.at("accuracy")[i] * 24;
      QVERIFY2(std::abs(share - std::round(share)) < 1e-4, qPrintable(QString::number(share)));
    }
  }
  // The products with parts of the table share one function, to which a part is copied.
  void productsWithPartsOfATableShareAFunction() {
    const auto load = tests::buildSample("gpt2", settingsOf("layers=1 hidden=48 heads=3 sequence=16 vocabulary=256 dropout=0 "
                                                            "attention-dropout=0 head-parts=4 table=tied"));
    std::set<std::string> functions;
    for (const auto& f : load.graph->functions()) functions.insert(f.name);
    QVERIFY(functions.count("head/decoder/part0"));
    for (const char* other : {"head/decoder/part1", "head/decoder/part2", "head/decoder/part3"}) QVERIFY(!functions.count(other));
    int calls = 0;
    for (const auto& p : load.programs) calls += callsOf(p.program, "head/decoder/part0");
    QCOMPARE(calls, 4);
  }
  // The gradient sums of a tied table: its rows are added to the sum of the head's gradient.
  void sumsOfATiedTable() {
    const QString plain = "layers=1 hidden=24 heads=3 sequence=12 vocabulary=32 dropout=0 attention-dropout=0 head-parts=4 ";
    const auto lossesOf = [&](const QString& form) {
      RunOptions run = withNumbers(3);
      run.machine = "m2000";
      run.parallel.stages = 3;
      run.parallel.shard = "embeddings/addPositions,head/splitWords@0";
      run.parallel.accumulation = 6;
      return tests::runSample("gpt2", settingsOf(plain + form), run)->result.history.at("loss");
    };
    const auto wanted = lossesOf("table=planned"), got = lossesOf("table=tied");
    QCOMPARE(got.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      QVERIFY2(std::abs(got[i] - wanted[i]) < 1e-4, qPrintable(QString("%1 instead of %2").arg(got[i]).arg(wanted[i])));
  }
  void refusesUnequalParts() {
    for (const char* parts : {"head-parts=5", "loss-parts=7", "remap=1"})
      QVERIFY_THROWS_EXCEPTION(
          reports::Error, tests::runSample("gpt2", settingsOf(QString("vocabulary=32 sequence=12 ") + parts), withNumbers(1)));
  }

  // Four stages on each of four replicas, as it was trained on the real machine: the line of the help page on training.
  void largeBertFitsFourIpusAReplica() {
    RunOptions run;
    run.machine = "bow-pod16";
    run.replicas = run.parallel.stages = 4;
    run.half = true;
    const auto fits = [&] { return tests::runSample("bert", settingsOf("preset=large sequence=384"), run)->result.fits; };
    run.parallel.recompute = model::Recompute::Standard;
    run.parallel.offloadOptimiser = run.parallel.shardState = run.parallel.halfSums = true;
    run.parallel.availableMemoryProportion = 0.1;
    try {
      QVERIFY(fits());
      run.parallel.recompute = model::Recompute::None;
      QVERIFY(!fits());
    } catch (const std::exception& error) {
      QFAIL(error.what());
    }
  }

  void formsOfAttentionAgree() {
    const QString shape = "batch=2 sequence=7 hidden=24 heads=3 ";
    const auto loop = outputOf("attention", shape + "heads-as=loop", "result"),
               group = outputOf("attention", shape + "heads-as=group", "result");
    QCOMPARE(loop.size(), std::size_t(2 * 7 * 24));
    QVERIFY(largestDifference(loop, group) < 1e-5);
  }

  // Fetching and summing rows of the first layer's weights equals the product with mostly zero ratings, and so do the gradients:
  // five steps of training agree.
  void formsOfTheAutoencoderAgree() {
    const QString shape = "items=60 rated=7 width=12 code=5 batch=3 lr=0.002 input=";
    const auto lossesOf = [&](const char* input) {
      return tests::runSample("autoencoder", settingsOf(shape + input), withNumbers(5))->result.history.at("loss");
    };
    const std::vector<double> dense = lossesOf("dense"), rows = lossesOf("rows");
    QCOMPARE(dense.size(), std::size_t(5));
    QVERIFY2(largestDifference(dense, rows) < 1e-4 * dense[0], qPrintable(QString::number(largestDifference(dense, rows))));
  }

  // Only the last token of a sequence changes: with a causal mask, the results before it do not change.
  void aCausalTokenReadsNoneBehindIt() {
    const auto rows = [](bool causal, double last) {
      samples::TransformerShape shape;
      shape.sequence = 5, shape.hidden = 8, shape.heads = 2, shape.intermediate = 16;
      samples::Network net("causal", 3);
      const std::string x = net.input("x", numerics::ElementType::Float, {5, 8});
      samples::AttentionForm form;
      if (causal) form.mask = samples::causalMask(net, 5);
      net.graph().output(samples::decoderLayer(net, "layer", x, shape, form));
      std::vector<float> values;
      for (int i = 0; i < 40; ++i) values.push_back(float(i < 32 ? std::sin(i) : std::cos(last * i)));
      const auto input = numerics::HostTensor::vector(values).reshaped({5, 8});
      samples::BuildOptions options;
      options.machine = arch::tinyMachine(8);
      const auto load = samples::inferenceOf(net, options, [&](int64_t) {
        return std::map<std::string, numerics::HostTensor>{{"x", input}};
      });
      tests::RowCollector collected;
      run::HostTimeline timeline("test");
      reports::NoProgress quiet;
      const auto result = run::simulate(load, {}, collected, timeline, {}, quiet);
      return result.outputs.begin()->second.at(0).toDoubles();
    };
    const auto before = [](std::vector<double> v) { return std::vector<double>(v.begin(), v.begin() + 32); };
    QCOMPARE(before(rows(true, 1)), before(rows(true, 2)));
    QVERIFY(rows(true, 1) != rows(true, 2));
    QVERIFY(largestDifference(before(rows(false, 1)), before(rows(false, 2))) > 1e-3);
  }

  // Published programs of BERT and GPT-2 scale the scores (512 per query), not the queries (64 elements).
  void attentionScalesItsScores() {
    samples::TransformerShape shape;
    shape.batch = 2, shape.sequence = 12, shape.hidden = 8, shape.heads = 2, shape.intermediate = 16;
    for (const bool grouped : {true, false}) {
      samples::Network net("scaled", 3);
      samples::AttentionForm form;
      form.grouped = grouped;
      samples::selfAttention(net, "attention", net.input("x", numerics::ElementType::Float, {24, 8}), shape, form);
      const auto& nodes = net.graph().graph().nodes;
      const auto scaled = std::find_if(nodes.begin(), nodes.end(), [](const auto& n) { return n.name.ends_with("/scale"); });
      QVERIFY(scaled != nodes.end());
      QCOMPARE(net.graph().shape(scaled->outputs[0]), grouped ? (numerics::Shape{2, 2, 12, 12}) : (numerics::Shape{2, 12, 12}));
    }
  }

  void formsOfTheLstmAgree() {
    const QString shape = "steps=5 batch=3 inputs=7 hidden=11 alphabet=9 layers=3 ";
    const auto unrolled = outputOf("lstm", shape + "form=unrolled", "predictions"),
               whole = outputOf("lstm", shape + "form=operator", "predictions");
    QCOMPARE(unrolled.size(), std::size_t(5 * 3 * 9));
    QVERIFY2(largestDifference(unrolled, whole) < 1e-5, qPrintable(QString::number(largestDifference(unrolled, whole))));
  }

  // With fixed statistics of mean 0 and variance 1 a batch norm changes hardly anything, and neither does folding it.
  void probabilitiesSumToOne() {
    for (const char* norm : {"batch", "folded", "group"}) {
      double sum = 0;
      for (const double v : outputOf("resnet50", QString("depth=26 width=8 size=33 classes=7 norm=%1").arg(norm), "predictions"))
        sum += v;
      QVERIFY2(std::abs(sum - 1) < 1e-5, norm);
    }
  }

  void oddShapesRun_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("settings");
    const auto row = [](const char* sample, const char* settings) {
      QTest::newRow((std::string(sample) + " " + settings).c_str()) << QString(sample) << QString(settings);
    };
    row("bert", "layers=1 hidden=1 heads=1 sequence=1 batch=1 vocabulary=6");
    row("bert", "layers=3 hidden=21 heads=7 sequence=13 batch=3 vocabulary=37 masked=5 accumulation=3");
    row("bert", "training=0 layers=1 hidden=10 heads=5 sequence=600 vocabulary=11");
    row("bert-pipeline", "layers=5 hidden=12 heads=3 sequence=9 vocabulary=23");
    row("gpt2", "layers=1 hidden=1 heads=1 sequence=1 batch=1 vocabulary=6");
    row("gpt2", "layers=3 hidden=21 heads=7 sequence=13 batch=3 vocabulary=37 accumulation=3 projections=separate");
    row("gpt2", "training=0 layers=1 hidden=10 heads=5 sequence=40 vocabulary=11 attention=full");
    row("gpt2", "layers=1 hidden=6 heads=3 sequence=9 vocabulary=15 head-parts=5 loss-parts=3 accuracy=1 mask=subtract");
    row("gpt2", "layers=1 hidden=5 heads=1 sequence=3 vocabulary=9 head-parts=3 table=tied accumulation=2");
    row("autoencoder", "batch=1 items=2 rated=1 width=1 code=1");
    row("autoencoder", "batch=3 items=29 rated=50 width=7 code=3 input=rows");
    row("sales-forecast", "batch=1 width=2 batches=3");
    row("resnext50", "batch=1 size=31 width=8 groups=4 width-per-group=3 classes=5 depth=26");
    row("resnext50", "batch=2 size=16 width=4 groups=2 width-per-group=2 classes=3 depth=26 training=1 norm=group");
    row("efficientnet", "batch=1 size=33 classes=5");
    row("efficientnet", "batch=2 size=16 classes=3 training=1 norm=group group-size=8 expansion=2");
    row("efficientnet", "preset=b4 group-size=16 expansion=4 size=32 classes=3"); // 24 channels are one group of its first blocks
    row("efficientnet", "batch=1 size=17 classes=1 norm=folded preset=b1");
    row("vit", "batch=1 layers=1 hidden=1 heads=1 size=1 patch=1 classes=1");
    row("vit", "batch=3 layers=2 hidden=12 heads=3 size=21 patch=7 classes=5 training=1 projections=fused");
    row("vae", "batch=1 hidden=1 code=1 draws=1 leapfrogs=1");
    row("vae", "batch=3 hidden=7 code=5 draws=0");
    row("rl-policy", "steps=1 batch=1 features=1 values=2 embedding=1 width=1 hidden=1 actions=2");
    row("rl-policy", "steps=5 batch=3 features=2 values=7 embedding=3 width=5 hidden=11 actions=3 accumulation=2");
    row("attention", "batch=1 sequence=1 hidden=1 heads=1");
    row("attention", "batch=3 sequence=17 hidden=35 heads=5 heads-as=group projections=fused");
    row("lstm", "steps=1 batch=1 inputs=1 hidden=1 alphabet=2");
    row("lstm", "steps=1 batch=1 inputs=1 hidden=1 alphabet=2 input=waves layers=2 form=operator");
    row("lstm", "steps=3 batch=5 inputs=7 hidden=13 alphabet=5 form=operator");
    row("resnet50", "batch=1 size=1 width=1 classes=1 depth=26");
    row("resnet50", "batch=3 size=31 width=5 classes=3 depth=26 norm=group");
    row("group-conv", "channels=1 groups=1 size=1 kernel=1 batch=1");
    row("group-conv", "channels=15 groups=1,3,5,0 size=7 kernel=4 batch=3 type=float partials=float io=1");
    row("group-conv", "channels=13 groups=13 size=5 kernel=3 batch=1");
  }
  void oddShapesRun() {
    QFETCH(QString, sample);
    QFETCH(QString, settings);
    try {
      const auto run = tests::runSample(sample.toStdString(), settingsOf(settings), withNumbers());
      QVERIFY(run->result.cycles > 0);
      for (const auto& [stream, values] : run->result.outputs)
        for (const double v : values.at(0).toDoubles()) QVERIFY2(std::isfinite(v), stream.c_str());
    } catch (const std::exception& error) {
      QFAIL(error.what());
    }
  }

  // Tokens of another sentence, and tokens after the end, have no effect if a mask hides them.
  void masksHideWhatIsNotToBeRead() {
    const auto lossOf = [](const QString& mask, bool changed) {
      auto load = tests::buildSample("bert", settingsOf("training=0 layers=2 hidden=16 heads=2 sequence=20 batch=2 vocabulary=40 "
                                                        "masked=4 mask=" +
                                                        mask));
      auto& inputs = load.inputs;
      numerics::HostTensor tokens = inputs.at("tokens").at(0), places = inputs.at("maskedPlaces").at(0);
      const bool hasNumbers = inputs.count("sentences") != 0;
      if (hasNumbers != (mask != "none")) throw std::runtime_error("the mask is no input");
      // Only tokens in the first half of a row are predicted. A packed row has another sentence in the second half; the last is padding.
      for (int32_t& place : places.mutableValues<int32_t>()) place = place / 20 * 20 + place % 10;
      if (mask == "padding") {
        numerics::HostTensor numbers = inputs.at("sentences").at(0);
        for (const std::size_t row : {0, 1}) numbers.mutableValues<int32_t>()[row * 20 + 19] = 0;
        inputs["sentences"] = {numbers};
      }
      if (changed)
        for (const std::size_t row : {0, 1}) tokens.mutableValues<int32_t>()[row * 20 + 19] = 7;
      inputs["tokens"] = {tokens}, inputs["maskedPlaces"] = {places};
      run::SimulateOptions options;
      run::HostTimeline timeline("test");
      tests::RowCollector rows;
      reports::NoProgress quiet;
      return run::simulate(load, options, rows, timeline, {}, quiet).outputs.at("loss").at(0).at(0);
    };
    for (const char* mask : {"padding", "packed"}) QCOMPARE(lossOf(mask, false), lossOf(mask, true));
    QVERIFY(std::abs(lossOf("none", false) - lossOf("none", true)) > 1e-6);
  }

  // The layer before the scores gives the same result for a token, whether it is computed for all tokens or for the masked ones.
  void headsOfAllAndOfTheMaskedGiveTheSame() {
    const QString small = "training=0 layers=1 hidden=16 heads=2 sequence=20 vocabulary=40 head=";
    QVERIFY(largestDifference(outputOf("bert", small + "all", "loss"), outputOf("bert", small + "masked", "loss")) < 1e-5);
  }

  void whatCannotBeIsNamed_data() {
    QTest::addColumn<QString>("sample");
    QTest::addColumn<QString>("settings");
    QTest::addColumn<QString>("where");
    QTest::newRow("heads") << "bert"
                           << "hidden=20 heads=3"
                           << "heads";
    QTest::newRow("heads of attention") << "attention"
                                        << "hidden=20 heads=3"
                                        << "heads";
    QTest::newRow("preset") << "bert"
                            << "preset=huge"
                            << "preset";
    QTest::newRow("groups") << "group-conv"
                            << "channels=12 groups=5"
                            << "groups";
    QTest::newRow("no groups") << "group-conv"
                               << "groups=1,x"
                               << "groups";
    QTest::newRow("patches") << "vit"
                             << "size=30 patch=16"
                             << "patch";
    QTest::newRow("groups of channels") << "efficientnet"
                                        << "group-size=3"
                                        << "group-size";
    QTest::newRow("variant") << "lstm"
                             << "variant=best"
                             << "variant";
  }
  void whatCannotBeIsNamed() {
    QFETCH(QString, sample);
    QFETCH(QString, settings);
    QFETCH(QString, where);
    try {
      tests::buildSample(sample.toStdString(), settingsOf(settings));
      QFAIL("no error");
    } catch (const reports::Error& error) {
      QCOMPARE(error.code(), reports::ErrorCode::InvalidInput);
      QVERIFY2(QString::fromStdString(error.where()).contains(where), error.where().c_str());
    }
  }

  // A variant does not change settings made by hand, and the workload lists the settings used.
  void variantsKeepWhatIsSet() {
    const auto tuned = tests::buildSample("attention", settingsOf("variant=tuned heads-as=loop hidden=64"));
    QCOMPARE(tuned.parameters.at("heads-as"), std::string("loop"));
    QCOMPARE(tuned.parameters.at("projections"), std::string("fused"));
    QCOMPARE(tuned.parameters.at("hidden"), std::string("64"));
    QCOMPARE(tests::buildSample("attention", {}).parameters.at("projections"), std::string("separate"));
  }

  // The share of the peak is that of the type the sample computes in.
  void precisionIsThatOfTheType() {
    QCOMPARE(tests::buildSample("group-conv", settingsOf("channels=8 groups=1 size=5")).facts.at("precision"),
             std::string("fp16"));
    QCOMPARE(tests::buildSample("matmul", settingsOf("type=float32")).facts.at("precision"), std::string("fp32"));
    QVERIFY(!tests::buildSample("matmul", {}).facts.count("precision")); // as the run says
  }

  // A model that is only timed does not create weights: BERT large has 1.3 GB of them.
  void weightsOfTimedModelsAreNeverMade() {
    const auto load = tests::buildSample("bert", settingsOf("preset=base layers=2"));
    std::size_t waiting = 0;
    for (const auto& variable : load.graph->variables())
      if (variable.initial && variable.initial->count() > 1'000'000) waiting += variable.initial->waits();
    QVERIFY(waiting >= 3); // the table and the dense layers
  }

  // 340 million weights with Adam on sixteen IPUs, forward, backward and update.
  void bertLargeOnAPodIsQuick() {
    RunOptions run;
    run.machine = "bow-pod16";
    run.half = true;
    run.replicas = 4;
    run.parallel.stages = 4;
    QElapsedTimer timer;
    timer.start();
    try {
      const auto done = tests::runSample("bert", settingsOf("preset=large sequence=384"), run);
      QVERIFY2(timer.elapsed() < 60'000, qPrintable(QString::number(timer.elapsed())));
      const auto figures = tests::figuresOf(done);
      // Six operations a weight and token, without the table that is only looked up; 16 micro-batches.
      const double expected = 6.0 * 302e6 * 384 * 16;
      QVERIFY2(double(figures.at("flops")) > expected && double(figures.at("flops")) < 1.5 * expected,
               qPrintable(QString::number(double(figures.at("flops")) / expected)));
      QStringList blocks;
      for (const auto& step : done->rows.rows<reports::ProgramStepRow>())
        if (step.kind == "Block") blocks << QString::fromStdString(done->rows.text(step.nameId));
      for (const char* part : {"fill", "main", "flush"}) QVERIFY2(blocks.contains(part), qPrintable(blocks.join(',')));
      QVERIFY(figures.at("idle_cycles") > 0); // stages wait for the slowest
    } catch (const std::exception& error) {
      QFAIL(error.what());
    }
  }
};

TILESCOPE_TEST(NetworkSamplesTest)
#include "network_samples_test.moc"
