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

//whole: /** Records launches instead of running them, and sends the graph to the device; null where the driver refuses. */
//whole: Handle capture(remat_step& step, size_t from, size_t to) {
//whole:     const Driver& cuda = driver();
//whole:     int result = cuda.hasGraphs() ? cuda.captureBegin(step.stream, THREAD_LOCAL) : NOT_SUPPORTED;
//whole:     if (result != 0) {
//whole:         step.warning = "kernels are launched one by one: the driver captures no graph: " + cuda.error(result);
//whole:         return nullptr;
//whole:     }
//whole:     bool launched = true;
//whole:     try {
//whole:         launch(step, from, to);
//whole:     } catch (const std::exception& e) {
//whole:         launched = false;  // plain launches will say what is wrong
//whole:         step.warning = std::string("kernels are launched one by one: no graph was captured: ") + e.what();
//whole:     }
//whole:     Handle graph = nullptr;
//whole:     Handle executable = nullptr;
//whole:     result = cuda.captureEnd(step.stream, &graph);
//whole:     if (result == 0 && launched) {
//whole:         result = cuda.graphInstantiate(&executable, graph, 0);
//whole:         if (result == 0) {
//whole:             result = cuda.graphUpload(executable, step.stream);
//whole:         }
//whole:     }
//whole:     if (graph != nullptr) {
//whole:         cuda.graphDestroy(graph);
//whole:     }
//whole:     if (result != 0) {
//whole:         step.warning = "kernels are launched one by one: the driver makes no graph of them: " + cuda.error(result);
//whole:         if (executable != nullptr) {
//whole:             cuda.graphExecDestroy(executable);
//whole:         }
//whole:         return nullptr;
//whole:     }
//whole:     return executable;
//whole: }
//whole:
//whole: /** Runs a section's launches once. */
//whole: void runOnce(remat_step& step, size_t number) {
//whole:     const Section& section = step.program->sections[number];
//whole:     if (section.from == section.to) {
//whole:         return;
//whole:     }
//whole: //moving:     step.running = &section;
//whole:     Handle& graph = step.graphs[number];
//whole:     if (step.warm[number] && step.capturing && graph == nullptr && !isSynchronous()) {
//whole:         graph = capture(step, section.from, section.to);
//whole:         step.capturing = graph != nullptr;
//whole:     }
//whole:     if (graph != nullptr) {
//whole:         driver().check(driver().graphLaunch(graph, step.stream), "the step cannot be launched");
//whole:     } else {
//whole:         launch(step, section.from, section.to);
//whole:     }
//whole:     step.warm[number] = true;
//whole: }
//whole:
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

//whole: /** Runs sections, those in rounds with the rows of each micro-batch. */
//whole: void runSections(remat_step& step, size_t from, size_t to) {
//whole:     for (size_t number = from; number < to; ++number) {
//whole:         int rounds = step.program->sections[number].rounds;
//whole:         for (int microBatch = 0; microBatch < rounds; ++microBatch) {
//whole:             if (rounds > 1) {
//whole:                 bring(step, microBatch);
//whole:                 set(step, "micro_batch", microBatch);
//whole:             }
//whole:             runOnce(step, number);
//whole:         }
//whole:     }
//whole: }
//whole:
//whole: /** Runs a round of a section. Rounds have their order, for each adds to what those before it have left. */
//whole: void runRound(remat_step& step, int64_t number, int pass, int microBatch) {
//whole:     if (pass < 0 || pass >= PASSES || microBatch < 0 || microBatch >= MICRO_BATCHES) {
//whole:         throw failure("pass " + std::to_string(pass) + " over micro-batch " + std::to_string(microBatch)
//whole:                 + " is none of " + std::to_string(PASSES) + " over " + std::to_string(MICRO_BATCHES));
//whole:     }
//whole:     int round = pass * MICRO_BATCHES + microBatch;
//whole:     if (round == 0) {
//whole:         begin(step, number);
//whole:         step.number = number;
//whole:     } else if (round != step.rounds || number != step.number) {
//whole:         throw failure("pass " + std::to_string(pass) + " over micro-batch " + std::to_string(microBatch) + " of step "
//whole:                 + std::to_string(number) + " does not follow what has run before it");
//whole:     }
//whole:     set(step, "micro_batch", microBatch);
//whole:     step.rounds = 0;  // unless the round succeeds
//whole:     runOnce(step, static_cast<size_t>(pass));
//whole:     step.rounds = round + 1;
//whole: }
//whole:
//whole: /** Runs what follows when every round has run. */
//whole: void finish(remat_step& step) {
//whole:     if (step.rounds != PASSES * MICRO_BATCHES) {
//whole:         throw failure("a step is finished after " + std::to_string(PASSES * MICRO_BATCHES) + " micro-batches, not "
//whole:                 + std::to_string(step.rounds));
//whole:     }
//whole:     step.rounds = 0;
//whole:     runSections(step, PASSES, SECTION_COUNT);
//whole: }
//staged: /** Stops in front of the first launch. */
//staged: void beginStage(remat_step& step, int64_t number) {
//staged:     begin(step, number);
//staged:     step.stop = 0;
//staged:     step.launched = 0;
//staged: }
//staged:
//staged: /** Launches what stands in front of the next stop, or of the end. */
//staged: void runToStop(remat_step& step, int* stop, int* message) {
//staged:     const Program& program = *step.program;
//staged:     if (step.stop > STOP_COUNT) {
//staged:         throw failure("a stage runs from remat_begin_step to REMAT_DONE");
//staged:     }
//staged:     bool ends = step.stop == STOP_COUNT;
//staged:     size_t to = ends ? program.launchCount : program.stops[step.stop].launch;
//staged:     size_t from = step.launched;
//staged:     step.launched = to;
//staged:     size_t next = step.stop;
//staged:     step.stop = SIZE_MAX;  // unless the launches succeed
//staged:     launch(step, from, to);
//staged:     step.stop = ends ? SIZE_MAX : next + 1;
//staged:     *stop = ends ? REMAT_DONE : program.stops[next].kind;
//staged:     *message = ends ? -1 : program.stops[next].message;
//staged: }
