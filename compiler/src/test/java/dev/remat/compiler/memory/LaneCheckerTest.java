package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Unary;
import dev.remat.ir.plan.Lane;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A chain of values of 256 bytes of which two leave the arena and come back, and what becomes of the plan when one of
 * its waits, positions or places is wrong.
 *
 * <pre>
 * kernel  reads     writes      before it
 * 0       x at 0    a at 256
 * 1       a at 256  b at 512    store a to 0
 * 2       b at 512  c at 768    store b to 256; await a
 * 3       c at 768  d at 256
 * 4       d at 256  e at 768    await b, fetch b' from 256 to 512
 * 5       b' at 512 f at 256    await b', fetch a' from 0 to 1024
 * 6       a' at 1024 g at 512   await a'
 * </pre>
 */
class LaneCheckerTest {
    private static final TensorType TYPE = TensorType.of(DType.F32, 64);
    private static final long BYTES = TYPE.bytes();
    private static final Location HERE = new Location("chain.model", 1, 1);

    private static final int X = 0;
    private static final int A = 1;
    private static final int B = 2;
    private static final int C = 3;
    private static final int D = 4;
    private static final int E = 5;
    private static final int F = 6;
    private static final int G = 7;
    private static final int B_AGAIN = 8;
    private static final int A_AGAIN = 9;

    private static final List<KernelStep> KERNELS = List.of(
            kernel(X, 0, A, 256),
            kernel(A, 256, B, 512),
            kernel(B, 512, C, 768),
            kernel(C, 768, D, 256),
            kernel(D, 256, E, 768),
            kernel(B_AGAIN, 512, F, 256),
            kernel(A_AGAIN, 1024, G, 512));

    private static final TransferEvent STORE_A = begin(1, Lane.STORE, A, A, 256, 0);
    private static final TransferEvent STORE_B = begin(2, Lane.STORE, B, B, 512, 256);
    private static final TransferEvent FETCH_B = begin(4, Lane.FETCH, B_AGAIN, B, 512, 256, 1);
    private static final TransferEvent FETCH_A = begin(5, Lane.FETCH, A_AGAIN, A, 1024, 0, 0);

    private static final List<TransferEvent> EVENTS = List.of(
            STORE_A, STORE_B, new Await(2, 0), new Await(4, 1), FETCH_B, new Await(5, 2), FETCH_A, new Await(6, 3));

    private static KernelStep kernel(int read, long from, int write, long to) {
        KernelStepBuilder step = new KernelStepBuilder("v" + write, Role.FORWARD, HERE);
        Operand operand = step.read(MemoryRead.dense(read, from, TYPE));
        step.add(new Unary(Unary.Kind.EXP), List.of(TYPE), List.of(operand));
        return step.write(MemoryWrite.dense(write, "v" + write, to, TYPE, 0, 0)).build();
    }

    private static TransferEvent begin(
            int before, Lane lane, int value, int stored, long offset, long below, int... waits) {
        List<Integer> others = new ArrayList<>();
        for (int other : waits) {
            others.add(other);
        }
        return new Begin(
                before,
                new Transfer(
                        lane,
                        0,
                        value,
                        stored,
                        "v" + stored,
                        new ByteRange(offset, BYTES),
                        below,
                        others,
                        lane == Lane.STORE));
    }

    private static ExecutionPlan plan(List<KernelStep> kernels, List<TransferEvent> events, Section... sections) {
        ArenaTensor x = new ArenaTensor(X, "x", TYPE, InputKind.DATA, Initializer.ZEROS, 0, HERE);
        return new ExecutionPlan(
                "chain",
                "00",
                "cpu",
                0,
                1280,
                List.of(x),
                kernels,
                List.of(sections),
                List.of(new PlanOutput("loss", G, TYPE, 512, 6)),
                new Transfers(List.of(new PlaceSize("disk", 512)), events));
    }

    private static ExecutionPlan plan(List<TransferEvent> events) {
        return plan(KERNELS, events, new Section(0, KERNELS.size(), 1));
    }

    private static List<TransferEvent> without(TransferEvent... left) {
        List<TransferEvent> events = new ArrayList<>(EVENTS);
        events.removeAll(List.of(left));
        return events;
    }

    private static List<TransferEvent> with(TransferEvent old, TransferEvent other) {
        List<TransferEvent> events = new ArrayList<>(EVENTS);
        events.set(events.indexOf(old), other);
        return events;
    }

