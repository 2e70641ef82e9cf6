// A model with its weights in another file: the entries (location, offset, length, others) and the dimensions come from the input,
// one line each. Any input gives the weights or an Error, and no file outside the model's folder is read.
#include "reports/core/error.h"
#include "simcore/numerics/host_memory.h"
#include "simcore/onnx/onnx_file.h"
#include "simcore/onnx/tensor_proto.h"
#include "tests/fuzz/scratch_file.h"

#include <charconv>
#include <sstream>

using namespace simcore;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  static const fuzz::ScratchFolder folder;
  static const bool isReady = [] {
    const std::string data(64, 'w'), secret(64, 's');
    std::filesystem::create_directories(folder.path() / "model" / "deeper");
    const auto write = [](const char* name, const std::string& text) {
      folder.write(name, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
    };
    write("secret.bin", secret), write("model/data.bin", data), write("model/deeper/data.bin", data);
    std::filesystem::create_symlink("../secret.bin", folder.path() / "model" / "link.bin");
    return true;
  }();
  (void)isReady;
  numerics::limitHostMemory(64 << 20);
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  auto* tensor = model.mutable_graph()->add_initializer();
  tensor->set_name("w");
  tensor->set_data_type(onnx::TensorProto::FLOAT);
  tensor->set_data_location(onnx::TensorProto::EXTERNAL);
  std::istringstream lines(std::string(reinterpret_cast<const char*>(bytes), size));
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) {
      std::int64_t number = 0;
      std::from_chars(line.data(), line.data() + line.size(), number);
      tensor->add_dims(number);
      continue;
    }
    auto* entry = tensor->add_external_data();
    entry->set_key(line.substr(0, equals));
    entry->set_value(line.substr(equals + 1));
  }
  auto* node = model.mutable_graph()->add_node();
  node->set_op_type("Identity");
  node->add_input("w");
  node->add_output("y");
  model.mutable_graph()->add_output()->set_name("y");
  try {
    const auto read = model::parseOnnx(model.SerializeAsString(), "fuzz", folder.path() / "model");
    const auto found = read.graph.initialisers.find("w");
    if (found == read.graph.initialisers.end() || found->second.count() > 16) return 0;
    for (const float value : found->second.values<float>()) {
      uint8_t first = 0;
      std::memcpy(&first, &value, 1);
      if (first == 's') std::abort(); // of the file outside
    }
  } catch (const reports::Error& error) {
    if (error.code() == reports::ErrorCode::Internal) std::abort();
  }
  return 0;
}
