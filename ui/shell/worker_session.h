// WorkerSession, the most used OnWorker, under the name that views know it by.
#pragma once

#include "ui/shell/on_worker.h"
