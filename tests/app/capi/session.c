/* The C interface from C: a model of one weight is trained, its weights are read and written, a report is left, and what is wrong is said.
   Usage: test_capi MODEL.onnx FOLDER. The model has y = x * w with x [2], w [2] and the loss l = sum(y). */
#include "app/capi/tilescope.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char* what, int line) {
  if (holds) return;
  fprintf(stderr, "FAIL line %d: %s (%s)\n", line, what, tilescope_last_error());
  ++failures;
}
#define CHECK(condition) check((condition) != 0, #condition, __LINE__)
#define DONE(call) check((call) == 0, #call, __LINE__)

/* The file as `bytes`; null if there is none. */
static char* contents(const char* path, size_t* bytes) {
  FILE* file = fopen(path, "rb");
  char* data = NULL;
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  data = malloc(*bytes);
  if (fread(data, 1, *bytes, file) != *bytes) *bytes = 0;
  fclose(file);
  return data;
}

static int isNear(float a, double b) { return fabs((double)a - b) < 1e-5; }

static void inference(const void* model, size_t bytes) {
  const float x[2] = {2, 3}, three[2] = {3, 3};
  float y[2] = {0, 0}, w[2] = {0, 0};
  tilescope_tensor tensor;
  tilescope_session* session = tilescope_open(model, bytes, "product");
  CHECK(session != NULL);
  DONE(tilescope_value(session, "y", &tensor));
  CHECK(tensor.rank == 1 && tensor.shape[0] == 2 && tensor.type == 1);
  CHECK(tilescope_run_cycles(session) == -1);
  DONE(tilescope_compile(session));
  CHECK(tilescope_input_count(session) == 1 && tilescope_output_count(session) == 2);
  DONE(tilescope_input(session, 0, &tensor));
  CHECK(strcmp(tensor.name, "x") == 0 && tensor.bytes == 8 && tensor.transfers == 1);
  CHECK(tilescope_run(session) != 0 && strstr(tilescope_last_error(), "has no value") != NULL);
  DONE(tilescope_write_input(session, "x", x, sizeof x));
  DONE(tilescope_run(session));
  DONE(tilescope_read_output(session, "y", y, sizeof y));
  CHECK(isNear(y[0], 2) && isNear(y[1], 3));
  CHECK(tilescope_run_cycles(session) > 0 && tilescope_run_cycles(session) == tilescope_cycles(session));
  /* A constant of the program: it is compiled again, and the input stays. */
  DONE(tilescope_write_weight(session, "w", three, sizeof three));
  DONE(tilescope_run(session));
  DONE(tilescope_read_output(session, "y", y, sizeof y));
  CHECK(isNear(y[0], 6) && isNear(y[1], 9));
  DONE(tilescope_read_weight(session, "w", w, sizeof w));
  CHECK(isNear(w[0], 3));
  tilescope_close(session);
}

/* d l / d w = x, so momentum gives w = 1 - 0.1 (1 + 1.9) x after two steps; the velocity stays when another option changes. */
static void training(const void* model, size_t bytes, const char* folder) {
  char path[4096];
  const float x[2] = {1, 2};
  float w[2] = {0, 0}, g[2] = {0, 0};
  int64_t i, states = 0;
  tilescope_tensor tensor;
  tilescope_session* session = tilescope_open(model, bytes, "product");
  DONE(tilescope_set(session, "train", "1"));
  DONE(tilescope_set(session, "loss", "output"));
  DONE(tilescope_set(session, "output", "l"));
  DONE(tilescope_set(session, "momentum", "0.9"));
  DONE(tilescope_set(session, "learning-rate", "0.1"));
  DONE(tilescope_set(session, "gradient-of", "w"));
  DONE(tilescope_write_input(session, "x", x, sizeof x));
  DONE(tilescope_run(session));
  DONE(tilescope_run(session));
  DONE(tilescope_read_weight(session, "w", w, sizeof w));
  CHECK(isNear(w[0], 0.71) && isNear(w[1], 0.42));
  DONE(tilescope_read_output(session, "Gradient___w", g, sizeof g));
  CHECK(isNear(g[0], 1) && isNear(g[1], 2));
  for (i = 0; i < tilescope_weight_count(session); ++i) {
    DONE(tilescope_weight(session, i, &tensor));
    states += tensor.kind == 2;
    if (strcmp(tensor.name, "w") == 0) CHECK(tensor.kind == 0);
  }
  CHECK(states == 2); /* the velocity and the rate */
  /* The rate changes in the program, a weight decay of nothing compiles it again: velocity 2.71 x. */
  DONE(tilescope_set(session, "learning-rate", "0.01"));
  DONE(tilescope_set(session, "weight-decay", "0"));
  DONE(tilescope_run(session));
  DONE(tilescope_read_weight(session, "w", w, sizeof w));
  CHECK(isNear(w[0], 0.71 - 0.0271));
  snprintf(path, sizeof path, "%s/trained.tsr", folder);
  DONE(tilescope_report(session, path));
  snprintf(path, sizeof path, "%s/trained.onnx", folder);
  DONE(tilescope_save_model(session, path));
  tilescope_close(session);
  session = tilescope_open_file(path);
  DONE(tilescope_read_weight(session, "w", w, sizeof w));
  CHECK(isNear(w[0], 0.6829));
  tilescope_close(session);
}

