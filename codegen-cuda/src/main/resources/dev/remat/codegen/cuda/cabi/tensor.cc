// Tensors by their names, and data of steps that cut their batches: the arena has room for the rows of a micro-batch,
// the host keeps those of all.

/** Whether the tensor holds the rows of one micro-batch of several. */
bool isCut(const remat_tensor& tensor) {
    return MICRO_BATCHES > 1 && std::strcmp(tensor.kind, "data") == 0;
}

const remat_tensor& tensor(const remat_step& step, const char* name) {
    auto found = step.tensors.find(name);
    if (found == step.tensors.end()) {
        throw failure(std::string(MODEL) + " has no tensor " + name);
    }
    return *found->second;
}

const remat_tensor& tensor(const remat_step& step, const char* name, uint64_t bytes) {
    const remat_tensor& found = tensor(step, name);
    if (found.bytes != bytes) {
        throw failure(std::string(name) + " has " + std::to_string(found.bytes) + " bytes"
                + (isCut(found) ? " a micro-batch" : "") + ", not " + std::to_string(bytes));
    }
    return found;
}

/** Keeps the rows of a whole batch for the steps to come. Steps under way still read those before. */
void keep(remat_step& step, const remat_tensor& tensor, const void* rows) {
    wait(step);
    size_t bytes = MICRO_BATCHES * tensor.bytes;
    Rows& batch = step.batches[tensor.name];
    if (batch.bytes == nullptr) {
        void* pinned = nullptr;
        driver().check(driver().hostAllocate(&pinned, bytes, 0),
                std::to_string(bytes) + " bytes of the host cannot be taken for a whole batch of " + tensor.name);
        batch.bytes = static_cast<unsigned char*>(pinned);
    }
    std::memcpy(batch.bytes, rows, bytes);
    batch.isCurrent = true;
}

/** The caller has brought other rows than those of a whole batch. */
void forget(remat_step& step, const remat_tensor& tensor) {
    auto batch = step.batches.find(tensor.name);
    if (batch != step.batches.end()) {
        batch->second.isCurrent = false;
    }
}
//whole:
//whole: /** Copies the rows of a micro-batch into the arena, in the order of the stream. */
//whole: void bring(remat_step& step, int microBatch) {
//whole:     for (const remat_tensor& tensor : TENSORS) {
//whole:         if (!isCut(tensor)) {
//whole:             continue;
//whole:         }
//whole:         auto batch = step.batches.find(tensor.name);
//whole:         if (batch == step.batches.end() || !batch->second.isCurrent) {
//whole:             throw failure(std::string(MODEL) + " cuts its batch into " + std::to_string(MICRO_BATCHES)
//whole:                     + " micro-batches: write all of it to " + tensor.name + ", "
//whole:                     + std::to_string(MICRO_BATCHES * tensor.bytes)
//whole:                     + " bytes, or bring one after another for remat_run_micro_batch");
//whole:         }
//whole:         const unsigned char* rows = batch->second.bytes + microBatch * tensor.bytes;
//whole:         driver().check(driver().copyToDevice(step.arena + tensor.offset, rows, tensor.bytes, step.stream),
//whole:                 "the arena cannot be written");
//whole:     }
//whole: }
