// Vertices of samples as formulas and as code: both do the same, and both have a number.
#include "simcore/native/library.h"
#include "simcore/validation/sample_vertices.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <fstream>
#include <set>

using namespace simcore;
using namespace simcore::validation;
using numerics::HostTensor;

class SampleVerticesTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  CompileCodelets compiler() {
    return [this](const std::string& file, const std::string& text) {
      std::ofstream(m_folder / file) << text;
      return native::compileCodelets({{m_folder / file}, {}, 2, m_folder / "cache"}).codelets;
    };
  }

private slots:
  void everySampleWithAFormulaHasASource() {
    std::set<std::string> samples;
    for (const SampleVertex& v : sampleVertices()) {
      samples.insert(v.sample);
      const std::string source = sourceOfCodelet(v.source), name = v.codelet.substr(0, v.codelet.find('<'));
      QVERIFY2(source.find("class " + name) != std::string::npos, (v.source + ": " + name).c_str());
      QVERIFY2(v.formula > 0, v.vertex.c_str());
      QVERIFY2(!v.results.empty() && !fieldsText(v).empty(), v.vertex.c_str());
    }
    const std::set<std::string> wanted{"belief-propagation", "custom-vertex", "gaussian-blur", "heat",  "monte-carlo",
                                       "pointer-chase",      "spiking",       "triad",         "x-drop"};
    QVERIFY(samples == wanted);
  }

  void formulasAreThoseOfTheSamples() {
    for (const SampleVertex& v : sampleVertices()) {
      if (v.sample == "custom-vertex") QCOMPARE(v.formula, int64_t(6 * (12 + 2 * 64)));
      if (v.sample == "pointer-chase") QCOMPARE(v.formula, int64_t(6 * 100));
      if (v.vertex == "Stream_triad") QCOMPARE(v.formula, int64_t(6 * (25 + 256)));
    }
  }

  void codeComputesWhatTheSampleComputes() {
    SKIP_WITHOUT_CLANG();
    for (const auto& r : runSampleVertices(sampleVertices(), compiler())) {
      const std::string name = r.vertex.sample + ", " + r.vertex.vertex;
      QVERIFY2(r.problem.empty(), (name + ": " + r.problem).c_str());
      QVERIFY2(r.counted && *r.counted > 0, name.c_str());
      qInfo("%-20s %-42s %-60s %8lld %8.0f %6.2f  (%.1e)", r.vertex.sample.c_str(), r.vertex.vertex.c_str(),
            fieldsText(r.vertex).c_str(), static_cast<long long>(r.vertex.formula), *r.counted,
            *r.counted / double(r.vertex.formula), r.difference);
    }
  }

  void otherResultsAreAProblem() {
    SKIP_WITHOUT_CLANG();
    auto vertices = sampleVertices();
    std::erase_if(vertices, [](const auto& v) { return v.sample != "custom-vertex" && v.sample != "x-drop"; });
    for (SampleVertex& v : vertices)
      for (auto& [field, wanted] : v.results) {
        auto values = wanted.toDoubles();
        values.back() += 1;
        wanted = HostTensor::vector(values).cast(wanted.type());
      }
    for (const auto& r : runSampleVertices(vertices, compiler()))
      QVERIFY2(r.problem.find("values that differ") != std::string::npos, r.vertex.vertex.c_str());
  }

  void aCodeletThatIsNotThereIsAProblemOfItsVertex() {
    auto vertices = sampleVertices();
    vertices.resize(1);
    const auto results = runSampleVertices(vertices, [](const auto&, const auto&) { return std::vector<graph::Codelet>(); });
    QVERIFY(!results[0].counted && !results[0].problem.empty());
  }
};

TILESCOPE_TEST(SampleVerticesTest)
#include "sample_vertices_test.moc"
