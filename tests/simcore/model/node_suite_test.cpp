// The ONNX project's own operator tests, where Debian's libonnx-testdata is installed: none may fail, and the number that
// pass can only rise.
#include "reports/core/error.h"
#include "simcore/model/graph/resolve_types.h"
#include "simcore/onnx/onnx_file.h"
#include "tests/simcore/model/model_files.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore;
namespace fs = std::filesystem;

class NodeSuiteTest : public QObject {
  Q_OBJECT
private slots:
  void suite() {
    const fs::path root = "/usr/share/libonnx-testdata/data";
    if (!fs::exists(root)) QSKIP("libonnx-testdata is not installed");
    int passed = 0, skipped = 0;
    QStringList failed;
    for (const char* part : {"node", "simple", "pytorch-operator", "pytorch-converted"})
      for (const auto& folder : fs::directory_iterator(root / part)) {
        if (!fs::exists(folder.path() / "model.onnx")) continue;
        const QString name = QString::fromStdString(folder.path().filename().string());
        try {
          const QString problem = runCase(folder.path());
          if (problem.isEmpty())
            ++passed;
          else
            failed << name + ": " + problem;
        } catch (const reports::Error& error) {
          if (error.code() == reports::ErrorCode::Unsupported)
            ++skipped;
          else
            failed << name + ": " + error.what();
        }
      }
    qInfo("%d passed, %d failed, %d skipped", passed, int(failed.size()), skipped);
    QVERIFY2(failed.isEmpty(), qPrintable(failed.join('\n')));
    QVERIFY2(passed >= 994, qPrintable(QString::number(passed)));
  }

private:
  // The fault, or empty. The inferred types must equal those of the evaluation.
  static QString runCase(const fs::path& folder) {
    model::Model model = model::readOnnx(folder / "model.onnx");
    for (const auto& input : model.graph.inputs)
      if (!input.type) throw reports::Error(reports::ErrorCode::Unsupported, "sequences are not supported");
    for (const auto& node : model.graph.nodes)
      if (model::operatorFor(node).has(model::kRandom)) throw reports::Error(reports::ErrorCode::Unsupported, "random numbers");
    const fs::path set = folder / "test_data_set_0";
    const auto inputs = tests::storedInputs(model, set);
    const model::Tensors outputs = model::evaluate(model, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const fs::path file = set / ("output_" + std::to_string(i) + ".pb");
      if (!fs::exists(file)) continue;
      const auto want = model::readTensorFile(file, outputs[i].type());
      // The suite truncates bfloat16, we round to nearest: the results may differ by one unit in the last place.
      const double rtol = want.type() == numerics::ElementType::BFloat16 ? 1.0 / 128 : 1e-3;
      const auto result = tests::compare(outputs[i], want, rtol, 1e-5);
      if (!result.same) return "output " + QString::number(i) + " differs by " + QString::number(result.worst);
    }
    return typesAgree(model, inputs, outputs);
  }

  // Integer inputs may be shapes, so they are made constants for inference, as a run with known inputs would.
  static QString typesAgree(model::Model& model, const std::unordered_map<std::string, numerics::HostTensor>& inputs,
                            const model::Tensors& outputs) {
    std::unordered_map<std::string, numerics::Shape> shapes;
    std::unordered_map<std::string, numerics::HostTensor> constants;
    for (const auto& [name, value] : inputs)
      if (numerics::isFloating(value.type()) && value.count() > 8)
        shapes[name] = value.shape();
      else
        constants[name] = value;
    for (auto& input : model.graph.inputs) input.dims.reset(); // the suite's own declarations are not always true
    model::bindConstants(model, constants);
    model::bindShapes(model, shapes);
    try {
      model::resolveTypes(model);
    } catch (const reports::Error& error) {
      if (error.code() == reports::ErrorCode::Unsupported) return {}; // shapes that depend on data
      throw;
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto& type = model.graph.types.at(model.graph.outputs[i].name);
      if (type.shape != outputs[i].shape() || type.type != outputs[i].type())
        return "inferred " + QString::fromStdString(numerics::toString(type.shape)) + ", computed " +
               QString::fromStdString(numerics::toString(outputs[i].shape()));
    }
    return {};
  }
};

TILESCOPE_TEST(NodeSuiteTest)
#include "node_suite_test.moc"
