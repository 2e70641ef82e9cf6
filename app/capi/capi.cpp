// The functions of tilescope.h, implemented with Session. Each turns any exception into the error text of its thread.
#include "app/capi/session.h"
#include "app/capi/tilescope.h"
#include "reports/core/option.h"
#include "simcore/onnx/onnx_file.h"

#include <new>

struct tilescope_session {
  app::capi::Session session;
};

namespace {

using app::capi::Port;

std::string& lastError() {
  thread_local std::string text;
  return text;
}

// The result of `work`, or `failed` if it throws.
template<class Result, class Work> Result guarded(Result failed, Work&& work) noexcept {
  try {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      lastError() = "out of memory";
    } catch (const std::exception& error) {
      lastError() = reports::withOptionNames(error.what());
    } catch (...) {
      lastError() = "internal error";
    }
  } catch (...) { // no memory for the text itself
  }
  return failed;
}

template<class Work> int done(tilescope_session* session, Work&& work) noexcept {
  return guarded(1, [&] {
    if (!session) throw reports::Error(reports::ErrorCode::InvalidInput, "the session is null");
    work(session->session);
    return 0;
  });
}

template<class Result, class Work> Result asked(tilescope_session* session, Result failed, Work&& work) noexcept {
  return guarded(failed, [&] {
    if (!session) throw reports::Error(reports::ErrorCode::InvalidInput, "the session is null");
    return work(session->session);
  });
}

std::string text(const char* given, const char* what) {
  if (!given) throw reports::Error(reports::ErrorCode::InvalidInput, std::string(what) + " is null");
  return given;
}

const void* memory(const void* given, std::size_t bytes, const char* what) {
  if (!given && bytes > 0) throw reports::Error(reports::ErrorCode::InvalidInput, std::string(what) + " is null");
  return given;
}
void* memory(void* given, std::size_t bytes, const char* what) {
  memory(static_cast<const void*>(given), bytes, what);
  return given;
}

void describe(const Port& port, tilescope_tensor* tensor) {
  if (!tensor) throw reports::Error(reports::ErrorCode::InvalidInput, "the tensor to fill is null");
  *tensor = {port.name.c_str(),
             int32_t(simcore::model::onnxTypeOf(port.type)),
             int32_t(port.shape.size()),
             port.shape.data(),
             port.bytes(),
             port.transfers,
             int32_t(port.kind)};
}

void describe(const std::vector<Port>& ports, int64_t index, tilescope_tensor* tensor) {
  if (index < 0 || index >= int64_t(ports.size()))
    throw reports::Error(reports::ErrorCode::NotFound, "the index is out of range: the count is " + std::to_string(ports.size()),
                         "index " + std::to_string(index));
  describe(ports[std::size_t(index)], tensor);
}

} // namespace

extern "C" {

int tilescope_api_version(void) { return TILESCOPE_API_VERSION; }
const char* tilescope_version(void) { return TILESCOPE_VERSION; }
const char* tilescope_last_error(void) { return lastError().c_str(); }

tilescope_session* tilescope_open(const void* onnx, size_t bytes, const char* name) {
  return guarded<tilescope_session*>(nullptr, [&] {
    const std::string file(static_cast<const char*>(memory(onnx, bytes, "the model")), bytes);
    // A folder that does not exist: models given as bytes must not read external data files.
    return new tilescope_session{app::capi::Session(simcore::model::parseOnnx(file, text(name, "the name"), "/nonexistent"))};
  });
}

tilescope_session* tilescope_open_file(const char* path) {
  return guarded<tilescope_session*>(
      nullptr, [&] { return new tilescope_session{app::capi::Session(simcore::model::readOnnx(text(path, "the path")))}; });
}

void tilescope_close(tilescope_session* session) { delete session; }

int tilescope_set(tilescope_session* session, const char* option, const char* value) {
  return done(session, [&](auto& s) { s.set(text(option, "the option"), text(value, "the value")); });
}

int tilescope_compile(tilescope_session* session) {
  return done(session, [](auto& s) { s.compile(); });
}

int64_t tilescope_input_count(tilescope_session* session) {
  return asked<int64_t>(session, -1, [](auto& s) { return int64_t(s.inputs().size()); });
}
int64_t tilescope_output_count(tilescope_session* session) {
  return asked<int64_t>(session, -1, [](auto& s) { return int64_t(s.outputs().size()); });
}
int64_t tilescope_weight_count(tilescope_session* session) {
  return asked<int64_t>(session, -1, [](auto& s) { return int64_t(s.weights().size()); });
}
int tilescope_input(tilescope_session* session, int64_t index, tilescope_tensor* tensor) {
  return done(session, [&](auto& s) { describe(s.inputs(), index, tensor); });
}
int tilescope_output(tilescope_session* session, int64_t index, tilescope_tensor* tensor) {
  return done(session, [&](auto& s) { describe(s.outputs(), index, tensor); });
}
int tilescope_weight(tilescope_session* session, int64_t index, tilescope_tensor* tensor) {
  return done(session, [&](auto& s) { describe(s.weights(), index, tensor); });
}

int tilescope_value(tilescope_session* session, const char* name, tilescope_tensor* tensor) {
  return done(session, [&](auto& s) { describe(s.value(text(name, "the name")), tensor); });
}

int tilescope_write_input(tilescope_session* session, const char* name, const void* data, size_t bytes) {
  return done(session, [&](auto& s) { s.writeInput(text(name, "the name"), memory(data, bytes, "the buffer"), bytes); });
}
int tilescope_run(tilescope_session* session) {
  return done(session, [](auto& s) { s.run(); });
}
int tilescope_read_output(tilescope_session* session, const char* name, void* data, size_t bytes) {
  return done(session, [&](auto& s) { s.readOutput(text(name, "the name"), memory(data, bytes, "the buffer"), bytes); });
}

int tilescope_read_weight(tilescope_session* session, const char* name, void* data, size_t bytes) {
  return done(session, [&](auto& s) { s.readWeight(text(name, "the name"), memory(data, bytes, "the buffer"), bytes); });
}
int tilescope_write_weight(tilescope_session* session, const char* name, const void* data, size_t bytes) {
  return done(session, [&](auto& s) { s.writeWeight(text(name, "the name"), memory(data, bytes, "the buffer"), bytes); });
}
int tilescope_save_model(tilescope_session* session, const char* path) {
  return done(session, [&](auto& s) { s.saveModel(text(path, "the path")); });
}

int64_t tilescope_cycles(tilescope_session* session) {
  return asked<int64_t>(session, -1, [](auto& s) { return s.cycles(); });
}
int64_t tilescope_run_cycles(tilescope_session* session) {
  return asked<int64_t>(session, -1, [](auto& s) { return s.runCycles(); });
}
double tilescope_clock(tilescope_session* session) {
  return asked<double>(session, -1, [](auto& s) { return s.clock(); });
}

const char* tilescope_note(tilescope_session* session, int64_t index) {
  return asked<const char*>(session, nullptr, [&](auto& s) {
    return index >= 0 && index < int64_t(s.notes().size()) ? s.notes()[std::size_t(index)].c_str() : nullptr;
  });
}
int tilescope_report(tilescope_session* session, const char* path) {
  return done(session, [&](auto& s) { s.writeReport(text(path, "the path")); });
}

} // extern "C"
