package dev.remat.runtime.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.PlaceSize;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Unary;
import dev.remat.ir.plan.Lane;
import dev.remat.runtime.Executable;
import dev.remat.runtime.cpu.CpuExecutable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A tensor leaves the arena while others take its memory, and comes back elsewhere: {@code a = exp(x)},
 * {@code b = sin(a)}, {@code c = cos(b)} over a, {@code d = a' * c}.
 */
class LanesTest {
    private static final TensorType TYPE = TensorType.of(DType.F32, 3000);
    /** Of a tensor in whole blocks. */
    private static final long SLOT = 12288;

    private static final Location HERE = new Location("chain.model", 1, 1);
    private static final int X = 0;
    private static final int A = 1;
    private static final int B = 2;
    private static final int C = 3;
    private static final int D = 4;
    private static final int A_AGAIN = 5;

    private static ExecutionPlan plan(int rounds) {
        List<KernelStep> kernels = List.of(
                kernel(new Unary(Unary.Kind.EXP), A, SLOT, read(X, 0)),
                kernel(new Unary(Unary.Kind.SIN), B, 2 * SLOT, read(A, SLOT)),
                kernel(new Unary(Unary.Kind.COS), C, SLOT, read(B, 2 * SLOT)),
                kernel(new Binary(Binary.Kind.MUL), D, 3 * SLOT, read(A_AGAIN, 2 * SLOT), read(C, SLOT)));
        List<TransferEvent> events = List.of(
                new Begin(1, move(Lane.STORE, A, SLOT)),
                new Await(2, 0),
                new Begin(3, move(Lane.FETCH, A_AGAIN, 2 * SLOT)),
                new Await(3, 1));
        return new ExecutionPlan(
                "chain",
                "00",
                "cpu",
                0,
                3 * SLOT + 12032,
                List.of(new ArenaTensor(X, "x", TYPE, InputKind.DATA, Initializer.ZEROS, 0, HERE)),
                kernels,
                List.of(new Section(0, kernels.size(), rounds)),
                List.of(new PlanOutput("loss", D, TYPE, 3 * SLOT, 3)),
                new Transfers(List.of(new PlaceSize("below", SLOT)), events));
    }

    private static MemoryRead read(int value, long offset) {
        return MemoryRead.dense(value, offset, TYPE);
    }

    private static KernelStep kernel(Op op, int value, long to, MemoryRead... reads) {
        KernelStepBuilder step = new KernelStepBuilder("v" + value, Role.FORWARD, HERE);
        List<Operand> operands = new ArrayList<>();
        Stream.of(reads).map(step::read).forEach(operands::add);
        List<TensorType> types = operands.stream().map(_ -> TYPE).toList();
        step.add(op, types, operands);
        return step.write(MemoryWrite.dense(value, "v" + value, to, TYPE, 0, 0)).build();
    }

    private static Transfer move(Lane lane, int value, long offset) {
        List<Integer> waits = lane == Lane.FETCH ? List.of(0) : List.of();
        return new Transfer(lane, 0, value, A, "a", new ByteRange(offset, SLOT), 0, waits, lane == Lane.STORE);
    }

    private static float[] run(ExecutionPlan plan, Places places, Consumer<Transfer> ahead, int steps) {
        Lanes.Options lanes = new Lanes.Options(places, true, ahead);
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, true, lanes));
                Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(TYPE.bytes());
            for (int i = 0; i < 3000; i++) {
                data.setAtIndex(ValueLayout.JAVA_FLOAT, i, i / 3000F - 0.5F);
            }
            executable.write(0, data);
            for (int step = 1; step <= steps; step++) {
                for (int round = 0; round < plan.microBatches(); round++) {
                    executable.run(step, round, 0, 1);
                    executable.run(step, round, 1, plan.steps().size());
                }
            }
            assertThat(executable.highWaterBytes()).isEqualTo(plan.arenaBytes());
            return executable.read(3 * SLOT, TYPE.bytes()).toArray(ValueLayout.JAVA_FLOAT);
        }
    }

    private static void requireRight(float[] result) {
        for (int i = 0; i < result.length; i++) {
            double a = (float) Math.exp(i / 3000F - 0.5F);
            assertThat((double) result[i]).isCloseTo(a * Math.cos(Math.sin(a)), offset(1e-6));
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    @Test
    void tensorsComeBackFromTheHost() {
        requireRight(run(plan(1), size -> new HostPlace(size.bytes()), transfer -> {}, 3));
    }

    @Test
    void tensorsComeBackFromADisk(@TempDir Path folder) throws IOException {
        AtomicInteger files = new AtomicInteger(-1);
        float[] fromDisk = run(
                plan(4),
                size -> new DiskPlace(folder, size.bytes()),
                transfer -> files.set(folder.toFile().list().length),
                3);
        requireRight(fromDisk);
        assertThat(files).as("files while it runs").hasValue(0);
        assertThat(files(folder)).isEmpty();
        assertThat(fromDisk).isEqualTo(run(plan(1), size -> new HostPlace(size.bytes()), transfer -> {}, 1));
    }

    /** However late a lane is, nothing is read before it is there, or overwritten before it is away. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void lanesMayBeAsLateAsTheyLike(long seed) {
        Random random = new Random(seed);
        requireRight(run(
                plan(2),
                size -> new HostPlace(size.bytes()),
                transfer -> {
                    try {
                        Thread.sleep(random.nextInt(5));
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                4));
    }

    /** The twin of the test above: without its await the late fetch is not there, which poison shows. */
    @Test
    void withoutAnAwaitALateLaneShows() {
        ExecutionPlan good = plan(1);
        Transfers hasty = new Transfers(
                good.transfers().places(), good.transfers().events().subList(0, 3));
        float[] result = run(
                good.withTransfers(hasty),
                size -> new HostPlace(size.bytes()),
                transfer -> {
                    if (!transfer.isStore()) {
                        try {
                            Thread.sleep(200);
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                },
                1);
        assertThat(result[0]).isNotEqualTo((float) (Math.exp(-0.5F) * Math.cos(Math.sin(Math.exp(-0.5F)))));
    }

    /** {@code d} is stored, too, and kernels wait for it in front of {@code awaitedBefore} at the latest. */
    private static ExecutionPlan storingTheLast(int awaitedBefore) {
        ExecutionPlan plan = plan(1);
        List<TransferEvent> events = new ArrayList<>(plan.transfers().events());
        Await await = new Await(awaitedBefore, 2);
        Begin begin = new Begin(
                4, new Transfer(Lane.STORE, 0, D, D, "d", new ByteRange(3 * SLOT, SLOT), SLOT, List.of(), false));
        events.addAll(awaitedBefore < 4 ? List.of(await, begin) : List.of(begin, await));
        return plan.withArena(4 * SLOT).withTransfers(new Transfers(List.of(new PlaceSize("below", 2 * SLOT)), events));
    }

    @Test
    void theLastStoreRunsOnBesideTheNextStep() throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        AtomicInteger stored = new AtomicInteger();
        Consumer<Transfer> ahead = transfer -> {
            if (transfer.name().equals("d")) {
                assertThat(waits(held)).isTrue();
                stored.incrementAndGet();
            }
        };
        Lanes.Options lanes = new Lanes.Options(size -> new HostPlace(size.bytes()), true, ahead);
        ExecutionPlan plan = storingTheLast(3);
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, true, lanes))) {
            executable.run(1);
            assertThat(executable.moved().storedBytes()).as("stored by step 1").isEqualTo(2 * SLOT);
            assertThat(executable.moved().fetchedBytes()).isEqualTo(SLOT);
            // The store of a, for which kernel 2 waits, stands behind that of d in its lane.
            executable.run(2, 0, 2);
            assertThat(stored).hasValue(0);
            held.countDown();
            executable.run(2, 2, 4);
            assertThat(stored).hasPositiveValue();
            assertThat(executable.moved().storedBytes()).as("stored by both").isEqualTo(4 * SLOT);
        }
        assertThat(stored).hasValue(2);
    }

    private static boolean waits(CountDownLatch latch) {
        try {
            return latch.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The twin of the test above: what is awaited behind the last kernel has ended with the step. */
    @Test
    void aStepEndsWithWhatItAwaits() {
        AtomicInteger stored = new AtomicInteger();
        Consumer<Transfer> ahead = transfer -> {
            LockSupport.parkNanos(20_000_000);
            stored.addAndGet(transfer.name().equals("d") ? 1 : 0);
        };
        Lanes.Options lanes = new Lanes.Options(size -> new HostPlace(size.bytes()), true, ahead);
        ExecutionPlan plan = storingTheLast(4);
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, true, lanes))) {
            executable.run(1);
            assertThat(stored).hasValue(1);
        }
    }

    /** What a plan that takes turns with another finds in a place is what the other has stored there. */
    @Test
    void anotherPlanWaitsForWhatRunsOn() {
        ExecutionPlan plan = storingTheLast(3);
        AtomicInteger stored = new AtomicInteger();
        Consumer<Transfer> ahead = transfer -> {
            LockSupport.parkNanos(20_000_000);
            stored.addAndGet(transfer.name().equals("d") ? 1 : 0);
        };
        Lanes.Options lanes = new Lanes.Options(size -> new HostPlace(size.bytes()), true, ahead);
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, true, lanes));
                Executable other = executable.loadWithin(plan);
                Arena arena = Arena.ofConfined()) {
            executable.run(1);
            other.write(0, arena.allocate(TYPE.bytes()));
            assertThat(stored).hasValue(1);
            other.run(1);
            executable.run(2, 0, 1);
            assertThat(stored).hasValue(2);
        }
    }

    @Test
    void aStoreThatFailsBehindItsStepEndsTheNext() {
        Places full = size -> new Place() {
            @Override
            public void store(MemorySegment source, long offset) throws IOException {
                if (offset > 0) {
                    throw new IOException("no space left");
                }
            }

            @Override
            public void fetch(long offset, MemorySegment target) {}

            @Override
            public void close() {}
        };
        Lanes.Options lanes = new Lanes.Options(full, true, transfer -> {});
        try (CpuExecutable executable =
                new CpuExecutable(storingTheLast(3), new CpuExecutable.Options(1, true, lanes))) {
            executable.run(1);
            assertThatThrownBy(() -> executable.run(2))
                    .isInstanceOf(PlaceException.class)
                    .hasMessage("'d' cannot be stored to below: no space left");
        }
    }

    @Test
    void aPlaceThatFailsEndsTheRun(@TempDir Path folder) throws IOException {
        Places torn = size -> new Place() {
            @Override
            public void store(MemorySegment source, long offset) {}

            @Override
            public void fetch(long offset, MemorySegment target) throws IOException {
                throw new IOException("the cable is out");
            }

            @Override
            public void close() {}
        };
        assertThatThrownBy(() -> run(plan(1), torn, transfer -> {}, 1))
                .isInstanceOf(PlaceException.class)
                .hasMessage("'a' cannot be fetched from below: the cable is out");
        assertThatThrownBy(() -> run(plan(1), Places.NONE, transfer -> {}, 1))
                .isInstanceOf(PlaceException.class)
                .hasMessage("the plan moves tensors to 'below', which is not given");
        assertThatThrownBy(() -> new DiskPlace(folder, 1L << 60))
                .isInstanceOf(PlaceException.class)
                .hasMessageContaining("bytes free, and the plan takes " + (1L << 60));
        assertThatThrownBy(() -> new DiskPlace(folder.resolve("nowhere"), 4096))
                .isInstanceOf(PlaceException.class)
                .hasMessageContaining("there is no folder ");
        assertThat(files(folder)).isEmpty();
    }

    @Test
    void foldersInMemoryAreNoDisks() {
        Path memory = Path.of("/dev/shm");
        assumeTrue(Files.isDirectory(memory));
        assertThatThrownBy(() -> new DiskPlace(memory, 4096))
                .isInstanceOf(PlaceException.class)
                .hasMessage("/dev/shm lies in memory (tmpfs), not on a disk");
    }
}