/* Two updates of two micro-batches in a run, whose gradients are added up: 8 values, in order. */
static void batches(const void* model, size_t bytes) {
  const float x[8] = {1, 0, 2, 0, 3, 0, 4, 0};
  float l[4] = {0, 0, 0, 0}, w[2] = {0, 0};
  tilescope_session* session = tilescope_open(model, bytes, "product");
  DONE(tilescope_set(session, "train", "1"));
  DONE(tilescope_set(session, "loss", "output"));
  DONE(tilescope_set(session, "output", "l"));
  DONE(tilescope_set(session, "learning-rate", "0.1"));
  DONE(tilescope_set(session, "accumulation", "2"));
  DONE(tilescope_set(session, "batches-per-step", "2"));
  DONE(tilescope_set(session, "reduction", "sum"));
  CHECK(tilescope_write_input(session, "x", x, 8) != 0 && strstr(tilescope_last_error(), "4 values") != NULL);
  DONE(tilescope_write_input(session, "x", x, sizeof x));
  DONE(tilescope_run(session));
  DONE(tilescope_read_output(session, "l", l, sizeof l));
  CHECK(isNear(l[0], 1) && isNear(l[1], 2) && isNear(l[2], 3 * 0.7) && isNear(l[3], 4 * 0.7));
  DONE(tilescope_read_weight(session, "w", w, sizeof w));
  CHECK(isNear(w[0], 0));
  DONE(tilescope_set(session, "anchor", "final"));
  DONE(tilescope_run(session));
  DONE(tilescope_read_output(session, "l", l, sizeof *l));
  CHECK(isNear(l[0], 4 * -0.3));
  tilescope_close(session);
}

static void refusals(const void* model, size_t bytes) {
  tilescope_tensor tensor;
  tilescope_session* session;
  CHECK(tilescope_open("no model", 8, "text") == NULL && strstr(tilescope_last_error(), "text") != NULL);
  CHECK(tilescope_open(NULL, 8, "null") == NULL);
  CHECK(tilescope_open_file("there-is-no-such-file.onnx") == NULL);
  CHECK(tilescope_run(NULL) != 0 && tilescope_input_count(NULL) == -1 && tilescope_note(NULL, 0) == NULL);
  session = tilescope_open(model, bytes, "product");
  CHECK(tilescope_set(session, "no-such-option", "1") != 0 && strstr(tilescope_last_error(), "no-such-option") != NULL);
  CHECK(tilescope_set(session, "machine", NULL) != 0);
  CHECK(tilescope_report(session, "early.tsr") != 0);
  CHECK(tilescope_weight(session, 7, &tensor) != 0);
  DONE(tilescope_set(session, "machine", "no-such-machine"));
  CHECK(tilescope_compile(session) != 0);
  DONE(tilescope_set(session, "machine", "gc200"));
  DONE(tilescope_compile(session)); /* an error leaves the session usable */
  tilescope_close(session);
  tilescope_close(NULL);
}

/* Sessions of two threads: each has values and a last error of its own. */
typedef struct worker {
  const void* model;
  size_t bytes;
  float factor, y[2];
  int failed;
  char error[256];
} worker;

static void* work(void* given) {
  worker* own = given;
  int step;
  tilescope_session* session = tilescope_open(own->model, own->bytes, "product");
  own->failed = session == NULL;
  for (step = 0; step < 20 && !own->failed; ++step) {
    float x[2];
    x[0] = own->factor * (float)step;
    x[1] = own->factor;
    own->failed = tilescope_write_input(session, "x", x, sizeof x) || tilescope_run(session) ||
                  tilescope_read_output(session, "y", own->y, sizeof own->y) || !isNear(own->y[0], x[0]) || !isNear(own->y[1], x[1]);
  }
  if (own->factor > 1) tilescope_set(session, "no-such-option", "1");
  strncpy(own->error, tilescope_last_error(), sizeof own->error - 1);
  tilescope_close(session);
  return NULL;
}

static void threads(const void* model, size_t bytes) {
  worker workers[2];
  pthread_t running[2];
  int i;
  memset(workers, 0, sizeof workers);
  for (i = 0; i < 2; ++i) {
    workers[i].model = model;
    workers[i].bytes = bytes;
    workers[i].factor = (float)(i + 1);
    CHECK(pthread_create(&running[i], NULL, work, &workers[i]) == 0);
  }
  for (i = 0; i < 2; ++i) {
    pthread_join(running[i], NULL);
    CHECK(!workers[i].failed);
  }
  CHECK(workers[0].error[0] == '\0');
  CHECK(strstr(workers[1].error, "no-such-option") != NULL);
}

int main(int count, char** words) {
  size_t bytes = 0;
  char* model = count == 3 ? contents(words[1], &bytes) : NULL;
  if (!model) {
    fprintf(stderr, "usage: test_capi MODEL.onnx FOLDER\n");
    return 2;
  }
  CHECK(tilescope_api_version() == TILESCOPE_API_VERSION);
  CHECK(strlen(tilescope_version()) > 0);
  inference(model, bytes);
  training(model, bytes, words[2]);
  batches(model, bytes);
  refusals(model, bytes);
  threads(model, bytes);
  free(model);
  printf(failures ? "%d checks failed\n" : "all checks hold\n", failures);
  return failures != 0;
}
