// Launching a step: kernel by kernel the first time, then as graphs.

/** Whether every launch is waited for, so that a failure names its kernel. */
bool isSynchronous() {
    const char* setting = std::getenv("REMAT_SYNC");
    return setting != nullptr && std::strcmp(setting, "1") == 0;
}

void launch(remat_step& step, size_t from, size_t to) {
    const Program& program = *step.program;
    bool synchronous = isSynchronous();
//moving:     size_t next = forkLanes(step);
//moving:     JoiningAnyway joining{step};
    for (size_t i = from; i < to; ++i) {
//moving:         next = meet(step, next, i, synchronous);
        const Shape& shape = program.shapes[program.shapeOfLaunch[i]];
        int result = driver().launch(step.functions[shape.kernel], shape.grid[0], shape.grid[1], shape.grid[2],
                shape.block[0], shape.block[1], shape.block[2], shape.shared, step.stream,
                step.parameters.data() + step.firstOfLaunch[i], nullptr);
        if (result == 0 && synchronous) {
            result = driver().streamSynchronize(step.stream);
        }
        if (result != 0) {
            const Kernel& kernel = KERNELS[shape.kernel];
            driver().check(result, std::string(kernel.symbol) + ", launch " + std::to_string(i) + " of the step"
                    + (*kernel.location ? std::string(", first used at ") + kernel.location : "") + ", has failed");
        }
    }
//moving:     meet(step, next, program.launchCount, synchronous);
//moving:     joinLanes(step);
}

/** Records launches instead of running them, and sends the graph to the device; null where the driver refuses. */
Handle capture(remat_step& step, size_t from, size_t to) {
    const Driver& cuda = driver();
    int result = cuda.hasGraphs() ? cuda.captureBegin(step.stream, THREAD_LOCAL) : NOT_SUPPORTED;
    if (result != 0) {
        step.warning = "kernels are launched one by one: the driver captures no graph: " + cuda.error(result);
        return nullptr;
    }
    bool launched = true;
    try {
        launch(step, from, to);
    } catch (const std::exception& e) {
        launched = false;  // plain launches will say what is wrong
        step.warning = std::string("kernels are launched one by one: no graph was captured: ") + e.what();
    }
    Handle graph = nullptr;
    Handle executable = nullptr;
    result = cuda.captureEnd(step.stream, &graph);
    if (result == 0 && launched) {
        result = cuda.graphInstantiate(&executable, graph, 0);
        if (result == 0) {
            result = cuda.graphUpload(executable, step.stream);
        }
    }
    if (graph != nullptr) {
        cuda.graphDestroy(graph);
    }
    if (result != 0) {
        step.warning = "kernels are launched one by one: the driver makes no graph of them: " + cuda.error(result);
        if (executable != nullptr) {
            cuda.graphExecDestroy(executable);
        }
        return nullptr;
    }
    return executable;
}

/** Runs a section's launches once. */
void runOnce(remat_step& step, size_t number) {
    const Section& section = step.program->sections[number];
    if (section.from == section.to) {
        return;
    }
//moving:     step.running = &section;
    Handle& graph = step.graphs[number];
    if (step.warm[number] && step.capturing && graph == nullptr && !isSynchronous()) {
        graph = capture(step, section.from, section.to);
        step.capturing = graph != nullptr;
    }
    if (graph != nullptr) {
        driver().check(driver().graphLaunch(graph, step.stream), "the step cannot be launched");
    } else {
        launch(step, section.from, section.to);
    }
    step.warm[number] = true;
}

/** Fills a number in by the device, so that nothing of the host's is read later and nobody waits. */
void set(remat_step& step, const char* kind, int64_t value) {
    for (const remat_tensor& tensor : TENSORS) {
        if (std::strcmp(tensor.kind, kind) == 0) {
            Address place = step.arena + tensor.offset;
            std::string what = std::string("the step's ") + kind + " cannot be written";
            driver().check(driver().memorySet32(place, static_cast<uint32_t>(value), 1, step.stream), what);
            driver().check(driver().memorySet32(place + 4, static_cast<uint32_t>(value >> 32), 1, step.stream), what);
        }
    }
}

/** Tells the kernels which step comes, and what its random draws start from. */
void begin(remat_step& step, int64_t number) {
    if (number < 1) {
        throw failure("steps count from 1, not " + std::to_string(number));
    }
    set(step, "step", number);
    set(step, "seed", step.seed);
    set(step, "micro_batch", 0);
    step.rounds = 0;
}

/** Runs sections, those in rounds with the rows of each micro-batch. */
void runSections(remat_step& step, size_t from, size_t to) {
    for (size_t number = from; number < to; ++number) {
        int rounds = step.program->sections[number].rounds;
        for (int microBatch = 0; microBatch < rounds; ++microBatch) {
            if (rounds > 1) {
                bring(step, microBatch);
                set(step, "micro_batch", microBatch);
            }
            runOnce(step, number);
        }
    }
}

/** Runs a round of a section. Rounds have their order, for each adds to what those before it have left. */
void runRound(remat_step& step, int64_t number, int pass, int microBatch) {
    if (pass < 0 || pass >= PASSES || microBatch < 0 || microBatch >= MICRO_BATCHES) {
        throw failure("pass " + std::to_string(pass) + " over micro-batch " + std::to_string(microBatch)
                + " is none of " + std::to_string(PASSES) + " over " + std::to_string(MICRO_BATCHES));
    }
    int round = pass * MICRO_BATCHES + microBatch;
    if (round == 0) {
        begin(step, number);
        step.number = number;
    } else if (round != step.rounds || number != step.number) {
        throw failure("pass " + std::to_string(pass) + " over micro-batch " + std::to_string(microBatch) + " of step "
                + std::to_string(number) + " does not follow what has run before it");
    }
    set(step, "micro_batch", microBatch);
    step.rounds = 0;  // unless the round succeeds
    runOnce(step, static_cast<size_t>(pass));
    step.rounds = round + 1;
}

/** Runs what follows when every round has run. */
void finish(remat_step& step) {
    if (step.rounds != PASSES * MICRO_BATCHES) {
        throw failure("a step is finished after " + std::to_string(PASSES * MICRO_BATCHES) + " micro-batches, not "
                + std::to_string(step.rounds));
    }
    step.rounds = 0;
    runSections(step, PASSES, SECTION_COUNT);
}
