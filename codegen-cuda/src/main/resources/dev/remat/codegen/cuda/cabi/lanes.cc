// Copies between the arena and memory of the host, in streams of their own beside the kernels.

constexpr unsigned NO_TIMES = 2;

void openLanes(remat_step& step) {
    const Driver& cuda = driver();
    void* pinned = nullptr;
    cuda.check(cuda.hostAllocate(&pinned, HOST_BYTES, 0),
            std::to_string(HOST_BYTES) + " bytes of the host's memory cannot be pinned");
    step.host = static_cast<unsigned char*>(pinned);
    std::memset(step.host, 0, HOST_BYTES);
    for (Handle& lane : step.lanes) {
        cuda.check(cuda.streamCreate(&lane, NON_BLOCKING), "a stream cannot be created");
    }
    cuda.check(cuda.eventCreate(&step.arrived, NO_TIMES), "an event cannot be created");
    step.begun.resize(TRANSFER_COUNT);
    step.ended.resize(TRANSFER_COUNT);
    for (Handle& ended : step.ended) {
        cuda.check(cuda.eventCreate(&ended, NO_TIMES), "an event cannot be created");
    }
}

/** Frees them; whoever waits for the kernels' stream has waited for every copy. */
void closeLanes(remat_step& step) {
    const Driver& cuda = driver();
    for (Handle ended : step.ended) {
        if (ended != nullptr) {
            cuda.eventDestroy(ended);
        }
    }
    if (step.arrived != nullptr) {
        cuda.eventDestroy(step.arrived);
    }
    for (Handle lane : step.lanes) {
        if (lane != nullptr) {
            cuda.streamDestroy(lane);
        }
    }
    if (step.host != nullptr) {
        cuda.hostFree(step.host);
    }
}

/** What a stream does from now on waits for what has been recorded. */
void await(Handle stream, Handle event) {
    driver().check(driver().streamWait(stream, event, 0), "a stream cannot wait");
}

void record(Handle event, Handle stream) {
    driver().check(driver().eventRecord(event, stream), "an event cannot be recorded");
}

/** Begins a section: its first meeting. What earlier ones have begun has ended. */
size_t forkLanes(remat_step& step) {
    step.begun.assign(TRANSFER_COUNT, false);
    std::fill(std::begin(step.last), std::end(step.last), nullptr);
    return step.running->meetings;
}

/** Begins a copy as soon as kernels have come here, its lane is free and what it waits for has ended. */
void beginCopy(remat_step& step, size_t number, bool synchronous) {
    const Driver& cuda = driver();
    const Transfer& copy = TRANSFERS[number];
    Handle lane = step.lanes[copy.lane];
    record(step.arrived, step.stream);
    await(lane, step.arrived);
    for (size_t i = copy.waits; i < copy.waitsTo; ++i) {
        if (step.begun[WAITS[i]]) {
            await(lane, step.ended[WAITS[i]]);
        }
    }
    int result = copy.lane == STORE ? cuda.copyToHost(step.host + copy.host, step.arena + copy.arena, copy.bytes, lane)
                                    : cuda.copyToDevice(step.arena + copy.arena, step.host + copy.host, copy.bytes, lane);
    if (result == 0 && synchronous) {
        result = cuda.streamSynchronize(lane);
    }
    cuda.check(result, std::string(copy.name) + (copy.lane == STORE ? " cannot be stored to" : " cannot be fetched from")
            + " the host");
    record(step.ended[number], lane);
    step.begun[number] = true;
    step.last[copy.lane] = step.ended[number];
}

/** Does what stands in front of a launch, from meeting `next` on; the one that follows. */
size_t meet(remat_step& step, size_t next, size_t launch, bool synchronous) {
    for (; next < step.running->metTo; ++next) {
        const Meeting& meeting = step.program->meetings[next];
        if (meeting.launch > launch) {
            break;
        }
        if (!meeting.awaited) {
            beginCopy(step, meeting.transfer, synchronous);
        } else if (step.begun[meeting.transfer]) {
            await(step.stream, step.ended[meeting.transfer]);
        }
    }
    return next;
}

/** Ends a section: what follows in the stream comes after all copies. */
void joinLanes(remat_step& step) {
    for (Handle& last : step.last) {
        if (last != nullptr) {
            await(step.stream, std::exchange(last, nullptr));
        }
    }
}

/** Joins what a section that fails in its middle has begun, as far as the device still can. */
struct JoiningAnyway {
    const remat_step& step;

    ~JoiningAnyway() {
        for (Handle last : step.last) {
            if (last != nullptr) {
                driver().streamWait(step.stream, last, 0);
            }
        }
    }
};
