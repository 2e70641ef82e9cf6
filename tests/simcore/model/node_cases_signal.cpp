#include "tests/simcore/model/node_cases.h"

namespace tests {

namespace {

void addTransforms(std::vector<NodeCase>& cases) {
  struct Transform {
    Shape shape;
    std::int64_t axis, length, inverse, oneSided;
  };
  for (const Transform& t :
       {Transform{{1, 1, 1}, 1, 0, 0, 0}, Transform{{1, 7, 1}, 1, 0, 0, 1}, Transform{{2, 13, 2}, 1, 0, 0, 0},
        Transform{{3, 12, 2}, 1, 0, 1, 0}, Transform{{2, 45, 3, 2}, 1, 0, 0, 0}, Transform{{61, 1}, 0, 0, 0, 1},
        Transform{{2, 3, 20, 1}, 2, 32, 0, 0}, Transform{{1, 33, 2}, 1, 16, 1, 0}, Transform{{2, 128, 1}, 1, 0, 0, 1},
        Transform{{1, 210, 2}, 1, 0, 0, 0}, Transform{{1, 100, 1}, 1, 131, 0, 0}, Transform{{7, 2}, 0, 0, 1, 0}})
    cases.push_back({label("DFT", t.shape), [t](Net& n) {
                       std::vector<std::string> inputs{n.real("x", t.shape)};
                       if (t.length) inputs.push_back(n.builder.constant("length", HostTensor::scalar(t.length)));
                       n.out("DFT", inputs, attributes({{"axis", t.axis}, {"inverse", t.inverse}, {"onesided", t.oneSided}}));
                     }});
  for (const std::int64_t along : {-2, 0}) // the axis is an input since opset 20
    cases.push_back({"DFT along a given axis",
                     [along](Net& n) {
                       n.out("DFT", {n.real("x", {5, 12, 2}), "", n.builder.constant("axis", HostTensor::scalar(along))});
                     },
                     20});
  struct Frames {
    Shape signal;
    std::int64_t step, length;
    bool window;
    std::int64_t oneSided;
  };
  for (const Frames& f : {Frames{{1, 16, 1}, 4, 8, true, 1}, Frames{{2, 61}, 7, 13, true, 0}, Frames{{3, 29, 1}, 5, 11, false, 1},
                          Frames{{1, 17, 1}, 1, 17, true, 1}, Frames{{1, 257, 1}, 64, 128, true, 1}})
    cases.push_back({label("STFT", f.signal), [f](Net& n) {
                       n.out("STFT",
                             {n.real("x", f.signal), n.builder.constant("step", HostTensor::scalar(f.step)),
                              f.window ? n.real("w", {f.length}, 0, 1) : "",
                              n.builder.constant("length", HostTensor::scalar(f.length))},
                             attributes({{"onesided", f.oneSided}}));
                     }});
  for (const char* type : {"HannWindow", "HammingWindow", "BlackmanWindow"})
    for (const std::int64_t size : {1, 13, 128})
      for (const std::int64_t periodic : {0, 1})
        for (const std::int64_t as : {1, 10})
          cases.push_back({std::string(type) + " " + std::to_string(size), [=](Net& n) {
                             n.out(type, {n.builder.constant("size", HostTensor::scalar(size))},
                                   attributes({{"periodic", periodic}, {"output_datatype", as}}));
                           }});
}

void addDifferentValues(std::vector<NodeCase>& cases) {
  for (const auto& [shape, along] : std::vector<std::pair<Shape, std::int64_t>>{
           {{1}, -9}, {{17}, -9}, {{131}, 0}, {{5, 7}, -9}, {{11, 1}, 0}, {{13, 3}, 0}, {{2, 19}, 1}, {{3, 7, 2}, -2}})
    for (const std::int64_t sorted : {1, 0})
      cases.push_back({label("Unique", shape), [=, shape = shape, along = along](Net& n) {
                         model::Attributes a = attributes({{"sorted", sorted}});
                         if (along != -9) a = attributes({{"sorted", sorted}, {"axis", along}});
                         // Quarters: all different in half, too.
                         HostTensor x = n.whole(shape, -2, shape[0] > 99 ? 40 : 2).cast(ElementType::Float);
                         for (float& v : x.mutableValues<float>()) v /= 4;
                         n.observed("Unique", {n.value("x", x)}, a, {"values", "first", "inverse", "counts"});
                       }});
  for (const std::int64_t sorted : {1, 0})
    cases.push_back({"Unique, inverse only", [sorted](Net& n) {
                       n.observed("Unique", {n.index("x", {23}, 0, 5)}, attributes({{"sorted", sorted}}), {"", "", "inverse"});
                     }});
}

} // namespace

std::vector<NodeCase> signalNodes() {
  std::vector<NodeCase> cases;
  addTransforms(cases);
  for (const Shape& s :
       {Shape{1, 1}, Shape{2, 2}, Shape{7, 7}, Shape{3, 5, 5}, Shape{67, 3, 3}, Shape{2, 2, 4, 4}, Shape{29, 29}})
    cases.push_back({label("Det", s), [s](Net& n) { n.out("Det", {n.real("x", s)}); }});
  cases.push_back({"Det of a singular matrix", [](Net& n) {
                     n.out("Det", {n.value("x", HostTensor::of(Shape{3, 3}, std::vector<float>{1, 2, 3, 2, 4, 6, 0, 1, 5}))});
                   }});
  addDifferentValues(cases);
  // The machine computes doubles of a model in float.
  for (const char* type : {"DFT", "Det"})
    cases.push_back({std::string(type) + " in double", [type](Net& n) {
                       n.out(type, {n.value("x", n.numbers({3, 2, 2}, -1, 1).cast(ElementType::Double))});
                     }});
  return cases;
}

} // namespace tests
