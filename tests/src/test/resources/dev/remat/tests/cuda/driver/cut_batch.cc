// What a step that cuts its batch refuses, a line each. The data are zeros, whatever their dtype.
//
//     cut_batch ARTIFACT
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "step.h"

namespace {

void tell(const char* what, int failed) {
    std::printf("%s: %s\n", what, failed ? remat_error() : "taken");
}

/** Writes so many rows of zeros, in micro-batches, to all data. */
int write(remat_step* step, uint64_t microBatches) {
    int count = 0, failed = 0;
    const remat_tensor* tensors = remat_tensors(&count);
    for (int i = 0; i < count; ++i) {
        if (std::strcmp(tensors[i].kind, "data") == 0) {
            std::vector<char> zeros(microBatches * tensors[i].bytes);
            failed |= remat_write(step, tensors[i].name, zeros.data(), zeros.size());
        }
    }
    return failed;
}

}  // namespace

int main(int, char** arguments) {
    remat_step* step;
    if (remat_create(arguments[1], 0, 0, &step)) {
        std::fprintf(stderr, "%s\n", remat_error());
        return 1;
    }
    std::vector<char> bytes(192);
    tell("run", remat_run(step, 1));
    tell("write", remat_write(step, "images", bytes.data(), 47));
    tell("read", remat_read(step, "images", bytes.data(), 192));
    tell("finish", remat_finish_step(step));
    tell("later", remat_run_micro_batch(step, 1, 1, 0));
    int failed = write(step, 1) | remat_run_micro_batch(step, 1, 0, 0);
    tell("other step", failed ? 0 : remat_run_micro_batch(step, 2, 0, 1));
    tell("beyond", remat_run_micro_batch(step, 1, 2, 0));
    tell("early", remat_finish_step(step));
    failed = write(step, static_cast<uint64_t>(remat_micro_batches()));
    tell("run whole", failed | remat_run(step, 1) | remat_synchronize(step));
    tell("run halves", remat_run_to_loss(step, 2) | remat_run_from_loss(step) | remat_synchronize(step));
    failed = write(step, 1);
    tell("run part", failed ? 0 : remat_run(step, 2));
    remat_destroy(step);
    return 0;
}