    private static void refuse(List<TransferEvent> events, String race) {
        assertThatThrownBy(() -> LaneChecker.check(plan(events)))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining(race);
    }

    @Test
    void acceptsWhatIsOrdered() {
        assertThatCode(() -> LaneChecker.check(plan(EVENTS))).doesNotThrowAnyException();
        assertThatCode(() -> ArenaChecker.check(plan(EVENTS), 256)).doesNotThrowAnyException();
    }

    @Test
    void roundsEndWhenAllLanesHave() {
        List<Section> rounds = List.of(new Section(0, KERNELS.size(), 4));
        ExecutionPlan plan = plan(KERNELS, EVENTS, rounds.toArray(Section[]::new));
        assertThatCode(() -> LaneChecker.check(plan)).doesNotThrowAnyException();
        assertThatCode(() -> ArenaChecker.check(plan, 256)).doesNotThrowAnyException();
        ExecutionPlan cut = plan(KERNELS, without(new Await(4, 1)), new Section(0, 4, 1), new Section(4, 7, 1));
        assertThatCode(() -> LaneChecker.check(cut))
                .as("the end of a section is an await")
                .doesNotThrowAnyException();
    }

    @Test
    void aStoreMayNotBeOverwrittenBeforeItIsAwaited() {
        refuse(without(new Await(2, 0)), "of the arena is written while a store may still read it");
        assertThatCode(() -> LaneChecker.check(plan(with(new Await(2, 0), new Await(2, 1)))))
                .as("what begins later in a lane ends later")
                .doesNotThrowAnyException();
    }

    @Test
    void aFetchMayNotBeReadBeforeItIsAwaited() {
        refuse(without(new Await(5, 2)), "of the arena is read while a fetch may still write it");
        refuse(without(new Await(6, 3)), "of the arena is read while a fetch may still write it");
    }

    @Test
    void aFetchMayNotWriteWhereAStoreStillReads() {
        List<TransferEvent> events = new ArrayList<>(without(new Await(4, 1)));
        events.set(events.indexOf(FETCH_B), begin(4, Lane.FETCH, A_AGAIN, A, 512, 0, 0));
        refuse(events, "of the arena is written while a store may still read it");
        events.set(events.size() - 4, begin(4, Lane.FETCH, A_AGAIN, A, 512, 0, 1));
        assertThatCode(() -> LaneChecker.check(plan(events)))
                .as("with the wait")
                .doesNotThrowAnyException();
    }

    @Test
    void aFetchWaitsForItsStore() {
        TransferEvent early = begin(1, Lane.FETCH, A_AGAIN, A, 1024, 0);
        List<TransferEvent> events = new ArrayList<>(List.of(STORE_A, early));
        events.add(new Await(2, 0));
        events.add(new Await(6, 1));
        List<KernelStep> kernels = new ArrayList<>(KERNELS);
        kernels.set(5, kernel(E, 768, F, 256));
        assertThatThrownBy(() -> LaneChecker.check(plan(kernels, events, new Section(0, 7, 1))))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining("of place 'disk' is read while a store may still write it");
        events.set(1, begin(1, Lane.FETCH, A_AGAIN, A, 1024, 0, 0));
        assertThatCode(() -> LaneChecker.check(plan(kernels, events, new Section(0, 7, 1))))
                .as("with the wait")
                .doesNotThrowAnyException();
    }

    @Test
    void aPlaceMayNotBeTakenOneTransferTooEarly() {
        List<TransferEvent> events = new ArrayList<>(EVENTS);
        events.add(6, begin(5, Lane.STORE, E, E, 768, 256));
        assertThatCode(() -> LaneChecker.check(plan(renumbered(events, 6))))
                .as("behind the await of the fetch")
                .doesNotThrowAnyException();
        events.remove(6);
        events.add(5, begin(5, Lane.STORE, E, E, 768, 256));
        refuse(renumbered(events, 5), "of place 'disk' is written while a fetch may still read it");
    }

    /** With a fourth transfer at {@code at}: the last await is of the fifth then. */
    private static List<TransferEvent> renumbered(List<TransferEvent> events, int at) {
        List<TransferEvent> renumbered = new ArrayList<>(events);
        assertThat(at).isLessThan(events.size() - 1);
        renumbered.set(events.size() - 1, new Await(6, 4));
        return renumbered;
    }

