// Operators that draw numbers, read regions of maps, put elements back, and those over three field dimensions.
#include "tests/simcore/model/node_cases.h"

namespace tests {

namespace {

model::Attributes windowed(const Integers& kernel, const Integers& strides, const Integers& pads) {
  return attributes({{"kernel_shape", kernel}, {"strides", strides}, {"pads", pads}});
}

// Boxes (x1, y1, x2, y2) inside and beyond a map of this size.
HostTensor boxes(Net& n, std::int64_t count, double height, double width) {
  std::vector<float> corners;
  const HostTensor at = n.numbers({count, 4}, 0, 1);
  for (std::int64_t r = 0; r < count; ++r) {
    const double x = at.at(4 * r) * width - 1, y = at.at(4 * r + 1) * height - 1;
    for (const double v : {x, y, x + at.at(4 * r + 2) * width, y + at.at(4 * r + 3) * height}) corners.push_back(float(v));
  }
  return HostTensor::of({count, 4}, corners);
}

} // namespace

std::vector<NodeCase> drawnNodes() {
  std::vector<NodeCase> cases;
  const auto seeded = [](const Shape& s) { return attributes({{"shape", s}, {"seed", 3.0f}}); };
  for (const Shape& s : {Shape{1}, Shape{13, 5}, Shape{3, 1, 131}, Shape{997}}) {
    cases.push_back({label("RandomNormal", s), [=](Net& n) {
                       model::Attributes a = seeded(s);
                       a.set("mean", 2.0f);
                       a.set("scale", 0.5f);
                       n.out("RandomNormal", {}, a);
                     }});
    cases.push_back({label("RandomUniform", s), [=](Net& n) {
                       model::Attributes a = seeded(s);
                       a.set("low", -3.0f);
                       n.out("RandomUniform", {}, a);
                     }});
    for (const char* type : {"RandomNormalLike", "RandomUniformLike"})
      cases.push_back({label(type, s), [=](Net& n) {
                         const std::string x = n.real("x", s);
                         n.out("Add", {x, n.builder.add(type, {x})});
                         n.out(type, {x}, attributes({{"dtype", std::int64_t(10)}}));
                       }});
    cases.push_back({label("SeededDropout", s), [=](Net& n) {
                       const std::string seed = n.builder.addOwn("DropoutSeed", {});
                       n.out(n.builder.addOwn("SeededDropout", {n.real("x", s), seed}, attributes({{"ratio", 0.4f}})));
                     }});
    cases.push_back({label("Bernoulli", s), [=](Net& n) {
                       n.out("Bernoulli", {n.real("p", s, -0.2, 1.2)});
                       n.out("Bernoulli", {"p"}, attributes({{"dtype", std::int64_t(9)}, {"seed", 7.0f}}));
                     }});
  }
  return cases;
}

std::vector<NodeCase> regionNodes() {
  std::vector<NodeCase> cases;
  struct Map {
    Shape x;
    std::int64_t regions, height, width;
  };
  for (const Map& m :
       {Map{{1, 1, 1, 1}, 1, 1, 1}, Map{{2, 5, 7, 9}, 13, 3, 2}, Map{{1, 67, 5, 3}, 2, 2, 5}, Map{{3, 2, 31, 17}, 1, 1, 1}}) {
    for (const char* mode : {"avg", "max"})
      for (const std::int64_t samples : {0, 2})
        cases.push_back({label(std::string("RoiAlign ") + mode, m.x), [=](Net& n) {
                           model::Attributes a = attributes({{"mode", std::string(mode)},
                                                             {"sampling_ratio", samples},
                                                             {"output_height", m.height},
                                                             {"output_width", m.width},
                                                             {"spatial_scale", 0.5f}});
                           if (samples) a.set("coordinate_transformation_mode", std::string("output_half_pixel"));
                           n.out("RoiAlign",
                                 {n.real("x", m.x), n.value("r", boxes(n, m.regions, 2 * double(m.x[2]), 2 * double(m.x[3]))),
                                  n.index("i", {m.regions}, 0, m.x[0])},
                                 a);
                         }});
    cases.push_back({label("MaxRoiPool", m.x), [=](Net& n) {
                       const HostTensor corners = boxes(n, m.regions, double(m.x[2]), double(m.x[3]));
                       std::vector<float> regions;
                       for (std::int64_t r = 0; r < m.regions; ++r) {
                         regions.push_back(float(r % m.x[0]));
                         for (std::int64_t k = 0; k < 4; ++k) regions.push_back(float(corners.at(4 * r + k)));
                       }
                       n.out("MaxRoiPool", {n.real("x", m.x), n.value("r", HostTensor::of({m.regions, 5}, regions))},
                             attributes({{"pooled_shape", Integers{m.height, m.width}}, {"spatial_scale", 0.75f}}));
                     }});
  }
  cases.push_back(
      {"RoiAlignGrad", [=](Net& n) {
         n.out("RoiAlignGrad",
               {n.real("dy", {3, 5, 2, 2}), n.real("x", {2, 5, 7, 9}), n.value("r", boxes(n, 3, 7, 9)), n.index("i", {3}, 0, 2)},
               attributes({{"output_height", std::int64_t(2)}, {"output_width", std::int64_t(2)}}), model::kOwnDomain);
       }});
  cases.push_back({"MaxRoiPoolGrad", [=](Net& n) {
                     const std::vector<float> regions{1, 0, 0, 5, 3, 0, 2, 1, 6, 6};
                     n.out("MaxRoiPoolGrad",
                           {n.real("dy", {2, 5, 2, 3}), n.real("x", {2, 5, 7, 9}), n.value("r", HostTensor::of({2, 5}, regions))},
                           attributes({{"pooled_shape", Integers{2, 3}}}), model::kOwnDomain);
                   }});
  const model::Attributes two = windowed({2, 2}, {2, 2}, {0, 0, 0, 0});
  for (const Shape& s : {Shape{1, 1, 2, 2}, Shape{2, 3, 6, 10}, Shape{1, 131, 4, 4}})
    cases.push_back({label("MaxUnpool of a pool", s), [=](Net& n) {
                       const auto pooled = n.builder.addMany("MaxPool", {n.real("x", s)}, two, {true, true});
                       n.out("MaxUnpool", pooled, two);
                     }});
  cases.push_back({"MaxUnpool anywhere", [=](Net& n) {
                     // Each index once: which of two values would stay is undefined.
                     Integers places;
                     for (std::int64_t i = 0; i < 2 * 3 * 3 * 5; ++i) places.push_back(i * 101 % (2 * 3 * 6 * 10));
                     n.out("MaxUnpool", {n.real("x", {2, 3, 3, 5}), n.value("i", HostTensor::of({2, 3, 3, 5}, places))}, two);
                   }});
  cases.push_back({"MaxUnpool into more", [=](Net& n) {
                     const auto pooled = n.builder.addMany("MaxPool", {n.real("x", {1, 2, 4, 6})}, two, {true, true});
                     n.out("MaxUnpool", {pooled[0], pooled[1], n.builder.integers({1, 2, 5, 7})}, two);
                   }});
  return cases;
}

std::vector<NodeCase> volumeNodes() {
  std::vector<NodeCase> cases;
  const auto add = [&](const std::string& name, std::function<void(Net&)> build) { cases.push_back({name, std::move(build)}); };
  struct Volume {
    Shape x, w; // of ConvTranspose: [N, C, field..], [C, M / groups, kernel..]
    Integers strides, pads, dilations, more;
    std::int64_t groups;
  };
  for (const Volume& v : {Volume{{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1}, {0, 0, 0, 0, 0, 0}, {1, 1, 1}, {0, 0, 0}, 1},
                          Volume{{2, 4, 3, 2, 5}, {4, 3, 3, 2, 3}, {2, 1, 3}, {1, 0, 1, 0, 1, 2}, {1, 1, 1}, {1, 0, 2}, 2},
                          Volume{{1, 3, 2, 5, 3}, {3, 7, 2, 2, 2}, {1, 2, 1}, {0, 1, 0, 1, 0, 0}, {2, 1, 2}, {0, 1, 0}, 1},
                          // On one tile and on seven the taps of the depth are taken in turn.
                          Volume{{2, 22, 4, 4, 2}, {22, 7, 5, 3, 3}, {2, 2, 3}, {2, 2, 0, 2, 0, 0}, {2, 3, 2}, {0, 1, 0}, 2}})
    add(label("ConvTranspose", v.x), [v](Net& n) {
      n.out("ConvTranspose", {n.real("x", v.x), n.real("w", v.w), n.real("b", {v.w[1] * v.groups})},
            attributes({{"strides", v.strides},
                        {"pads", v.pads},
                        {"dilations", v.dilations},
                        {"output_padding", v.more},
                        {"group", v.groups}}));
    });
  for (const std::int64_t columnMajor : {0, 1}) {
    for (const auto& [x, a] :
         std::vector<std::pair<Shape, model::Attributes>>{{{1, 1, 1, 1, 1}, windowed({1, 1, 1}, {1, 1, 1}, Integers(6, 0))},
                                                          {{2, 3, 5, 6, 7}, windowed({2, 3, 2}, {2, 1, 2}, {1, 1, 0, 0, 1, 1})}})
      add(label("MaxPool with places", x), [=, x = x, a = a](Net& n) {
        model::Attributes all = a;
        all.set("storage_order", columnMajor);
        n.outs("MaxPool", {n.real("x", x)}, all, 2);
      });
  }
  // Among equal maxima the first one counts.
  add("MaxPool with places of equals", [](Net& n) {
    n.outs("MaxPool", {n.value("x", n.whole({2, 2, 4, 5, 6}, 0, 3).cast(ElementType::Float))},
           windowed({3, 2, 2}, {1, 2, 1}, Integers(6, 0)), 2);
  });
  // One dimension after the other: of more than three, and windows that no tile holds.
  for (const char* type : {"MaxPool", "AveragePool", "LpPool"}) {
    add(std::string(type) + " over four dimensions", [type](Net& n) {
      n.out(type, {n.real("x", {2, 3, 4, 3, 5, 6})}, windowed({2, 1, 3, 2}, {1, 2, 2, 1}, {1, 0, 1, 0, 0, 0, 1, 1}));
    });
    add(std::string(type) + " over a large window", [type](Net& n) {
      n.out(type, {n.real("x", {1, 1, 257, 263})}, windowed({251, 257}, {2, 3}, {1, 0, 0, 2}));
    });
  }
  for (const std::int64_t columnMajor : {0, 1})
    add("MaxPool over a large window, with places", [=](Net& n) {
      model::Attributes a = windowed({241, 251}, {3, 2}, {0, 1, 2, 0});
      a.set("storage_order", columnMajor);
      n.outs("MaxPool", {n.real("x", {1, 1, 247, 259})}, a, 2);
    });
  const auto gradientAttributes = [](const Integers& kernel, const Integers& strides, const Integers& pads) {
    model::Attributes a = windowed(kernel, strides, pads);
    a.set("dilations", Integers(kernel.size(), 1));
    return a;
  };
  const Shape x{2, 4, 5, 6, 7}, w{6, 2, 3, 3, 2}, y{2, 6, 2, 6, 7};
  model::Attributes conv = gradientAttributes({3, 3, 2}, {2, 1, 1}, {1, 1, 0, 0, 1, 1});
  conv.set("group", std::int64_t(2));
  add(label("ConvDataGrad", x), [=](Net& n) {
    model::Attributes a = conv;
    a.set("shape", x);
    n.out(n.builder.addOwn("ConvDataGrad", {n.real("dy", y), n.real("w", w)}, a));
  });
  add(label("ConvWeightsGrad", x), [=](Net& n) {
    model::Attributes a = conv;
    a.set("shape", w);
    n.out(n.builder.addOwn("ConvWeightsGrad", {n.real("x", x), n.real("dy", y)}, a));
  });
  add(label("FusedConv", x), [=](Net& n) {
    model::Attributes a = conv;
    a.set("activation", std::string("Relu"));
    n.out(n.builder.addOwn("FusedConv", {n.real("x", x), n.real("w", w), n.real("b", {6}), n.real("y", y)}, a));
  });
  const model::Attributes pool = gradientAttributes({2, 3, 2}, {2, 1, 2}, {1, 1, 0, 0, 1, 1});
  const Shape in{2, 3, 5, 6, 7}, out{2, 3, 3, 6, 4};
  add(label("MaxPoolGrad", in), [=](Net& n) {
    const std::string image = n.real("x", in);
    n.out(n.builder.addOwn("MaxPoolGrad", {image, n.builder.add("MaxPool", {image}, pool), n.real("dy", out)}, pool));
  });
  for (const std::int64_t counted : {0, 1})
    add(label("AveragePoolGrad", in), [=](Net& n) {
      model::Attributes a = pool;
      a.set("shape", in);
      a.set("count_include_pad", counted);
      n.out(n.builder.addOwn("AveragePoolGrad", {n.real("dy", out)}, a));
    });
  return cases;
}

} // namespace tests
