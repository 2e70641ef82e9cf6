// Tensors that grow without end, and sizes out of range.
#include "tests/app/hostile/hostile_model.h"

#include <cmath>

namespace tests::hostile {

namespace {

HostileModel joined(HostileModel model, const std::string& start, int times, int axis = 0) {
  return chain(std::move(model), start, times, [axis](HostileModel& m, const std::string& from, const std::string& to) {
    m.node("Concat", {from, from}, to).number("axis", axis);
  });
}

const Integers kSizes{
    0,      -1,        -2,    1 << 20, (std::int64_t(1) << 31) - 1, std::int64_t(1) << 31, std::int64_t(1) << 33, kHuge,
    -kHuge, kMost / 2, kMost, kLeast};

// `make` takes the name of a tensor of the size, and makes a model of it.
template<class Make> void addSizes(Collection& all, const std::string& name, bool isScalar, Make make) {
  for (const auto size : kSizes) {
    all.add("size_" + name + "_c_" + nameOf(size), make(HostileModel().integers("n", {size}, isScalar)));
    // the same size, known in the run only
    HostileModel run;
    run.input("m", isScalar ? Integers{} : Integers{1}, onnx::TensorProto::INT64)
        .integers("k", {size}, isScalar)
        .node("Add", {"m", "k"}, "n");
    if (size == kHuge || size == kMost || size == -1) all.add("size_" + name + "_r_" + nameOf(size), make(std::move(run)));
  }
}

} // namespace

HostileModel doubled(const char* start, int times) {
  HostileModel model;
  if (std::string(start) == "x")
    model.input("x", {4});
  else
    model.integers(start, {1, 2, 3, 4});
  return joined(model, start, times);
}

void addGrowing(Collection& all) {
  const auto step = [](const char* type, Names more, auto&& attributes) {
    return [=](HostileModel& m, const std::string& from, const std::string& to) {
      Names inputs{from};
      inputs.insert(inputs.end(), more.begin(), more.end());
      m.node(type, inputs, to);
      attributes(m);
    };
  };
  const auto none = [](HostileModel&) {};
  for (const int times : {12, 20, 28, 40, 62, 200}) {
    const std::string n = std::to_string(times);
    for (const char* start : {"x", "w"}) {
      const std::string of = std::string(start) + n;
      const auto begin = [&](int opset, const Integers& shape) {
        HostileModel model(opset);
        if (*start == 'x')
          model.input("x", shape);
        else
          model.zeros("w", shape);
        return model;
      };
      all.add("grow_concat_" + of, joined(begin(17, {4}), start, times));
      all.add("grow_concat_inner_" + of, joined(begin(17, {3, 2}), start, times, 1));
      all.add("grow_tile_" + of, chain(begin(17, {4}).integers("r", {2}), start, times, step("Tile", {"r"}, none)));
      all.add("grow_tile2_" + of, chain(begin(17, {2, 2}).integers("r", {2, 3}), start, times, step("Tile", {"r"}, none)));
      all.add("grow_pad_" + of, chain(begin(17, {4}).integers("p", {1 << 20, 1 << 20}), start, times, step("Pad", {"p"}, none)));
      all.add("grow_resize_" + of,
              chain(begin(17, {1, 1, 2, 2}).floats("s", {1, 1, 2, 2}), start, times, step("Resize", {"", "s"}, none)));
      all.add("grow_upsample_" + of,
              chain(begin(9, {1, 1, 2, 2}).floats("s", {1, 1, 2, 2}), start, times, step("Upsample", {"s"}, none)));
      all.add("grow_gather_" + of,
              chain(begin(17, {2}).integers("i", {0, 1, 0, 1}), start, times,
                    [](HostileModel& m, const std::string& from, const std::string& to) {
                      m.node("Gather", {from, "i"}, to + "_g").node("Concat", {to + "_g", from, from}, to).number("axis", 0);
                    }));
      all.add("grow_square_" + of, chain(begin(13, {2, 1}).integers("t", {1, -1}).integers("f", {-1, 1}), start, times,
                                         [](HostileModel& m, const std::string& from, const std::string& to) {
                                           m.node("Reshape", {from, "t"}, to + "_t")
                                               .node("Mul", {from, to + "_t"}, to + "_p")
                                               .node("Reshape", {to + "_p", "f"}, to);
                                         }));
      all.add("grow_outer_" + of, chain(begin(13, {2, 1}).integers("t", {1, -1}).integers("f", {-1, 1}), start, times,
                                        [](HostileModel& m, const std::string& from, const std::string& to) {
                                          m.node("Reshape", {from, "t"}, to + "_t")
                                              .node("MatMul", {from, to + "_t"}, to + "_p")
                                              .node("Reshape", {to + "_p", "f"}, to);
                                        }));
      all.add("grow_transposed_" + of,
              chain(begin(17, {2, 2}), start, times, [](HostileModel& m, const std::string& from, const std::string& to) {
                m.node("Transpose", {from}, to + "_t").node("Concat", {to + "_t", to + "_t"}, to).number("axis", 0);
              }));
      all.add(
          "grow_sliced_" + of,
          chain(begin(17, {4}).integers("b", {-1}).integers("e", {kLeast}).integers("a", {0}).integers("s", {-1}), start, times,
                [](HostileModel& m, const std::string& from, const std::string& to) {
                  m.node("Slice", {from, "b", "e", "a", "s"}, to + "_r").node("Concat", {from, to + "_r"}, to).number("axis", 0);
                }));
      all.add("grow_expand_" + of,
              chain(begin(17, {1}), start, times, [](HostileModel& m, const std::string& from, const std::string& to) {
                m.integers(to + "_s", {2, 1})
                    .node("Expand", {from, to + "_s"}, to + "_e")
                    .integers(to + "_f", {-1})
                    .node("Reshape", {to + "_e", to + "_f"}, to);
              }));
      all.add("grow_split_" + of,
              chain(begin(13, {4}), start, times, [](HostileModel& m, const std::string& from, const std::string& to) {
                addNode(m.graph(), "Split", {from}, {to + "_a", to + "_b"});
                m.node("Concat", {to + "_b", to + "_a", to + "_a", to + "_b"}, to).number("axis", 0);
              }));
    }
  }
  // Each tensor is below the limit of one tensor; together they are far above the limit.
  HostileModel many, sum;
  Names parts;
  for (int i = 0; i < 64; ++i) {
    parts.push_back("c" + std::to_string(i));
    many.zeros(parts.back(), {1 << 26});
    sum.zeros(parts.back(), {1 << 27}).node("Neg", {parts.back()}, "m" + std::to_string(i));
  }
  all.add("grow_many_constants", many.node("Sum", parts));
  all.add("grow_many_folded", sum.node("ReduceSum", {"m63"}));
}

void addAllSizes(Collection& all) {
  const auto simple = [&](const char* type, bool isScalar, const Integers& x, Names inputs, int opset = 0) {
    (void)opset;
    addSizes(all, type, isScalar, [&](HostileModel m) {
      if (!x.empty()) m.input("x", x);
      return m.node(type, inputs);
    });
  };
  simple("ConstantOfShape", false, {}, {"n"});
  simple("Expand", false, {1}, {"x", "n"});
  simple("Tile", false, {3}, {"x", "n"});
  simple("Reshape", false, {4}, {"x", "n"});
  simple("TopK", false, {4}, {"x", "n"});
  simple("HannWindow", true, {}, {"n"});
  simple("HammingWindow", true, {}, {"n"});
  simple("BlackmanWindow", true, {}, {"n"});
  simple("DFT", true, {1, 8, 1}, {"x", "n"});
  simple("Gather", false, {4}, {"x", "n"});
  simple("GatherElements", false, {4}, {"x", "n"});
  simple("CumSum", true, {4}, {"x", "n"});
  simple("Trilu", true, {4, 4}, {"x", "n"});
  simple("Unsqueeze", false, {4}, {"x", "n"});
  simple("Squeeze", false, {1, 4}, {"x", "n"});
  simple("ReduceSum", false, {4, 4}, {"x", "n"});
  simple("Split", false, {4}, {"x", "n"});
  simple("Compress", false, {4}, {"x", "n"});
  addSizes(all, "Range", true, [](HostileModel m) {
    return m.integers("z", {0}, true).integers("o", {1}, true).node("Range", {"z", "n", "o"});
  });
  addSizes(all, "RangeStep", true, [](HostileModel m) {
    return m.integers("z", {kLeast}, true).integers("o", {kMost}, true).node("Range", {"z", "o", "n"});
  });
  addSizes(all, "Pad", false, [](HostileModel m) {
    return m.input("x", {4}).node("Concat", {"n", "n"}, "p").number("axis", 0).node("Pad", {"x", "p"});
  });
  for (const char* mode : {"edge", "reflect", "wrap"})
    addSizes(all, std::string("Pad") + mode, false, [mode](HostileModel m) {
      return m.input("x", {4}).node("Concat", {"n", "n"}, "p").number("axis", 0).node("Pad", {"x", "p"}).text("mode", mode);
    });
  addSizes(all, "SliceEnd", false, [](HostileModel m) {
    return m.input("x", {4}).integers("z", {0}).node("Slice", {"x", "z", "n"});
  });
  addSizes(all, "SliceStep", false, [](HostileModel m) {
    return m.input("x", {4})
        .integers("b", {kLeast})
        .integers("e", {kMost})
        .integers("a", {0})
        .node("Slice", {"x", "b", "e", "a", "n"});
  });
  addSizes(all, "OneHot", true, [](HostileModel m) {
    return m.integers("i", {0, 1, -1, kMost}).floats("v", {0, 1}).node("OneHot", {"i", "n", "v"});
  });
  addSizes(all, "ResizeSizes", false, [](HostileModel m) { return m.input("x", {2}).node("Resize", {"x", "", "", "n"}); });
  addSizes(all, "MelWeightMatrix", true, [](HostileModel m) {
    return m.integers("d", {257}, true)
        .integers("r", {16000}, true)
        .floats("lo", {0})
        .floats("hi", {8000})
        .node("MelWeightMatrix", {"n", "d", "r", "lo", "hi"});
  });
  addSizes(all, "MelBins", true, [](HostileModel m) {
    return m.integers("d", {8}, true)
        .integers("r", {16000}, true)
        .floats("lo", {0})
        .floats("hi", {8000})
        .node("MelWeightMatrix", {"d", "n", "r", "lo", "hi"});
  });
  addSizes(all, "ScatterND", false, [](HostileModel m) {
    return m.input("x", {4})
        .input("u", {1})
        .integers("s", {1, 1})
        .node("Reshape", {"n", "s"}, "i")
        .node("ScatterND", {"x", "i", "u"});
  });
  addSizes(all, "ScatterElements", false, [](HostileModel m) {
    return m.input("x", {4}).input("u", {1}).node("ScatterElements", {"x", "n", "u"});
  });
  addSizes(all, "GatherND", false, [](HostileModel m) { return m.input("x", {4}).node("GatherND", {"x", "n"}); });
  addSizes(all, "ReverseSequence", false, [](HostileModel m) {
    return m.input("x", {4, 1}).node("ReverseSequence", {"x", "n"});
  });
  addSizes(all, "MaxUnpool", false, [](HostileModel m) {
    return m.input("x", {1, 1, 2, 2})
        .integers("a", {1, 1})
        .node("Concat", {"a", "n", "n"}, "s")
        .number("axis", 0)
        .integers("i", {0, 1, 2, 3})
        .integers("q", {1, 1, 2, 2})
        .node("Reshape", {"i", "q"}, "j")
        .node("MaxUnpool", {"x", "j", "s"})
        .numbers("kernel_shape", {2, 2});
  });
  addSizes(all, "CenterCropPad", false, [](HostileModel m) { return m.input("x", {4}).node("CenterCropPad", {"x", "n"}); });
  addSizes(all, "STFT", true, [](HostileModel m) {
    return m.input("x", {1, 64, 1}).integers("f", {16}, true).node("STFT", {"x", "n", "", "f"});
  });
  addSizes(all, "STFTFrame", true, [](HostileModel m) {
    return m.input("x", {1, 64, 1}).integers("f", {4}, true).node("STFT", {"x", "f", "", "n"});
  });
  addSizes(all, "NonMaxSuppression", false, [](HostileModel m) {
    return m.input("b", {1, 6, 4}).input("s", {1, 2, 6}).node("NonMaxSuppression", {"b", "s", "n"});
  });
  addSizes(all, "EyeLike", false, [](HostileModel m) {
    return m.node("ConstantOfShape", {"n"}, "v").integers("q", {1, -1}).node("Reshape", {"v", "q"}, "w").node("EyeLike", {"w"});
  });
  addSizes(all, "SequenceAt", true, [](HostileModel m) {
    return m.input("x", {4}).node("SequenceConstruct", {"x", "x"}, "s").node("SequenceAt", {"s", "n"});
  });
  addSizes(all, "SplitToSequence", true, [](HostileModel m) {
    return m.input("x", {4}).integers("z", {0}, true).node("SplitToSequence", {"x", "n"}, "s").node("SequenceAt", {"s", "z"});
  });
  addSizes(all, "Col2Im", false, [](HostileModel m) {
    return m.input("x", {1, 4, 1})
        .integers("b", {2, 2})
        .node("Concat", {"n", "n"}, "s")
        .number("axis", 0)
        .node("Col2Im", {"x", "s", "b"});
  });
  addSizes(all, "Div", false, [](HostileModel m) { return m.integers("z", {kLeast}).node("Div", {"z", "n"}); });
  addSizes(all, "Mod", false, [](HostileModel m) { return m.integers("z", {kLeast}).node("Mod", {"z", "n"}); });
  addSizes(all, "BitShift", false, [](HostileModel m) {
    return m.node("Cast", {"n"}, "u")
        .number("to", onnx::TensorProto::UINT64)
        .node("BitShift", {"u", "u"})
        .text("direction", "LEFT");
  });
  for (const float scale : {0.f, -1.f, 1e-9f, 3e4f, 1e9f, 1e19f, 3e38f, std::numeric_limits<float>::infinity(), std::nanf("")})
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      const std::string name = std::string("size_scale_") + mode + "_" + std::to_string(double(scale)).substr(0, 12);
      all.add(name, HostileModel()
                        .input("x", {1, 1, 4, 4})
                        .floats("s", {1, 1, scale, scale})
                        .node("Resize", {"x", "", "s"})
                        .text("mode", mode));
    }
}

} // namespace tests::hostile
