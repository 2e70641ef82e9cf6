#include "reports/core/error.h"
#include "simcore/native/library.h"
#include "simcore/validation/codelet_cases.h"
#include "tests/support/codelet_compiler.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <fstream>

using namespace simcore;
using namespace simcore::validation;

class CodeletCasesTest : public QObject {
  Q_OBJECT
private slots:
  void everyCaseHasASourceWithItsCodelet() {
    const auto cases = builtInCodelets();
    QVERIFY(cases.size() >= 10);
    for (const auto& c : cases) {
      const std::string text = sourceOfCodelet(c.source);
      QVERIFY2(text.find("class " + c.codelet) != std::string::npos, c.id.c_str());
      for (const auto& member : c.members)
        QVERIFY2(text.find(member.name) != std::string::npos, (c.id + " " + member.name).c_str());
    }
    QVERIFY(sourceOfCodelet("missing.cpp").empty());
  }

  void oddListsAreErrors() {
    QVERIFY_EXCEPTION_THROWN(parseCodelets("{", "x"), reports::Error);
    QVERIFY_EXCEPTION_THROWN(parseCodelets("{\"codelets\": [{\"id\": \"C1\"}]}", "x"), reports::Error);
    QVERIFY_EXCEPTION_THROWN(parseCodelets(R"({"codelets":[{"id":"a","title":"","source":"","codelet":"","from":"","cycles":1,
        "members":[{"name":"x","shape":"list","type":"float","elements":10000000}]}]})",
                                           "x"),
                             reports::Error);
  }

  void aCodeletThatIsNotThereIsAProblemOfItsCase() {
    auto cases = builtInCodelets();
    cases.resize(1);
    const auto results = runCodelets(cases, [](const auto&, const auto&) { return std::vector<graph::Codelet>(); });
    QVERIFY(!results[0].estimated && !results[0].problem.empty());
    QCOMPARE(totalsOfCodelets(results).failed, 1);
  }

  // The figures of decision 060: if the rule changes, the decision must be updated, too.
  void estimatesAreNearWhatWasMeasured() {
    SKIP_WITHOUT_CLANG();
    const tests::TemporaryFolder folder;
    const auto results = runCodelets(builtInCodelets(), [&](const auto& file, const auto& text) {
      std::ofstream(folder / file) << text;
      return native::compileCodelets({{folder / file}, {}, 2, folder / "cache"}).codelets;
    });
    for (const auto& r : results) {
      QVERIFY2(r.estimated, r.problem.c_str());
      qInfo("%-4s %-56s %9.0f %9.0f %+6.1f %%", r.codeletCase.id.c_str(), r.codeletCase.title.c_str(), r.codeletCase.published,
            *r.estimated, *r.error * 100);
    }
    const auto totals = totalsOfCodelets(results);
    qInfo("median error %.1f %%, largest %.1f %%", totals.medianError * 100, totals.largestError * 100);
    QVERIFY(totals.medianError <= 0.15);
    QVERIFY(totals.largestError <= 0.35);
  }
};

TILESCOPE_TEST(CodeletCasesTest)
#include "codelet_cases_test.moc"