    @Test
    void aFetchMovedAboveTheAwaitOfItsPlaceIsRefused() {
        List<TransferEvent> events = new ArrayList<>(EVENTS);
        events.set(3, FETCH_B);
        events.set(4, new Await(4, 1));
        refuse(events, "of the arena is written while a fetch may still write it");
    }

    /** The chain, which stores g at 512 behind its end; the next step writes b there first, by kernel 1. */
    private static List<TransferEvent> storingTheLast(TransferEvent... ahead) {
        List<TransferEvent> events = new ArrayList<>(List.of(ahead));
        events.addAll(EVENTS);
        events.sort(Comparator.comparingInt(TransferEvent::before));
        events.add(begin(7, Lane.STORE, G, G, 512, 0));
        return events;
    }

    @Test
    void aStoreMayRunOnUntilTheNextStepNeedsItsMemory() {
        assertThatCode(() -> LaneChecker.check(plan(storingTheLast())))
                .as("as the step ends")
                .doesNotThrowAnyException();
        List<TransferEvent> runningOn = storingTheLast(new Await(1, 4));
        assertThat(plan(runningOn).transfers().runningOn()).containsExactly(4);
        assertThatCode(() -> LaneChecker.check(plan(runningOn))).doesNotThrowAnyException();
        refuse(storingTheLast(new Await(2, 4)), "of the arena is written while a store may still read it");
    }

    /** What is stored to 0 of the place is fetched ahead of kernel 0 of the next step, beside what runs on. */
    @Test
    void aFetchWaitsForAStoreOfTheStepBefore() {
        TransferEvent again = begin(0, Lane.FETCH, A_AGAIN, G, 1024, 0);
        List<TransferEvent> events =
                List.of(again, new Await(1, 0), new Await(1, 1), begin(7, Lane.STORE, G, G, 512, 0));
        List<KernelStep> kernels = new ArrayList<>(KERNELS.subList(0, 5));
        kernels.add(kernel(E, 768, F, 256));
        kernels.add(kernel(F, 256, G, 512));
        Section all = new Section(0, 7, 1);
        assertThatThrownBy(() -> LaneChecker.check(plan(kernels, events, all)))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining("of place 'disk' is read while a store may still write it");
        List<TransferEvent> waiting = new ArrayList<>(events);
        waiting.set(0, begin(0, Lane.FETCH, A_AGAIN, G, 1024, 0, 1));
        assertThatCode(() -> LaneChecker.check(plan(kernels, waiting, all)))
                .as("with the wait")
                .doesNotThrowAnyException();
    }

    /** A caller writes data before the step begins, when what runs on still runs. */
    @Test
    void whatRunsOnMayNotLieWhereDataGoes() {
        List<TransferEvent> events = List.of(new Await(0, 0), begin(7, Lane.STORE, X, X, 0, 0));
        refuse(events, "of the arena is written while a store may still read it");
    }

    @Test
    void theArenaCheckerSeesWhatPlacesHold() {
        List<TransferEvent> swapped = with(FETCH_A, begin(5, Lane.FETCH, A_AGAIN, A, 1024, 256, 0));
        assertThatThrownBy(() -> ArenaChecker.check(plan(swapped), 256))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining("is fetched but is not in its place");
        List<TransferEvent> late = with(STORE_A, begin(2, Lane.STORE, B, B, 256, 0));
        assertThatThrownBy(() -> ArenaChecker.check(plan(List.of(late.get(0))), 256))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining("is stored from where it never was");
        TransferEvent wide = new Begin(
                1, new Transfer(Lane.STORE, 0, A, A, "v1", new ByteRange(256, 2 * BYTES), 0, List.of(), false));
        TransferEvent back = new Begin(
                5, new Transfer(Lane.FETCH, 0, A_AGAIN, A, "v1", new ByteRange(512, 2 * BYTES), 0, List.of(0), false));
        List<KernelStep> kernels = new ArrayList<>(KERNELS.subList(0, 5));
        kernels.add(kernel(E, 768, G, 512));
        ExecutionPlan blocks =
                plan(kernels, List.of(wide, new Await(2, 0), back, new Await(5, 1)), new Section(0, kernels.size(), 1));
        assertThatThrownBy(() -> ArenaChecker.check(blocks, 256))
                .as("a last block over another tensor")
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining("is read but is no longer there");
        List<TransferEvent> beyond = with(STORE_B, begin(2, Lane.STORE, B, B, 512, 512));
        assertThatThrownBy(() -> ArenaChecker.check(plan(beyond), 256))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining("leaves its place");
    }
}
