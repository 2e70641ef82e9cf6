// Files of one tensor from strangers: an odd first byte says .npy, an even one .pb; any bytes give a tensor or an Error. A tensor that
// was read can be written and read again.
#include "reports/core/error.h"
#include "simcore/numerics/host_memory.h"
#include "simcore/onnx/tensor_files.h"
#include "tests/fuzz/scratch_file.h"

using namespace simcore;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size) {
  static const fuzz::ScratchFolder folder;
  numerics::limitHostMemory(64 << 20);
  if (size == 0) return 0;
  const bool isNpy = bytes[0] % 2;
  const auto file = folder.write(isNpy ? "in.npy" : "in.pb", {bytes + 1, size - 1});
  try {
    const auto tensor = model::readTensorFile(file);
    if (tensor.count() > 1'000'000) return 0;
    model::writeNpy(folder.path() / "out.npy", tensor);
    if (model::readTensorFile(folder.path() / "out.npy").shape() != tensor.shape()) std::abort();
  } catch (const reports::Error& error) {
    if (error.code() == reports::ErrorCode::Internal) std::abort();
  }
  return 0;
}
