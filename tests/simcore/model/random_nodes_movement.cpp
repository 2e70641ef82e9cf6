#include "tests/simcore/model/random_nodes.h"

namespace tests {

namespace {

std::string any(Draw& d, const Shape& shape) { return d.number("x", shape, d.arithmetic(), -9, 9); }
// Views are read by something that computes, or given as they are.
void outMaybeRead(Draw& d, const std::string& name) {
  if (d.chance(0.5)) return d.net().out("Neg", {name});
  d.net().out(name);
}

void transposition(Draw& d) {
  const Shape s = d.shape(0, 6);
  const std::string x = any(d, s);
  if (d.chance(0.2)) return d.net().out("Transpose", {x});
  d.net().out("Transpose", {x}, attributes({{"perm", d.order(s.size())}}));
}

void reshaping(Draw& d) {
  const Shape s = d.shape(0, 5);
  const std::string x = any(d, s);
  model::GraphBuilder& b = d.net().builder;
  const std::string kind = d.word({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout"});
  if (kind == "Reshape") {
    Shape to = s;
    const auto order = d.order(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) to[i] = s[std::size_t(order[i])];
    if (to.size() > 1 && d.chance(0.5)) {
      to[1] *= to[0];
      to.erase(to.begin());
    }
    bool hasZero = false;
    for (const std::int64_t dim : to) hasZero |= dim == 0;
    if (!to.empty() && !hasZero && d.chance(0.3)) d.oneOf(std::vector{&to.front(), &to.back()})[0] = -1;
    model::Attributes a;
    if (hasZero) a.set("allowzero", std::int64_t(1));
    outMaybeRead(d, b.add(kind, {x, b.constant("to", HostTensor::vector(Integers(to)))}, a));
  } else if (kind == "Flatten") {
    const auto rank = std::int64_t(s.size());
    outMaybeRead(d, b.add(kind, {x}, axis(d.integer(-rank, rank))));
  } else if (kind == "Squeeze") {
    Integers ones;
    for (std::size_t i = 0; i < s.size(); ++i)
      if (s[i] == 1 && d.chance(0.7)) ones.push_back(d.written(i, s.size()));
    std::vector<std::string> inputs{x};
    if (!ones.empty()) inputs.push_back(b.integers(ones));
    outMaybeRead(d, b.add(kind, inputs));
  } else if (kind == "Unsqueeze") {
    const std::size_t more = std::size_t(d.integer(1, 2)), rank = s.size() + more;
    Integers axes = d.order(rank);
    axes.resize(more);
    for (std::int64_t& at : axes) at = d.written(std::size_t(at), rank);
    outMaybeRead(d, b.add(kind, {x, b.integers(axes)}));
  } else {
    outMaybeRead(d, b.add(kind, {x}));
  }
}

void joining(Draw& d) {
  const Shape s = d.shape(1, 4);
  const ElementType elements = d.arithmetic();
  const std::int64_t at = d.axis(s.size());
  std::vector<std::string> inputs;
  for (std::int64_t i = 0, count = d.integer(1, 4); i < count; ++i) {
    Shape part = s;
    part[numerics::normaliseAxis(at, s.size())] = d.chance(0.05) ? 0 : d.size(13);
    inputs.push_back(d.number("x" + std::to_string(i), part, elements, -9, 9));
  }
  d.net().out("Concat", inputs, axis(at));
}

void splitting(Draw& d) {
  const Shape s = d.shape(1, 4);
  const std::int64_t at = d.axis(s.size());
  const std::size_t parts = std::size_t(d.integer(1, 4));
  std::vector<std::string> inputs{any(d, s)};
  const std::int64_t dim = s[numerics::normaliseAxis(at, s.size())];
  if (dim % std::int64_t(parts) != 0 || d.chance(0.6)) {
    Integers sizes;
    std::int64_t left = dim;
    for (std::size_t i = 0; i + 1 < parts; ++i) {
      sizes.push_back(d.integer(0, left));
      left -= sizes.back();
    }
    sizes.push_back(left);
    inputs.push_back(d.net().builder.integers(sizes));
  }
  for (const std::string& part : d.net().builder.addMany("Split", inputs, axis(at), std::vector<bool>(parts, true)))
    outMaybeRead(d, part);
}

void slicing(Draw& d) {
  const Shape s = d.shape(1, 5);
  const std::string x = any(d, s);
  const Integers axes = d.axes(s.size(), false);
  Integers starts, ends, steps;
  for (const std::int64_t at : axes) {
    const std::int64_t dim = s[numerics::normaliseAxis(at, s.size())];
    steps.push_back(d.oneOf(Integers{1, 1, 2, 3, 7, -1, -2, -5}));
    const std::int64_t first = d.integer(0, std::max<std::int64_t>(0, dim - 1)), last = d.integer(first, dim);
    starts.push_back(steps.back() > 0 ? first : last);
    ends.push_back(steps.back() > 0 ? last : first - 1);
    if (ends.back() == -1) ends.back() = -dim - 9;
    if (d.chance(0.2) && starts.back() < dim) starts.back() -= dim;
    if (d.chance(0.2))
      ends.back() = steps.back() > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
  }
  model::GraphBuilder& b = d.net().builder;
  std::vector<std::string> inputs{x, b.integers(starts), b.integers(ends), b.integers(axes)};
  if (d.chance(0.7))
    inputs.push_back(b.integers(steps));
  else
    inputs[1] = b.integers(Integers(axes.size(), 0)), inputs[2] = b.integers(Integers(axes.size(), 3));
  outMaybeRead(d, b.add("Slice", inputs));
}

void padding(Draw& d) {
  const std::string mode = d.word({"constant", "edge", "reflect", "wrap"});
  const Shape s = d.shape(1, 4, mode == "constant");
  const ElementType elements = d.arithmetic();
  const std::string x = d.number("x", s, elements, -9, 9);
  Integers pads;
  for (std::size_t i = 0; i < 2 * s.size(); ++i) {
    const std::int64_t dim = s[i % s.size()];
    const std::int64_t most = mode == "reflect" ? std::min<std::int64_t>(3, dim - 1)
                              : mode == "wrap"  ? std::min<std::int64_t>(dim, 3)
                                                : 3;
    pads.push_back(d.integer(mode == "constant" && dim > 4 ? -2 : 0, most));
  }
  std::vector<std::string> inputs{x, d.net().builder.integers(pads)};
  if (mode == "constant" && d.chance(0.6))
    inputs.push_back(d.net().builder.constant("v", HostTensor::full(elements, {}, double(d.integer(-3, 3)))));
  d.net().out("Pad", inputs, attributes({{"mode", mode}}));
}

void repeating(Draw& d) {
  const Shape s = d.shape(1, 4, true, 300);
  const std::string x = any(d, s);
  if (d.chance(0.5)) {
    Integers times;
    for (std::size_t i = 0; i < s.size(); ++i) times.push_back(d.chance(0.03) ? 0 : d.integer(1, 3));
    return d.net().out("Tile", {x, d.net().builder.integers(times)});
  }
  Shape to = s;
  for (std::int64_t& dim : to)
    if (dim == 1) dim = d.size(7);
  while (d.chance(0.3) && to.size() < 5) to.insert(to.begin(), d.integer(1, 3));
  d.net().out("Expand", {x, d.net().builder.integers(to)});
}

void blocks(Draw& d) {
  const std::int64_t b = d.integer(1, 3), n = d.integer(1, 2), c = d.size(5), h = d.size(7), w = d.size(7);
  if (d.chance(0.5)) return d.net().out("SpaceToDepth", {any(d, {n, c, h * b, w * b})}, attributes({{"blocksize", b}}));
  d.net().out("DepthToSpace", {any(d, {n, c * b * b, h, w})},
              attributes({{"blocksize", b}, {"mode", std::string(d.word({"DCR", "CRD"}))}}));
}

void triangle(Draw& d) {
  const Shape s = d.shape(2, 4);
  std::vector<std::string> inputs{any(d, s)};
  if (d.chance(0.6)) inputs.push_back(d.scalar("k", d.integer(-9, 9)));
  d.net().out("Trilu", inputs, attributes({{"upper", d.flag()}}));
}

void reversing(Draw& d) {
  const Shape s = d.shape(2, 4, false);
  const std::int64_t batch = d.flag();
  d.net().out("ReverseSequence", {any(d, s), d.whole("lengths", {s[std::size_t(batch)]}, 1, s[std::size_t(1 - batch)] + 1)},
              attributes({{"batch_axis", batch}, {"time_axis", 1 - batch}}));
}

void resizing(Draw& d) {
  const bool images = d.chance(0.6);
  Shape s = images ? Shape{d.integer(1, 2), d.size(3), d.size(11), d.size(11)} : d.shape(1, 3, false, 300);
  const std::string mode = d.word({"nearest", "linear", "cubic"});
  model::Attributes a = attributes({{"mode", mode}});
  const std::string coordinates =
      d.word({"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"});
  if (coordinates != "tf_half_pixel_for_nn" || mode == "nearest") a.set("coordinate_transformation_mode", coordinates);
  if (mode == "nearest") a.set("nearest_mode", std::string(d.word({"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})));
  if (mode == "cubic" && d.chance(0.3)) a.set("exclude_outside", std::int64_t(1));
  if (mode == "cubic" && d.chance(0.3)) a.set("cubic_coeff_a", -0.5f);
  std::string region;
  if (a.text("coordinate_transformation_mode", "") == "tf_crop_and_resize") {
    std::vector<float> corners;
    for (std::size_t i = 0; i < 2 * s.size(); ++i) corners.push_back((i < s.size() ? 0 : 1) + float(d.integer(-2, 2)) / 8);
    if (images) corners[0] = corners[1] = 0, corners[4] = corners[5] = 1;
    region = d.net().builder.constant("region", HostTensor::vector(corners));
    a.set("extrapolation_value", 2.5f);
  }
  Integers sizes;
  std::vector<float> scales;
  for (std::size_t i = 0; i < s.size(); ++i) {
    sizes.push_back(images && i < 2 ? s[i] : d.size(17));
    scales.push_back(images && i < 2 ? 1 : float(d.oneOf(Integers{2, 3, 4, 5, 6, 9, 12})) / 4);
    if (s[i] * scales.back() < 1) scales.back() = 1;
  }
  const std::string x = d.real("x", s);
  if (d.chance(0.5)) return d.net().out("Resize", {x, region, "", d.net().builder.integers(sizes)}, a);
  d.net().out("Resize", {x, region, d.net().builder.constant("scales", HostTensor::vector(scales))}, a);
}

void gathering(Draw& d) {
  const Shape s = d.shape(1, 4, false);
  const std::int64_t at = d.axis(s.size()), dim = s[numerics::normaliseAxis(at, s.size())];
  const ElementType places = d.oneOf(std::vector{ElementType::Int64, ElementType::Int32});
  const std::string kind = d.word({"Gather", "GatherElements", "GatherND"});
  const std::string x = any(d, s);
  if (kind == "Gather") return d.net().out(kind, {x, d.whole("i", d.shape(0, 2, true, 60), -dim, dim, places)}, axis(at));
  if (kind == "GatherElements") {
    Shape to = s;
    for (std::int64_t& n : to) n = d.integer(1, n);
    to[numerics::normaliseAxis(at, s.size())] = d.size(31);
    return d.net().out(kind, {x, d.whole("i", to, -dim, dim, places)}, axis(at));
  }
  const std::int64_t batch = d.integer(0, std::int64_t(s.size()) - 1);
  const std::int64_t depth = d.integer(1, std::int64_t(s.size()) - batch);
  Shape to(s.begin(), s.begin() + batch);
  if (to.empty() || d.chance(0.6)) to.push_back(d.size(13));
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < numerics::elementCount(to); ++i)
    for (std::int64_t k = 0; k < depth; ++k) {
      const std::int64_t n = s[std::size_t(batch + k)];
      values.push_back(d.integer(-n, n - 1));
    }
  to.push_back(depth);
  d.net().out(kind, {x, d.operand("i", HostTensor::of(to, values))}, attributes({{"batch_dims", batch}}));
}

void scattering(Draw& d) {
  const Shape s = d.shape(1, 4, false, 400);
  const std::string reduction = d.word({"none", "add", "mul", "max", "min"});
  // If an index may occur twice, the order does not matter; integers keep sums independent of the order, too.
  const bool once = reduction == "none" || reduction == "mul";
  const ElementType elements = d.arithmetic();
  const auto numbers = [&](const char* name, const Shape& shape) {
    return d.operand(name, d.net().whole(shape, -4, 5).cast(elements));
  };
  if (d.chance(0.5)) {
    const std::int64_t at = d.axis(s.size());
    const std::size_t along = numerics::normaliseAxis(at, s.size());
    Shape to = s;
    for (std::int64_t& n : to) n = d.integer(1, n);
    if (!once) to[along] = d.size(17);
    std::vector<std::int64_t> places(std::size_t(numerics::elementCount(to)), 0);
    const Shape strides = numerics::rowMajorStrides(to);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::int64_t row = std::int64_t(i) / strides[along] % to[along];
      places[i] = once ? s[along] - 1 - row : d.integer(-s[along], s[along] - 1);
    }
    return d.net().out("ScatterElements", {numbers("x", s), d.operand("i", HostTensor::of(to, places)), numbers("u", to)},
                       attributes({{"axis", at}, {"reduction", reduction}}));
  }
  const std::int64_t depth = d.integer(1, std::int64_t(s.size()));
  const std::int64_t there = numerics::elementCount(s, 0, std::size_t(depth));
  const std::int64_t count = once ? d.integer(1, std::min<std::int64_t>(there, 20)) : d.size(31);
  Integers places;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t place = once ? there - 1 - i : d.integer(0, there - 1);
    Integers at(std::size_t(depth), 0);
    for (std::size_t k = std::size_t(depth); k-- > 0; place /= s[k]) at[k] = place % s[k];
    for (std::size_t k = 0; k < std::size_t(depth); ++k) places.push_back(d.chance(0.2) ? at[k] - s[k] : at[k]);
  }
  Shape updates{count};
  updates.insert(updates.end(), s.begin() + depth, s.end());
  d.net().out("ScatterND", {numbers("x", s), d.operand("i", HostTensor::of({count, depth}, places)), numbers("u", updates)},
              attributes({{"reduction", reduction}}));
}

void oneHot(Draw& d) {
  const Shape s = d.shape(0, 3, true, 100);
  const std::int64_t depth = d.size(17);
  d.net().out("OneHot",
              {d.whole("i", s, -depth - 1, depth + 1), d.scalar("depth", depth), d.number("v", {2}, d.arithmetic(), -9, 9)},
              axis(d.axis(s.size() + 1)));
}

} // namespace

std::vector<RandomFamily> randomMovements() {
  return {transposition, reshaping, joining,  splitting, slicing,   slicing,   padding,    repeating,  blocks,
          triangle,      reversing, resizing, resizing,  gathering, gathering, scattering, scattering, oneHot};
}

} // namespace tests
