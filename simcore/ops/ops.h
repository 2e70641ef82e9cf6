// All library ops.
#pragma once

#include "simcore/ops/collectives.h"
#include "simcore/ops/convolution.h"
#include "simcore/ops/elementwise.h"
#include "simcore/ops/fill.h"
#include "simcore/ops/inter_ipu.h"
#include "simcore/ops/loop.h"
#include "simcore/ops/movement.h"
#include "simcore/ops/pooling.h"
#include "simcore/ops/random.h"
#include "simcore/ops/recurrent.h"
#include "simcore/ops/reduce.h"
#include "simcore/ops/scan.h"
#include "simcore/ops/slices.h"
#include "simcore/ops/sort.h"
#include "simcore/ops/sparse_matmul.h"
#include "simcore/ops/volume.h"
