package dev.remat.compiler.memory;

import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent;
import dev.remat.ir.execution.TransferEvent.Await;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.op.Message;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Receive;
import dev.remat.ir.op.Send;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Proves that no copy races a kernel or another copy: of any two accesses to a byte of which one writes, the plan
 * orders one before the other. Knows the plan alone, and nothing of how its waits were found.
 *
 * <p>Order is what every run keeps to: a lane does one thing after another; a transfer begins when kernels have come
 * to where it stands and what it waits for has ended; kernels wait at an await; a round ends when all lanes have, but
 * for stores that run on beside the next step. Where there are such, a second step is proven to follow the first; what
 * then still runs is what ran behind the first, so that every later step follows likewise.
 * Every access has a vector clock (Mattern, 1989; Fidge, 1988), one count for each lane, which tells what has ended
 * before it begins. A wait names only what has begun before, so that no plan can come to a standstill.
 */
public final class LaneChecker {
    /** Number of the kernels' lane. */
    private static final int COMPUTE = 0;

    /** Number of the arena among the places. */
    private static final int ARENA = 0;

    private final ExecutionPlan plan;
    private final List<AccessedBytes> places = new ArrayList<>();
    /** Of each lane: how many events of every lane have ended when its next one begins. */
    private final int[][] clocks;
    /** The same when each transfer has ended. */
    private final List<int[]> ended = new ArrayList<>();
    /** The same of stores that run on from the step before, by number. */
    private final SortedMap<Integer, int[]> endedBefore = new TreeMap<>();

    private final List<Transfer> transfers = new ArrayList<>();
    /** By the step that begins them. */
    private final SortedMap<Integer, ExchangeWindow> windows = new TreeMap<>();
    /** When exchanges have ended, by the step in front of which kernels wait for them. */
    private final SortedMap<Integer, List<int[]>> exchanged = new TreeMap<>();

    private final boolean[] released;
    private int at;

    private LaneChecker(ExecutionPlan plan, List<ExchangeWindow> windows) {
        this.plan = plan;
        windows.forEach(window -> this.windows.put(window.begin(), window));
        int below = plan.transfers().places().size();
        int lanes = 2 + plan.transfers().lanes() + messageLanes(plan);
        this.clocks = new int[lanes][lanes];
        this.released = new boolean[plan.transfers().events().size()];
        for (int place = 0; place <= below; place++) {
            places.add(new AccessedBytes());
        }
    }

    /** Messages to each stage have a lane, and those from each, which other lanes tell nothing of. */
    private static int messageLanes(ExecutionPlan plan) {
        return 2
                * (1
                        + ExchangeWindow.of(plan).stream()
                                .map(window -> op(plan, window))
                                .filter(Message.class::isInstance)
                                .mapToInt(op -> ((Message) op).stage())
                                .max()
                                .orElse(-1));
    }

    private static Op op(ExecutionPlan plan, ExchangeWindow window) {
        return plan.steps().get(window.begin()).body().instructions().getFirst().op();
    }

    /** @throws PlanViolationException at the first race */
    public static void check(ExecutionPlan plan) {
        check(plan, ExchangeWindow.of(plan));
    }

    /** @param windows in which exchanges run beside kernels, in the order in which they begin */
    static void check(ExecutionPlan plan, List<ExchangeWindow> windows) {
        if (!plan.transfers().isEmpty() || !windows.isEmpty()) {
            LaneChecker checker = new LaneChecker(plan, windows);
            checker.run();
            if (!plan.transfers().runningOn().isEmpty()) {
                checker.endStep();
                checker.run();
            }
        }
    }

    private void endStep() {
        SortedSet<Integer> runningOn = plan.transfers().runningOn();
        for (int number = 0; number < ended.size(); number++) {
            if (runningOn.contains(number)) {
                endedBefore.put(number, ended.get(number));
            } else {
                endBeforeKernels(ended.get(number));
            }
        }
        ended.clear();
        transfers.clear();
        Arrays.fill(released, false);
    }

    private void run() {
        at = 0;
        plan.inputs().stream()
                .filter(input -> input.isInArena() && !input.kind().isPersistent())
                .forEach(input -> write(COMPUTE, ARENA, input.range(), input.name()));
        int next = 0;
        List<TransferEvent> events = plan.transfers().events();
        for (Section section : plan.sections()) {
            for (at = section.from(); at < section.to(); at++) {
                while (next < events.size() && events.get(next).before() <= at) {
                    run(events.get(next++));
                }
                Optional<ExchangeWindow> exchange = exchangeAt(at);
                if (exchange.isPresent()) {
                    exchange(exchange.get());
                } else {
                    run(plan.steps().get(at));
                }
                endExchanges(at + 1);
            }
            if (section.to() < plan.steps().size()) {
                ended.forEach(this::endBeforeKernels);
            }
        }
        while (next < events.size()) {
            run(events.get(next++));
        }
    }

