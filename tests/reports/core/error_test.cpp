#include "reports/core/error.h"
#include "tests/support/test_main.h"

#include <QTest>

using reports::Error;
using reports::ErrorCode;

class ErrorTest : public QObject {
  Q_OBJECT
private slots:
  void partsMakeOneSentence() {
    QCOMPARE(std::string(Error(ErrorCode::Io, "disk full", "a.tsr", "free some space").what()),
             std::string("a.tsr: disk full (free some space)"));
    QCOMPARE(std::string(Error(ErrorCode::Io, "disk full").what()), std::string("disk full"));
    QCOMPARE(std::string(Error(ErrorCode::Io, "no", "node").within("m.onnx").what()), std::string("m.onnx: node: no"));
  }
  // what() ends at a NUL, the sentence does not.
  void namesMayHoldAnyByte() {
    const Error error(ErrorCode::InvalidInput, "'" + std::string("a\0b\0", 4) + "' is not known", "", "look it up");
    QCOMPARE(std::string(error.what()), std::string("'a\\x00b\\x00' is not known (look it up)"));
  }
};

TILESCOPE_TEST(ErrorTest)
#include "error_test.moc"
