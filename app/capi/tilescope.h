// The C interface of Tilescope: compile an ONNX model for a simulated machine and run it, in a session that keeps weights,
// optimiser state and random state between calls.
//
// Errors: a function that only reports success returns 0, or 1 on an error. A function that returns a pointer returns null on an
// error. Counts, cycles and the clock are -1 on an error. tilescope_last_error() gives the text of the last error of the calling
// thread. No exception leaves the library.
// Threads: only one thread at a time may use a session; different sessions may be used by different threads. A run uses all
// processors.
// Memory: names, shapes and texts that a session returns are valid until the next call with this session. Buffers of the caller
// are read or written only during the call.
// Versions: tilescope_api_version() grows when functions are added. The library's soname changes when a function changes or is
// removed.
#ifndef TILESCOPE_H
#define TILESCOPE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TILESCOPE_API_VERSION 1

/* The versions of the loaded library. */
int tilescope_api_version(void);
const char* tilescope_version(void);
/* "" before the first error of this thread. */
const char* tilescope_last_error(void);

typedef struct tilescope_session tilescope_session;

/* Opens a model from the bytes of an ONNX file (.onnx), which are copied. `name` replaces the file's name in messages and in the
   report. External data is not read. Null if the bytes are not an ONNX model. */
tilescope_session* tilescope_open(const void* onnx, size_t bytes, const char* name);
/* Opens a model from a file. External data is read from the file's folder. */
tilescope_session* tilescope_open_file(const char* path);
/* Ends a session. First writes the reports that POPLAR_ENGINE_OPTIONS requests (autoReport.all, autoReport.directory), unless
   they are already written. `session` may be null. */
void tilescope_close(tilescope_session* session);

/* Sets an option by its name on the command line of `tilescope-cli run`, without the dashes: machine, ipus, replicas, precision,
   seed, pipeline, shard, accumulation, batches-per-step, recompute, train, loss, loss-output, optimiser, learning-rate … A flag
   has the value "1" or "0". These options exist only here:
     anchor              all, final, sum or every:N: which values of an output leave the machine (training)
     reduction           mean or sum: how gradients of micro-batches and replicas are combined
     loss-scale, automatic-loss-scale, clip-norm, beta1, beta2, nesterov, no-bias-correction
     centred, tensorflow-variant, decay-beside   for rmsprop; decay-beside also for adagrad
     gradient-of         a value whose gradient becomes an output, called Gradient___NAME; may be repeated
     group               NUMBER:NAME=VALUE: sets a value of a group of parameters with separate optimiser values. Groups count
                         from 0. NAME is parameter (VALUE joins the group), learning-rate, weight-decay, momentum, nesterov,
                         beta1, beta2 or epsilon
     report-folder       a folder below autoReport.directory, for a process with several sessions
     profiled-runs       number of runs that the report describes (default: 2)
   An option that may be repeated (parameters, freeze, buffers, shape, checkpoint, engine-option, …) gets one more value at each
   call; the value "" removes all of them. After a compilation, a new learning rate (also of a group) applies from the next run
   on. After any other change, the next run compiles again and keeps weights and optimiser state. */
int tilescope_set(tilescope_session* session, const char* option, const char* value);

/* Plans and compiles. Fails if the model does not fit; tilescope_report() then shows why. */
int tilescope_compile(tilescope_session* session);

/* Describes an input, an output, a weight or another value. `type` is a number of ONNX's TensorProto.DataType: 1 float, 6 int32,
   7 int64, 9 bool, 10 half, 11 double. */
typedef struct tilescope_tensor {
  const char* name;
  int32_t type;
  int32_t rank;
  const int64_t* shape; /* of one transfer, or of a weight */
  int64_t bytes;        /* of one transfer, or of a weight */
  int64_t transfers;    /* in one run: batches x micro-batches x replicas, in this order; replicas vary fastest */
  int32_t kind;         /* of a weight: 0 parameter, 1 running statistic, 2 optimiser state, 3 constant of the model */
} tilescope_tensor;

/* Inputs, outputs and weights by index. Inputs and outputs are those of the compiled model: these functions compile if needed.
   Counts are -1 on an error. */
int64_t tilescope_input_count(tilescope_session* session);
int64_t tilescope_output_count(tilescope_session* session);
int64_t tilescope_weight_count(tilescope_session* session);
int tilescope_input(tilescope_session* session, int64_t index, tilescope_tensor* tensor);
int tilescope_output(tilescope_session* session, int64_t index, tilescope_tensor* tensor);
int tilescope_weight(tilescope_session* session, int64_t index, tilescope_tensor* tensor);

/* Describes any value of the model by its name, without a compilation: type and shape are those that the model itself gives. */
int tilescope_value(tilescope_session* session, const char* name, tilescope_tensor* tensor);

/* Sets the values of an input for the next run and all later ones. The buffer has `transfers` x `bytes` of its tensor. */
int tilescope_write_input(tilescope_session* session, const char* name, const void* data, size_t bytes);
/* Compiles if needed, and runs the program once. */
int tilescope_run(tilescope_session* session);
/* Reads the values of an output from the last run. The buffer has `transfers` x `bytes` of its tensor. */
int tilescope_read_output(tilescope_session* session, const char* name, void* data, size_t bytes);

/* Weights and optimiser state by name. If a constant of the model (kind 3) gets another value, the next run compiles again. */
int tilescope_read_weight(tilescope_session* session, const char* name, void* data, size_t bytes);
int tilescope_write_weight(tilescope_session* session, const char* name, const void* data, size_t bytes);
/* Writes the model as an .onnx file with its current weights. */
int tilescope_save_model(tilescope_session* session, const char* path);

/* Simulated cycles of all runs since the last compilation, and of the last run; -1 before. */
int64_t tilescope_cycles(tilescope_session* session);
int64_t tilescope_run_cycles(tilescope_session* session);
/* Clock of the machine in Hz; -1 before the compilation. */
double tilescope_clock(tilescope_session* session);

/* Notes of the compilation by index, e.g. about engine options without effect; null after the last one. */
const char* tilescope_note(tilescope_session* session, int64_t index);
/* Writes a complete report of the program and its profiled runs, at any time after the compilation. */
int tilescope_report(tilescope_session* session, const char* path);

#ifdef __cplusplus
}
#endif

#endif
