// Regular expressions of engine options come from reports and environments of strangers.
#include "simcore/run/block_filter.h"

#include "reports/core/error.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace simcore::run;

class BlockFilterTest : public QObject {
  Q_OBJECT
private slots:
  void aNameOrItsPathMatchesFromEndToEnd() {
    const NamePattern pattern = namePattern("st.*", "option");
    QVERIFY(BlockFilter::matches(pattern, "stage", "a/stage") && BlockFilter::matches(pattern, "x", "st/x"));
    QVERIFY(!BlockFilter::matches(pattern, "first", "a/first"));
    QVERIFY(!namePattern("", "option") && !BlockFilter::matches(nullptr, "stage", "stage"));
  }
  // std::regex and Perl's would take longer than the age of the universe for these.
  void aCatastrophicExpressionEnds() {
    const std::string name(100'000, 'a');
    for (const char* pattern : {"(a+)+b", "(a|aa)*b", "(.*)*(.*)*(.*)*b", "((a*)*)*c"})
      QVERIFY2(!BlockFilter::matches(namePattern(pattern, "option"), name, name), pattern);
  }
  void whatIsWrongIsSaid() {
    for (const std::string& pattern : {std::string("(a"), std::string("a**"), std::string("(a)\\1"), std::string(1001, 'a'),
                                       std::string("a{1000}{1000}{1000}")})
      QVERIFY_EXCEPTION_THROWN(namePattern(pattern, "option"), reports::Error);
  }
};

TILESCOPE_TEST(BlockFilterTest)
#include "block_filter_test.moc"
