// Work that does not end.
#include "tests/app/hostile/hostile_model.h"

namespace tests::hostile {

void addWork(Collection& all) {
  for (const std::int64_t count : {std::int64_t(3), std::int64_t(40), std::int64_t(10'000), std::int64_t(100'000'000), kHuge,
                                   kMost, std::int64_t(-1), kLeast})
    for (const char* type : {"Relu", "Concat", "Add"})
      for (const bool scans : {false, true}) {
        const std::string name = std::string("work_loop_") + type + (scans ? "_scan_" : "_") + nameOf(count);
        auto m = condition(HostileModel().input("x", {4}).integers("n", {count}, true))
                     .node("Loop", {"n", "t", "x"})
                     .subgraph("body", loopBody(type, scans));
        if (scans) m.graph()->mutable_node(0)->add_output("all");
        all.add(name, m);
        if (std::string(type) == "Relu" && !scans) {
          auto folded = condition(HostileModel().floats("x", {1, 2}).integers("n", {count}, true))
                            .node("Loop", {"n", "t", "x"})
                            .subgraph("body", loopBody(type, scans));
          all.add("work_loop_constant_" + nameOf(count), folded);
        }
      }
  all.add("work_loop_endless",
          condition(HostileModel().input("x", {4})).node("Loop", {"", "t", "x"}).subgraph("body", loopBody("Relu", false)));
  // constants: all of it would be done before the run
  const auto constants = [&](const std::string& name, const Integers& a, const Integers& b, const char* type, auto&& more) {
    HostileModel m;
    m.zeros("a", a);
    if (!b.empty()) m.zeros("b", b);
    m.node(type, b.empty() ? Names{"a"} : Names{"a", "b"});
    more(m);
    all.add("work_constant_" + name, m);
    HostileModel run;
    run.input("a", a);
    if (!b.empty()) run.input("b", b);
    run.node(type, b.empty() ? Names{"a"} : Names{"a", "b"});
    more(run);
    all.add("work_run_" + name, run);
  };
  const auto none = [](HostileModel&) {};
  constants("matmul_8k", {8192, 8192}, {8192, 8192}, "MatMul", none);
  constants("matmul_16k", {16384, 16384}, {16384, 1}, "MatMul", none);
  constants("matmul_thin", {1 << 14, 1}, {1, 1 << 14}, "MatMul", none);
  constants("matmul_batches", {1 << 18, 4, 4}, {1 << 18, 4, 4}, "MatMul", none);
  constants("matmul_inner", {1, 1 << 28}, {1 << 28, 1}, "MatMul", none);
  constants("conv_big", {1, 1, 8000, 8000}, {1, 1, 101, 101}, "Conv", none);
  constants("conv_batch", {1 << 20, 1, 4, 4}, {1, 1, 3, 3}, "Conv", none);
  constants("conv_whole", {1, 1, 3000, 3000}, {1, 1, 1500, 1500}, "Conv", none);
  constants("conv_padded", {1, 1, 8, 8}, {1, 1, 3, 3}, "Conv", [](HostileModel& m) {
    m.numbers("pads", {20000, 20000, 20000, 20000});
  });
  constants("conv_dilated", {1, 1, 60000, 1000}, {1, 1, 3, 3}, "Conv", [](HostileModel& m) {
    m.numbers("dilations", {20000, 400});
  });
  constants("conv_transposed", {1, 1, 200, 200}, {1, 1, 3, 3}, "ConvTranspose", [](HostileModel& m) {
    m.numbers("strides", {100, 100});
  });
  constants("conv_channels", {1, 1 << 14, 1, 1}, {1 << 14, 1 << 14, 1, 1}, "Conv", none);
  constants("pool_whole", {1, 1, 4000, 4000}, {}, "MaxPool", [](HostileModel& m) { m.numbers("kernel_shape", {1000, 1000}); });
  constants("pool_average", {1, 1, 4000, 4000}, {}, "AveragePool", [](HostileModel& m) {
    m.numbers("kernel_shape", {1000, 1000});
  });
  constants("pool_lp", {1, 1, 4000, 4000}, {}, "LpPool", [](HostileModel& m) { m.numbers("kernel_shape", {1000, 1000}); });
  constants("det", {6000, 6000}, {}, "Det", none);
  constants("einsum", {2000, 2000}, {2000, 2000}, "Einsum", [](HostileModel& m) { m.text("equation", "ij,kl->il"); });
  constants("einsum_outer", {1 << 14}, {1 << 14}, "Einsum", [](HostileModel& m) { m.text("equation", "i,j->"); });
  constants("einsum_many", {64, 64, 64}, {64, 64, 64}, "Einsum", [](HostileModel& m) { m.text("equation", "abc,def->af"); });
  constants("softmax", {1 << 27}, {}, "Softmax", none);
  constants("exp", {1 << 27}, {}, "Exp", none);
  constants("erf", {1 << 28}, {}, "Erf", none);
  constants("unique", {1 << 25}, {}, "Unique", none);
  constants("nonzero", {1 << 27}, {}, "NonZero", none);
  constants("transpose", {1 << 13, 1 << 13}, {}, "Transpose", none);
  constants("lrn", {1, 1 << 14, 16, 16}, {}, "LRN", [](HostileModel& m) { m.number("size", (1 << 14) - 1); });
  constants("dft", {1, 1 << 24, 1}, {}, "DFT", none);
  constants("broadcast", {1 << 14, 1}, {1, 1 << 14}, "Add", none);
  constants("pow", {1 << 14, 1}, {1, 1 << 13}, "Pow", none);
  constants("hardmax", {1 << 26, 1}, {}, "Hardmax", none);
  constants("normalise", {1, 1 << 26}, {}, "LpNormalization", none);
  constants("mean_variance", {1, 16, 1 << 12, 1 << 10}, {}, "MeanVarianceNormalization", none);
  constants("grid", {1, 1, 64, 64}, {1, 6000, 6000, 2}, "GridSample", none);
  constants("gather", {1 << 16, 16}, {}, "Shape", none);
  all.add("work_topk", HostileModel().input("x", {1 << 26}).integers("k", {1 << 26}).node("TopK", {"x", "k"}));
  all.add("work_cumsum", HostileModel().input("x", {1 << 26}).integers("k", {0}, true).node("CumSum", {"x", "k"}));
  // nodes that are affordable one by one
  for (const char* type : {"TopK", "Unique", "NonZero", "CumSum"}) {
    HostileModel chain;
    chain.input("v0", {100, 100'000}).integers("k", {std::string(type) == "CumSum" ? 1 : 100'000});
    for (int i = 0; i < 400; ++i) {
      const std::string x = "v" + std::to_string(i);
      const bool hasParameter = std::string(type) == "TopK" || std::string(type) == "CumSum";
      chain.node(type, hasParameter ? Names{x, "k"} : Names{x}, i == 399 ? "y" : "v" + std::to_string(i + 1));
    }
    all.add("work_chain_" + std::string(type), chain);
  }
  all.add("work_nms", HostileModel()
                          .input("b", {1, 200'000, 4})
                          .input("s", {1, 8, 200'000})
                          .integers("n", {200'000})
                          .node("NonMaxSuppression", {"b", "s", "n"}));
  all.add("work_nms_constant", HostileModel()
                                   .zeros("b", {1, 100'000, 4})
                                   .zeros("s", {1, 8, 100'000})
                                   .integers("n", {100'000})
                                   .node("NonMaxSuppression", {"b", "s", "n"}));
  all.add("work_lstm", HostileModel()
                           .input("x", {100'000, 1, 4})
                           .zeros("w", {1, 16, 4})
                           .zeros("r", {1, 16, 4})
                           .node("LSTM", {"x", "w", "r"})
                           .number("hidden_size", 4));
  all.add("work_gru", HostileModel()
                          .input("x", {4'000'000, 1, 1})
                          .zeros("w", {1, 3, 1})
                          .zeros("r", {1, 3, 1})
                          .node("GRU", {"x", "w", "r"})
                          .number("hidden_size", 1));
  all.add("work_rnn_constant", HostileModel()
                                   .zeros("x", {4'000'000, 1, 1})
                                   .zeros("w", {1, 1, 1})
                                   .zeros("r", {1, 1, 1})
                                   .node("RNN", {"x", "w", "r"})
                                   .number("hidden_size", 1));
  all.add("work_rnn_wide", HostileModel()
                               .input("x", {1, 1, 4})
                               .zeros("w", {1, 20'000, 4})
                               .zeros("r", {1, 20'000, 20'000})
                               .node("RNN", {"x", "w", "r"})
                               .number("hidden_size", 20'000));
  all.add("work_roi", HostileModel()
                          .input("x", {1, 64, 64, 64})
                          .zeros("r", {10'000, 4})
                          .integers("s", {10'000})
                          .node("ConstantOfShape", {"s"}, "f")
                          .node("Cast", {"f"}, "i")
                          .number("to", onnx::TensorProto::INT64)
                          .node("RoiAlign", {"x", "r", "i"})
                          .number("output_height", 100)
                          .number("output_width", 100)
                          .number("sampling_ratio", 100));
  all.add("work_scatter", HostileModel()
                              .input("x", {1 << 24})
                              .zeros("f", {1 << 24})
                              .node("Cast", {"f"}, "i")
                              .number("to", onnx::TensorProto::INT64)
                              .node("ScatterElements", {"x", "i", "x"}));
  all.add(
      "work_onehot",
      HostileModel().zeros("f", {1 << 16}).integers("d", {1 << 16}, true).floats("v", {0, 1}).node("OneHot", {"f", "d", "v"}));
  all.add("work_col2im", HostileModel()
                             .input("x", {1, 10'000, 10'000})
                             .integers("s", {199, 199})
                             .integers("b", {100, 100})
                             .node("Col2Im", {"x", "s", "b"}));
  all.add("work_attention", HostileModel()
                                .input("x", {1, 1 << 18, 64})
                                .node("Transpose", {"x"}, "t")
                                .numbers("perm", {0, 2, 1})
                                .node("MatMul", {"x", "t"}, "s")
                                .node("Softmax", {"s"}, "p")
                                .node("MatMul", {"p", "x"}));
  all.add("work_layers", chain(HostileModel().input("x", {64, 64}), "x", 400,
                               [](HostileModel& m, const std::string& from, const std::string& to) {
                                 m.node("MatMul", {from, from}, to);
                               }));
  all.add("work_strings",
          chain(HostileModel().input("x", {4}), "x", 100, [](HostileModel& m, const std::string& from, const std::string& to) {
            m.node("Relu", {from}, to).text("note", std::string(100'000, 'n'));
          }));
}

} // namespace tests::hostile
