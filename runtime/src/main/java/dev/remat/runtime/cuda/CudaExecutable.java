package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;

import dev.remat.ir.Alignment;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.Moved;
import dev.remat.runtime.TimedExecutable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * An execution plan on a GPU, through the driver alone: machine code, one arena, one stream. A range of the plan is
 * launched kernel by kernel the first time, and captured into a graph the second, which is replayed from then on.
 */
public final class CudaExecutable implements TimedExecutable {
    /** What makes every launch wait for its end, so that a failure names its kernel. */
    public static final String SYNCHRONOUS = "REMAT_SYNC";

    /** Buffers occupy whole units of it, as the arena counts them. */
    private static final long ALIGNMENT = 256;

    /**
     * @param poison overwrite ranges that the plan has freed with NaN, to see that nothing reads them
     * @param synchronous wait after every launch
     * @param notes is told what users should know that is no failure
     */
    public record Options(boolean poison, boolean synchronous, Consumer<String> notes) {
        /** As the environment says. */
        public static Options ofProcess(boolean poison, Consumer<String> notes) {
            return new Options(poison, "1".equals(System.getenv(SYNCHRONOUS)), notes);
        }
    }

    private record Range(int from, int to) {}

    /** What is being run, for messages. */
    private record Moment(long step, int microBatch) {}

    private final ExecutionPlan plan;
    private final CudaCompiler compiler;
    private final Options options;
    private final GpuArena arena;
    private final boolean ownsArena;
    private final String codeOf;
    private final Arena slots = Arena.ofShared();
    private final KernelModule module;
    private final LaunchTable launches;
    private final CudaLanes lanes;
    private final Map<Range, CapturedLaunches> captured = new HashMap<>();
    private final Set<Range> launched = new HashSet<>();
    private boolean captures = true;
    private Optional<EventTimes> times = Optional.empty();

    /**
     * Loads a plan onto a GPU.
     *
     * @throws DeviceException if the GPU or its driver cannot run it
     * @throws DeviceMemoryException if the GPU has less memory free than the arena takes
     * @throws HostMemoryException if the host has less than what the plan moves there takes
     */
    public static CudaExecutable load(ExecutionPlan plan, CudaCompiler compiler, Gpu gpu, Options options) {
        CudaProgram program = compiler.compile(plan, gpu);
        GpuArena arena = GpuArena.allocate(gpu, plan.arenaBytes());
        try {
            return new CudaExecutable(plan, program, compiler, options, arena, Optional.empty());
        } catch (DeviceException | HostMemoryException e) {
            arena.close();
            throw e;
        }
    }

    /** @param host the executable whose arena this one takes turns in */
    private CudaExecutable(
            ExecutionPlan plan,
            CudaProgram program,
            CudaCompiler compiler,
            Options options,
            GpuArena arena,
            Optional<CudaExecutable> host) {
        this.plan = plan;
        this.compiler = compiler;
        this.options = options;
        this.arena = arena;
        this.ownsArena = host.isEmpty();
        this.codeOf = program.compiler();
        try (GpuContext.Current _ = arena.context().use()) {
            this.module = KernelModule.load(program, arena.context().gpu());
            this.lanes = lanes(host.map(other -> other.lanes));
        }
        this.launches = new LaunchTable(plan, program, module, arena.address(), slots);
    }

    private CudaLanes lanes(Optional<CudaLanes> host) {
        try {
            return new CudaLanes(plan, arena, options, host);
        } catch (DeviceException | HostMemoryException e) {
            module.close();
            throw e;
        }
    }

    @Override
    public ExecutionPlan plan() {
        return plan;
    }

    /** From now on an event follows each step, in graphs too, which are captured anew. */
    @Override
    public void time(StepTimer listener) {
        try (GpuContext.Current _ = arena.context().use()) {
            captured.values().forEach(CapturedLaunches::close);
            captured.clear();
            times.ifPresent(EventTimes::close);
            times = Optional.of(new EventTimes(plan, arena.context().stream(), listener, lanes::waits));
            lanes.time();
        }
    }

    @Override
    public void run(long step, int microBatch, int from, int to) {
        int first = launches.firstOf(from);
        int end = launches.firstOf(to);
        Moment now = new Moment(step, microBatch);
        arena.changes();
        try (GpuContext.Current _ = arena.context().use()) {
            plan.stepInputs(step, microBatch).forEach(arena::set);
            settled(() -> {
                if (options.synchronous()) {
                    launch(now, from, to, false);
                } else {
                    start(now, new Range(from, to));
                }
            });
            demand(arena.context().await(), now, first, end);
            times.ifPresent(events -> events.tell(from, to, s -> launches.firstOf(s) < launches.firstOf(s + 1)));
            lanes.tell(from, to);
        }
        for (int i = first; i < end; i++) {
            arena.reached(launches.endOf(i));
        }
    }

    @Override
    public void pass(int step) {
        try (GpuContext.Current _ = arena.context().use()) {
            settled(() -> lanes.joining(
                    () -> lanes.before(step, "in front of kernel " + step + " of the plan has failed ", false)));
            check(arena.context().await(), "the device failed");
        }
    }

