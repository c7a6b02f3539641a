// All that a kernel's text needs in place of CUDA; ptx.cuh beside it replaces the generator's.
#pragma once
#include "builtins.h"
#include "launch.h"
