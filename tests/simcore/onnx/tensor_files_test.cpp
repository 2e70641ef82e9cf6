#include "reports/core/error.h"
#include "simcore/onnx/tensor_files.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace simcore;
using numerics::ElementType;
using numerics::HostTensor;

class TensorFilesTest : public QObject {
  Q_OBJECT
private slots:
  void npyRoundTrip() {
    QTemporaryDir folder;
    const std::filesystem::path file = (folder.path() + "/t.npy").toStdString();
    for (int i = 0; i < numerics::kElementTypeCount; ++i) {
      const auto type = ElementType(i);
      if (type == ElementType::BFloat16 || numerics::isFloat8(type)) continue; // written as float
      for (const numerics::Shape& shape : {numerics::Shape{}, {3}, {2, 0, 4}, {2, 3, 1}}) {
        const HostTensor tensor = HostTensor::full(type, shape, 1);
        model::writeNpy(file, tensor);
        QVERIFY(model::readTensorFile(file).identicalTo(tensor));
        QCOMPARE((std::filesystem::file_size(file) - tensor.byteCount()) % 64, std::uintmax_t(0));
      }
    }
  }

  void damagedNpyIsRefused() {
    QTemporaryDir folder;
    const std::filesystem::path file = (folder.path() + "/t.npy").toStdString();
    model::writeNpy(file, HostTensor::full(ElementType::Float, {4, 4}, 2));
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    const auto refused = [&](const std::string& content) {
      std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
      try {
        (void)model::readTensorFile(file);
      } catch (const reports::Error& error) {
        return error.where().find("t.npy") != std::string::npos;
      }
      return false;
    };
    for (std::size_t length = 0; length < bytes.size(); length += 3) QVERIFY(refused(bytes.substr(0, length)));
    const auto replaced = [&](const std::string& from, const std::string& to) {
      std::string copy = bytes;
      copy.replace(copy.find(from), from.size(), to);
      return copy;
    };
    QVERIFY(refused(replaced("(4, 4", "(4, 5")));
    QVERIFY(refused(replaced("(4, 4", "(4,-4")));
    QVERIFY(refused(replaced("<f4", ">f4")));
    QVERIFY(refused(replaced("<f4", "|O8")));
    QVERIFY(refused(replaced("False", "True ")));
    QVERIFY(refused(bytes + "x"));
    QVERIFY(!refused(bytes));
    QVERIFY_EXCEPTION_THROWN((void)model::readTensorFile((folder.path() + "/none.npy").toStdString()), reports::Error);
    QVERIFY_EXCEPTION_THROWN((void)model::readTensorFile("/etc/hostname"), reports::Error);
  }
};

TILESCOPE_TEST(TensorFilesTest)
#include "tensor_files_test.moc"
