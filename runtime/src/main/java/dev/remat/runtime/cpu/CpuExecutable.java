package dev.remat.runtime.cpu;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.natives.NativeLibraries;
import dev.remat.ir.target.KernelLimit;
import dev.remat.runtime.Executable;
import dev.remat.runtime.Moved;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.cpu.conv.ConvPrimitives;
import dev.remat.runtime.cpu.kernel.Frame;
import dev.remat.runtime.cpu.support.CpuLibraries;
import dev.remat.runtime.cpu.support.OneDnn;
import dev.remat.runtime.cpu.support.OpenBlas;
import dev.remat.runtime.cpu.support.RandomBits;
import dev.remat.runtime.cpu.support.StrayIndexException;
import dev.remat.runtime.cpu.support.WorkerPool;
import dev.remat.runtime.lane.DiskPlace;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.lane.PlaceException;
import dev.remat.runtime.memory.LargePages;
import dev.remat.runtime.ranks.ExchangesUnderWay;
import dev.remat.runtime.ranks.Transport;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** An execution plan on the CPU: every step's kernel and addresses are resolved at loading, running only runs. */
public final class CpuExecutable implements TimedExecutable {
    /** All bits set is NaN in every floating dtype, and an id that no table has. */
    private static final byte POISON = (byte) 0xFF;

    private static final long ALIGNMENT = new CpuTarget().alignment();

    /**
     * @param crew whose threads run kernels
     * @param poison overwrite ranges that the plan has freed with NaN, to see that nothing reads them
     * @param lanes that move tensors out of the arena and back, where the plan does
     * @param transport to other ranks, where there are any
     */
    public record Options(Crew crew, boolean poison, Lanes.Options lanes, Transport transport) {
        /** For plans whose tensors stay in the arena. */
        public Options(int threads, boolean poison) {
            this(threads, poison, Lanes.Options.NONE);
        }

        /** For a rank that is alone. */
        public Options(int threads, boolean poison, Lanes.Options lanes) {
            this(threads, poison, lanes, Transport.NONE);
        }

        /** For what runs beside nothing else in its process. */
        public Options(int threads, boolean poison, Lanes.Options lanes, Transport transport) {
            this(new Crew(threads), poison, lanes, transport);
        }

        /** As many threads as there are processors, no poison. */
        public static Options defaults() {
            return new Options(Runtime.getRuntime().availableProcessors(), false);
        }
    }

    /** What executables that take turns share. */
    private static final class Device {
        private final Arena owner = Arena.ofShared();
        private final MemorySegment arena;
        private final WorkerPool pool;
        private long highWater;

        private Device(long bytes, Crew crew, long alignment) {
            arena = LargePages.allocate(owner, Math.max(bytes, alignment), alignment);
            pool = crew.join();
        }

        private void close() {
            pool.close();
            owner.close();
        }
    }

    private final ExecutionPlan plan;
    private final Options options;
    private final Device device;
    private final boolean ownsDevice;
    private final MemorySegment arena;
    private final ConvPrimitives convolutions;
    private final Lanes lanes;
    private final List<ExchangeWindow> windows;
    private final boolean oneOfSeveral;
    private final List<BindKernelStep.Bound> steps = new ArrayList<>();
    private StepTimer timer = (step, nanos) -> {};
    private boolean timed;
    /** Of a stage that stands in the middle of a step. */
    private Optional<ExchangesUnderWay> left = Optional.empty();

    public CpuExecutable(ExecutionPlan plan) {
        this(plan, Options.defaults());
    }

    /**
     * @throws dev.remat.ir.diagnostic.ModelException if a step is larger than its kernel counts
     * @throws IllegalArgumentException if the plan has a step that kernels of GPUs alone can run
     * @throws PlaceException if a place that the plan moves tensors to cannot be had
     * @throws OutOfMemoryError if the arena cannot be allocated
     * @throws dev.remat.ir.natives.LibraryUnavailableException if OpenBLAS or oneDNN is needed and cannot be loaded
     */
    public CpuExecutable(ExecutionPlan plan, Options options) {
        this(plan, options, Optional.empty());
    }

    /** @param host the executable whose arena this one takes turns in */
    private CpuExecutable(ExecutionPlan plan, Options options, Optional<CpuExecutable> host) {
        this.plan = plan;
        CpuLibraries.ONEDNN.load();
        if (multipliesF64()) {
            CpuLibraries.OPENBLAS.load();
        }
        this.options = options;
        this.windows = ExchangeWindow.of(plan);
        this.oneOfSeveral = plan.ranks() > 1;
        this.convolutions = new ConvPrimitives(options.crew().slots());
        CpuKernels kernels = new CpuKernels(convolutions);
        String target = new CpuTarget().name();
        plan.steps()
                .forEach(step -> steps.add(KernelLimit.guard(
                        target, step.name(), step.location(), () -> BindKernelStep.run(step, plan.target(), kernels))));
        long alignment = plan.transfers().isEmpty() ? ALIGNMENT : Math.max(ALIGNMENT, DiskPlace.BLOCK);
        this.device = host.map(other -> other.device)
                .orElseGet(() -> new Device(plan.arenaBytes(), options.crew(), alignment));
        this.ownsDevice = host.isEmpty();
        if (ownsDevice && multipliesF64()) {
            OpenBlas.claimBuffers(device.pool);
        }
        this.arena = device.arena;
        this.lanes = host.map(other ->
                        other.lanes.within(plan.transfers(), plan.steps().size()))
                .orElseGet(this::lanes);
    }

