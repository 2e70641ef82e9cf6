#include "tests/app/hostile/hostile_models.h"

#include "tests/app/hostile/hostile_model.h"

namespace tests {

std::vector<HostileFile> hostileSample() {
  using namespace hostile;
  HostileModel loss;
  loss.input("x", {300, 5}).input("t", {1}, onnx::TensorProto::INT64).node("NegativeLogLikelihoodLoss", {"x", "t"});
  Collection all;
  all.add("eyelike_scalar", HostileModel().input("x", {}).node("EyeLike", {"x"}), "EyeLike makes matrices");
  all.add("eyelike_vector", HostileModel().input("x", {4}).node("EyeLike", {"x"}), "EyeLike makes matrices");
  all.add("loss_target", loss, "the target has the shape 1; logits of 300x5 need 300");
  all.add("pad_wraps", HostileModel().input("x", {4}).integers("p", {kMost, kMost}).node("Pad", {"x", "p"}), "beyond 2^63");
  all.add("pad_negative", HostileModel().input("x", {4}).integers("p", {-9, 0}).node("Pad", {"x", "p"}), "negative dimension");
  all.add("doubled_constant", doubled("w", 31), "constant of");
  all.add("doubled_input", doubled("x", 28));
  all.add("doubled_input_often", doubled("x", 60), "too large");
  all.add("window", HostileModel().integers("n", {kHuge}, true).node("HammingWindow", {"n"}), "multiply-adds");
  HostileModel window; // its size is known when the numbers before it are
  window.input("m", {}, onnx::TensorProto::INT64).integers("k", {kHuge}, true).node("Add", {"m", "k"}, "n");
  all.add("window_of_the_run", window.node("HannWindow", {"n"}), "multiply-adds");
  all.add("transform", HostileModel().input("x", {1, 8, 1}).integers("n", {kHuge}, true).node("DFT", {"x", "n"}), "points");
  all.add("prime", HostileModel().input("x", {1, 8, 1}).integers("n", {15'485'863}, true).node("DFT", {"x", "n"}), "points");
  all.add("top", HostileModel().input("x", {4}).integers("k", {kHuge}).node("TopK", {"x", "k"}), "of 4 elements");
  all.add("gather", HostileModel().input("x", {4}).integers("i", {99}).node("Gather", {"x", "i"}), "index 99 is outside");
  all.add("expand", HostileModel().input("x", {1}).integers("s", {kHuge}).node("Expand", {"x", "s"}));
  all.add("shape", HostileModel().integers("s", {kHuge, kHuge}).node("ConstantOfShape", {"s"}), "too large");
  all.add("cycle", HostileModel().input("x", {4}).node("Add", {"x", "y"}), "cycle");
  // Values of one node, all alive together.
  HostileModel wide;
  wide.input("x", {4});
  Names all30000;
  for (int i = 0; i < 30'000; ++i) {
    all30000.push_back("v" + std::to_string(i));
    wide.node("Neg", {"x"}, all30000.back());
  }
  all.add("wide_node", wide.node("Sum", all30000), "has 30000 inputs");
  std::vector<HostileFile> files = all.take();
  Collection contradictions;
  addContradictions(contradictions);
  for (HostileFile& file : contradictions.take())
    if (!file.words.empty()) files.push_back(std::move(file));
  return files;
}

std::vector<HostileFile> hostileModels() {
  using namespace hostile;
  Collection all;
  addGrowing(all);
  addAllSizes(all);
  addAttributes(all);
  addDeclarations(all);
  addGraphs(all);
  addWork(all);
  addBytes(all);
  addContradictions(all);
  return all.take();
}

} // namespace tests