    /** Puts work into the stream; if that fails in the middle, what is there has ended when callers hear of it. */
    private void settled(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error e) {
            arena.context().await();
            throw e;
        }
    }

    private void start(Moment now, Range range) {
        if (captures && launched.contains(range) && !captured.containsKey(range)) {
            try {
                captured.put(
                        range,
                        CapturedLaunches.of(
                                arena.context().stream(), () -> launch(now, range.from(), range.to(), true)));
            } catch (DeviceException e) {
                captures = false;
                options.notes()
                        .accept("kernels are launched one by one, which takes longer: the driver has refused to"
                                + " capture them into a graph; " + e.getMessage());
            }
        }
        CapturedLaunches graph = captured.get(range);
        if (graph == null) {
            launch(now, range.from(), range.to(), false);
            launched.add(range);
        } else {
            demand(graph.launch(), now, launches.firstOf(range.from()), launches.firstOf(range.to()));
        }
    }

    /** @param inGraph whether this is recorded rather than run */
    private void launch(Moment now, int from, int to, boolean inGraph) {
        times.ifPresent(events -> events.begin(inGraph));
        lanes.joining(() -> launchSteps(now, from, to, inGraph));
        times.ifPresent(events -> events.joined(inGraph));
    }

    private void launchSteps(Moment now, int from, int to, boolean inGraph) {
        for (int s = from; s < to; s++) {
            meet(now, s, inGraph);
            for (int i = launches.firstOf(s); i < launches.firstOf(s + 1); i++) {
                int result = launches.launch(i, arena.context().stream());
                if (result == 0 && options.synchronous()) {
                    result = arena.context().await();
                }
                demand(result, now, i, i + 1);
            }
            if (options.poison()) {
                plan.steps().get(s).freed().stream()
                        .filter(range -> !range.equals(ByteRange.EMPTY))
                        .forEach(arena::poison);
            }
            int done = s;
            times.ifPresent(events -> events.ran(done, inGraph));
        }
        if (to == plan.steps().size()) {
            lanes.before(to, failed(now), inGraph);
        }
    }

    /** What kernels meet in front of a step; all that was begun in a section ends with it. */
    private void meet(Moment now, int step, boolean inGraph) {
        if (plan.transfers().isEmpty()) {
            return;
        }
        if (plan.section(step).from() == step) {
            lanes.join();
        }
        lanes.before(step, failed(now), inGraph);
        if (lanes.waits(step)) {
            times.ifPresent(events -> events.waited(step, inGraph));
        }
    }

    private static String failed(Moment now) {
        return "training step " + now.step() + " has failed in ";
    }

    /** @param first the first of the launches of which one has failed, if {@code result} is not 0 */
    private void demand(int result, Moment now, int first, int end) {
        if (result == 0) {
            return;
        }
        String failed = failed(now);
        String round = plan.round(plan.section(launches.stepOf(first)), now.microBatch());
        if (end - first == 1) {
            check(result, failed + launches.describe(first) + round);
        }
        check(
                result,
                failed + "one of " + (end - first) + " launches, from " + launches.describe(first) + ", to "
                        + launches.describe(end - 1) + round + "; with " + SYNCHRONOUS
                        + "=1 in the environment the message names it");
    }

    @Override
    public void write(long offset, MemorySegment source) {
        arena.write(offset, source);
    }

    @Override
    public MemorySegment read(long offset, long bytes) {
        return arena.read(offset, bytes);
    }

    @Override
    public MemorySegment read(ArenaTensor tensor, long from, long bytes) {
        return tensor.isInArena()
                ? read(tensor.offset() + from, bytes)
                : lanes.bytes(tensor, from, bytes).asReadOnly();
    }

    @Override
    public void write(ArenaTensor tensor, long from, MemorySegment source) {
        if (tensor.isInArena()) {
            write(tensor.offset() + from, source);
        } else {
            lanes.bytes(tensor, from, source.byteSize()).copyFrom(source);
        }
    }

    @Override
    public long highWaterBytes() {
        return Alignment.up(arena.highWater(), ALIGNMENT);
    }

    /** Times are those since steps are timed. */
    @Override
    public Moved moved() {
        OptionalLong exposed =
                times.map(events -> OptionalLong.of(events.exposedNanos())).orElse(OptionalLong.empty());
        return plan.transfers().isEmpty() ? Moved.NONE : new Moved(exposed, lanes.uses());
    }

    @Override
    public SortedMap<String, String> kernels() {
        SortedMap<String, String> kernels = new TreeMap<>();
        kernels.put("gpu", arena.context().gpu().architecture());
        kernels.put("nvrtc", codeOf);
        return kernels;
    }

    @Override
    public Executable loadBeside(ExecutionPlan other) {
        return load(other, compiler, arena.context().gpu(), options);
    }

    @Override
    public Executable loadWithin(ExecutionPlan other) {
        if (other.arenaBytes() > arena.bytes()) {
            throw new IllegalArgumentException(
                    "an arena of " + arena.bytes() + " bytes is too small for a plan of " + other.arenaBytes());
        }
        CudaProgram program = compiler.compile(other, arena.context().gpu());
        return new CudaExecutable(other, program, compiler, options, arena, Optional.of(this));
    }

    @Override
    public void close() {
        try (GpuContext.Current _ = arena.context().use()) {
            arena.context().await();
            captured.values().forEach(CapturedLaunches::close);
            times.ifPresent(EventTimes::close);
            lanes.close();
            module.close();
        }
        slots.close();
        if (ownsArena) {
            arena.close();
        }
    }
}