    private Lanes lanes() {
        try {
            return new Lanes(plan.transfers(), plan.steps().size(), arena, options.lanes());
        } catch (PlaceException e) {
            convolutions.close();
            if (ownsDevice) {
                device.close();
            }
            throw e;
        }
    }

    /** What executables load, each when it is needed. */
    public static List<NativeLibraries> libraries() {
        return List.of(CpuLibraries.OPENBLAS, CpuLibraries.ONEDNN);
    }

    @Override
    public ExecutionPlan plan() {
        return plan;
    }

    @Override
    public void time(StepTimer listener) {
        timer = listener;
        timed = true;
    }

    @Override
    public void run(long step, int microBatch, int from, int to) {
        ExchangesUnderWay exchanges = left.filter(_ -> from > 0).orElseGet(this::exchanges);
        boolean runsOn = options.transport().runsOn();
        exchanges.before(from);
        // A stage may exchange nothing, and yet be one of several ranks'.
        int rank = oneOfSeveral || runsOn ? options.transport().rank() : 0;
        RandomBits bits = new RandomBits(plan.seed(), (int) step, microBatch, rank);
        Frame frame = new Frame(device.pool, arena, bits, exchanges);
        for (int i = from; i < to; i++) {
            BindKernelStep.Bound bound = steps.get(i);
            beginSection(i);
            lanes.before(i);
            exchanges.at(i);
            long begin = timed ? System.nanoTime() : 0;
            try {
                bound.kernel().run(frame);
            } catch (StrayIndexException e) {
                throw StrayIndices.report(plan, plan.steps().get(i), e);
            }
            if (timed) {
                timer.ran(i, System.nanoTime() - begin);
            }
            if (i + 1 < to || !runsOn) {
                exchanges.before(i + 1);
            }
            device.highWater = Math.max(device.highWater, bound.end());
            if (options.poison()) {
                for (ByteRange range : plan.steps().get(i).freed()) {
                    exchanges.endThatSend(range);
                    arena.asSlice(range.offset(), range.bytes()).fill(POISON);
                }
            }
            endSection(i + 1);
        }
        left = Optional.of(exchanges).filter(_ -> runsOn && to < steps.size());
        if (left.isEmpty()) {
            exchanges.endAll();
        }
    }

    private ExchangesUnderWay exchanges() {
        return new ExchangesUnderWay(
                plan, windows, options.transport(), waited -> device.pool.workUntil(waited::whenEnded));
    }

    @Override
    public void pass(int step) {
        beginSection(step);
        lanes.before(step);
        endSection(step + 1);
    }

    /** What a section has begun that was left in its middle ends before it runs again. */
    private void beginSection(int step) {
        if (!plan.transfers().isEmpty() && plan.section(step).from() == step) {
            lanes.drain();
        }
    }

    /** What has begun in a section ends with it, or runs on beside the next step. */
    private void endSection(int end) {
        if (plan.transfers().isEmpty()
                || end < steps.size() && plan.section(end).from() != end) {
            return;
        }
        if (end == steps.size()) {
            lanes.before(end);
            lanes.endStep();
        } else {
            lanes.drain();
        }
        device.highWater = Math.max(device.highWater, lanes.highWaterBytes());
    }

    @Override
    public void write(long offset, MemorySegment source) {
        lanes.takeTurn();
        MemorySegment.copy(source, 0, arena, offset, source.byteSize());
    }

    @Override
    public MemorySegment read(long offset, long bytes) {
        return arena.asSlice(offset, bytes).asReadOnly();
    }

    @Override
    public MemorySegment read(ArenaTensor tensor, long from, long bytes) {
        return tensor.isInArena() ? read(tensor.offset() + from, bytes) : lanes.read(tensor, from, bytes);
    }

    @Override
    public void write(ArenaTensor tensor, long from, MemorySegment source) {
        if (tensor.isInArena()) {
            write(tensor.offset() + from, source);
        } else {
            lanes.write(tensor, from, source);
        }
    }

    /** Buffers occupy whole units of the plan's alignment, as the arena counts them. */
    @Override
    public Moved moved() {
        return lanes.moved();
    }

    @Override
    public long highWaterBytes() {
        return Alignment.up(device.highWater, ALIGNMENT);
    }

    @Override
    public SortedMap<String, String> kernels() {
        SortedMap<String, String> kernels = new TreeMap<>();
        kernels.put("cpu_kernels", CpuKernels.GENERATION);
        kernels.put("onednn", OneDnn.instructionSet());
        if (multipliesF64()) {
            kernels.put("openblas", OpenBlas.coreName());
        }
        return kernels;
    }

    /** Or may: whether it has matrices of f64. */
    private boolean multipliesF64() {
        return plan.steps().stream()
                .flatMap(step -> step.body().instructions().stream())
                .flatMap(instruction -> instruction.types().stream())
                .anyMatch(type -> type.dtype() == DType.F64 && type.rank() >= 2);
    }

    @Override
    public Executable loadBeside(ExecutionPlan other) {
        return new CpuExecutable(other, options);
    }

    @Override
    public Executable loadWithin(ExecutionPlan other) {
        if (other.arenaBytes() > arena.byteSize()) {
            throw new IllegalArgumentException(
                    "an arena of " + arena.byteSize() + " bytes is too small for a plan of " + other.arenaBytes());
        }
        return new CpuExecutable(other, options, Optional.of(this));
    }

    @Override
    public void close() {
        lanes.close();
        convolutions.close();
        if (ownsDevice) {
            device.close();
        }
    }
}