    private void run(TransferEvent event) {
        switch (event) {
            case Begin(int _, Transfer transfer) -> begin(transfer);
            case Await(int _, int number)
            when number >= ended.size() -> endedBefore(number).ifPresent(this::endBeforeKernels);
            case Await(int _, int number) -> {
                endBeforeKernels(ended.get(number));
                Transfer transfer = transfers.get(number);
                if (transfer.isStore() && transfer.frees() && !released[number]) {
                    released[number] = true;
                    write(COMPUTE, ARENA, transfer.range(), transfer.name());
                }
            }
        }
    }

    private void begin(Transfer transfer) {
        int lane = 1 + transfer.laneNumber();
        join(clocks[lane], clocks[COMPUTE]);
        for (int other : transfer.waits()) {
            Optional<int[]> end = other < ended.size() ? Optional.of(ended.get(other)) : endedBefore(other);
            end.ifPresent(clock -> join(clocks[lane], clock));
        }
        clocks[lane][lane]++;
        int below = 1 + transfer.place();
        read(lane, transfer.isStore() ? ARENA : below, transfer.source(), transfer.name());
        write(lane, transfer.isStore() ? below : ARENA, transfer.target(), transfer.name());
        ended.add(clocks[lane].clone());
        transfers.add(transfer);
    }

    private void run(KernelStep step) {
        clocks[COMPUTE][COMPUTE]++;
        for (MemoryRead read : step.reads()) {
            read(COMPUTE, ARENA, new ByteRange(read.offset(), read.bytes()), "an operand");
        }
        for (MemoryWrite write : step.writes()) {
            write(COMPUTE, ARENA, new ByteRange(write.offset(), write.bytes()), write.name());
        }
        write(COMPUTE, ARENA, step.workspace(), "workspace");
        step.freed().forEach(freed -> write(COMPUTE, ARENA, freed, "what is freed"));
    }

    private Optional<ExchangeWindow> exchangeAt(int step) {
        return Optional.ofNullable(windows.get(step));
    }

    /**
     * What an exchange sends is read, by this rank or another, and what it brings is written, some time until kernels
     * wait for its end; what is free behind it is so from then on.
     */
    private void exchange(ExchangeWindow window) {
        int lane = switch (op(plan, window)) {
            case Send send -> clocks.length - 2 - 2 * send.stage();
            case Receive receive -> clocks.length - 3 - 2 * receive.stage();
            case Op _ -> clocks.length - 1;
        };
        join(clocks[lane], clocks[COMPUTE]);
        clocks[lane][lane]++;
        String name = plan.steps().get(window.begin()).name();
        read(lane, ARENA, window.sent(), name);
        write(lane, ARENA, window.received(), name);
        exchanged.computeIfAbsent(window.end(), _ -> new ArrayList<>()).add(clocks[lane].clone());
    }

    /** Exchanges end in the order in which they have begun. */
    private void endExchanges(int step) {
        SortedMap<Integer, List<int[]>> ends = exchanged.headMap(step + 1);
        ends.values().forEach(clocks -> clocks.forEach(this::endBeforeKernels));
        ends.clear();
    }

    /** Empty in the first step, which none stands before. */
    private Optional<int[]> endedBefore(int number) {
        return Optional.ofNullable(endedBefore.get(number));
    }

    private void endBeforeKernels(int[] clock) {
        join(clocks[COMPUTE], clock);
    }

    private static void join(int[] clock, int[] other) {
        Arrays.setAll(clock, lane -> Math.max(clock[lane], other[lane]));
    }

    private void read(int lane, int place, ByteRange range, String name) {
        places.get(place).read(range, lane, clocks[lane]).ifPresent(race -> {
            throw violation(name, range, place, "is read", race);
        });
    }

    private void write(int lane, int place, ByteRange range, String name) {
        places.get(place).write(range, lane, clocks[lane]).ifPresent(race -> {
            throw violation(name, range, place, "is written", race);
        });
    }

    private PlanViolationException violation(
            String name, ByteRange range, int place, String use, AccessedBytes.Race race) {
        String where = at < plan.steps().size()
                ? KernelStepChecker.describe(at, plan.steps().get(at))
                : "end of the plan";
        String of = place == ARENA
                ? "the arena"
                : "place '" + plan.transfers().places().get(place - 1).name() + "'";
        String other = race.lane() == COMPUTE
                ? "a kernel"
                : race.lane() > plan.transfers().lanes() ? "an exchange" : race.lane() % 2 == 1 ? "a store" : "a fetch";
        String does = race.writes() ? "write" : "read";
        return new PlanViolationException(
                at, where, name, range, "of %s %s while %s may still %s it".formatted(of, use, other, does));
    }
}
