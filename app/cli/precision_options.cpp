#include "app/cli/precision_options.h"

#include "reports/core/error.h"

namespace app::cli {

namespace {
constexpr const char* kEightBits = "8-bit floats";
// Powers of 2 for which F143's range, 2^-10 to 240, stays within that of a half.
constexpr int kLeastScale = -14, kMostScale = 8;
constexpr int kLongestHistory = 1024;
} // namespace

void declarePrecisionOptions(Options& command, std::string& precision, WorkloadRequest& request) {
  command
      .addOption("--precision", precision,
                 "fp32, fp16 or fp8 (fp16, but convolutions and products with constant weights read F143; machine c600); of a "
                 "sample with a parameter `type` its default")
      .check(isOneOf({"fp32", "fp16", "fp8"}))
      .each([&request](const std::string&) { request.precisionGiven = true; })
      .showDefault();
  command
      .addOption("--fp8-scale", request.fp8Scale,
                 "with --precision fp8: activations are stored in units of 2 to this power; the largest value is 240 units")
      .check(isInRange(kLeastScale, kMostScale))
      .each([&request](const std::string&) { request.fp8Given = true; })
      .showDefault()
      .group(kEightBits);
  command
      .addOption(
          "--fp8-history", request.fp8History,
          "with --precision fp8 in training: each tensor has its own scale, a power of two for its largest value in this number "
          "of last updates; 0: scales stay as they are")
      .check(isInRange(0, kLongestHistory))
      .showDefault()
      .group(kEightBits);
  command
      .addFlag("--unit-scaling", request.parallel.unitScaling,
               "of a dense network or transformer in training: factors of products and gradients keep weights, activations and "
               "gradients near unit variance, without a loss scale")
      .group(kEightBits);
  command.addOption("--fp8-skip", request.fp8Skipped, "with --precision fp8: a node that stays in fp16; may be repeated")
      .oneValueEach()
      .group(kEightBits);
}

void readPrecision(const std::string& precision, WorkloadRequest& request) {
  request.half = precision == "fp16" || precision == "fp8";
  request.parallel.quarter.reset();
  if (precision == "fp8") {
    request.parallel.quarter =
        simcore::model::QuarterProducts{request.fp8Scale, {request.fp8Skipped.begin(), request.fp8Skipped.end()}};
    request.parallel.quarter->history = request.fp8History;
  } else if (request.fp8Given || !request.fp8Skipped.empty() || request.fp8History > 0) {
    throw reports::Error(reports::ErrorCode::InvalidInput, "this option is for 8-bit floats",
                         request.fp8Given         ? "--fp8-scale"
                         : request.fp8History > 0 ? "--fp8-history"
                                                  : "--fp8-skip",
                         "add --precision fp8");
  }
}

} // namespace app::cli
