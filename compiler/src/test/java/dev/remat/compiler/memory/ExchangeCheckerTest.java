package dev.remat.compiler.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.execution.BuildExecutionPlan;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.RankProgram.Await;
import dev.remat.compiler.memory.RankProgram.Begin;
import dev.remat.compiler.memory.RankProgram.Event;
import dev.remat.compiler.memory.RankProgram.Round;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.GatherShares;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.text.GraphParser;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Ranks that stand still for ever, or get other bytes than they take, each beside a twin that does not. */
class ExchangeCheckerTest {
    private static final String SCATTER = "%a = scatter_shares{ranks=2}(%x)\n";
    private static final String GATHER = "%b = gather_shares{ranks=2}(%x)\n";
    private static final String KERNEL = "%c = softmax(%x)\n";

    private static ExecutionPlan plan(int elements, String... nodes) {
        KernelGraph kernels = Kernels.of(
                GraphParser.parse("input %x f32[" + elements + "]\n" + String.join("", nodes) + outputs(nodes)));
        return BuildExecutionPlan.run(kernels, PlanArena.run(kernels, Kernels.TARGET), "00", "test", 0);
    }

    private static String outputs(String... nodes) {
        return Stream.of(nodes)
                .map(node -> "output " + node.substring(0, 2) + "\n")
                .reduce("", String::concat);
    }

    private static RankProgram program(ExecutionPlan plan) {
        return RankProgram.of(plan, ExchangeWindow.of(plan));
    }

    private static void refuses(String problem, ExecutionPlan... ranks) {
        List<RankProgram> programs =
                Stream.of(ranks).map(ExchangeCheckerTest::program).toList();
        assertThatThrownBy(() -> ExchangeChecker.check(programs))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining(problem);
    }

    private static void accepts(ExecutionPlan... ranks) {
        ExchangeChecker.check(Stream.of(ranks).map(ExchangeCheckerTest::program).toList());
    }

    @Test
    void ranksOfOnePlanComeToTheEnd() {
        ExecutionPlan plan = plan(2048, SCATTER, KERNEL, GATHER);
        ExchangeChecker.check(plan);
        accepts(plan, plan);
    }

    @Test
    void exchangesThatAreSwappedOnOneRankDoNotMeet() {
        refuses(
                "rank 1 exchanges 'b' (gather_shares of 8192 bytes to 16384) where rank 0 exchanges 'a'"
                        + " (scatter_shares of 8192 bytes to 8192)",
                plan(2048, SCATTER, GATHER),
                plan(2048, GATHER, SCATTER));
        // Kernels may be swapped: others notice nothing of them.
        accepts(plan(2048, SCATTER, KERNEL, GATHER), plan(2048, KERNEL, SCATTER, GATHER));
    }

    @Test
    void aRankThatLacksAnExchangeLeavesOthersWaiting() {
        refuses(
                "rank 0 waits for ever for 'b': rank 1 is at the end of the round",
                plan(2048, SCATTER, GATHER),
                plan(2048, SCATTER));
        refuses(
                "rank 1 waits for ever for 'b': rank 0 is at the end of the round",
                plan(2048, SCATTER),
                plan(2048, SCATTER, GATHER));
        accepts(plan(2048, KERNEL), plan(2048, KERNEL));
    }

    @Test
    void bytesAreAsManyOnEachRank() {
        refuses("gather_shares of 4096 bytes to 8192", plan(2048, GATHER), plan(1024, GATHER));
        accepts(plan(1024, GATHER), plan(1024, GATHER));
    }

    @Test
    void asManyRanksExchangeAsThereAre() {
        ExecutionPlan plan = plan(2048, GATHER);
        refuses("is exchanged among 2 of 3 ranks", plan, plan, plan);
        accepts(plan, plan);
    }

    /** From the step of the exchange to the step in front of which kernels wait. */
    private static RankProgram until(ExecutionPlan plan, int end) {
        ExchangeWindow window = ExchangeWindow.of(plan).getFirst();
        return RankProgram.of(plan, List.of(new ExchangeWindow(window.begin(), end, window.sent(), window.received())));
    }

    @Test
    void nobodyWaitsForWhatHasNotBegun() {
        ExecutionPlan plan = plan(2048, KERNEL, GATHER);
        assertThatThrownBy(() -> ExchangeChecker.check(Collections.nCopies(2, until(plan, 1))))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining("step 1: ", "rank 0 waits for an exchange that it has not begun");
        ExchangeChecker.check(Collections.nCopies(2, until(plan, 2)));
    }

    @Test
    void aRoundEndsWithNothingUnderWay() {
        ExecutionPlan plan = plan(2048, GATHER, KERNEL);
        assertThatThrownBy(() -> ExchangeChecker.check(Collections.nCopies(2, until(plan, 3))))
                .isInstanceOf(PlanViolationException.class)
                .hasMessageContaining("rank 0 goes on to the next round while 'b' may run");
        // One may wait sooner than the other.
        ExchangeChecker.check(List.of(until(plan, 1), until(plan, 2)));
    }

    @Test
    void ranksGoThroughAsManyRounds() {
        List<Event> events = List.of(begin(0, 0), new Await(1, 0));
        RankProgram twice = new RankProgram(List.of(new Round(0, 2, events)));
        RankProgram thrice = new RankProgram(List.of(new Round(0, 3, events)));
        assertThatThrownBy(() -> ExchangeChecker.check(List.of(twice, thrice, twice)))
                .hasMessageContaining("rank 1 has 3 rounds, rank 0 has 2");
        assertThatThrownBy(() -> ExchangeChecker.check(List.of(twice, new RankProgram(List.of()), twice)))
                .hasMessageContaining("rank 1 has other sections than rank 0");
        ExchangeChecker.check(List.of(thrice, thrice, thrice));
    }

    private static Begin begin(int step, int kind) {
        Exchange op = kind == 0 ? new GatherShares(3) : new ScatterShares(3);
        return new Begin(step, "e" + kind, op, 64, 64);
    }

    /** Three ranks do what chance says, at speeds of chance, by an executor that knows nothing of proofs. */
    @Test
    void whatIsRefusedIsWhatStandsStill() {
        Random chance = new Random(7);
        int stood = 0;
        for (int round = 0; round < 3000; round++) {
            List<Event> own = events(chance);
            List<List<Event>> ranks = new ArrayList<>(Collections.nCopies(3, own));
            if (chance.nextInt(3) > 0) {
                ranks.set(chance.nextInt(3), mutated(own, chance));
            }
            boolean comesToAnEnd = IntStream.range(0, 5).allMatch(_ -> runs(ranks, chance));
            boolean accepted = isAccepted(ranks);
            assertThat(accepted).as("%s", ranks).isEqualTo(comesToAnEnd);
            stood += accepted ? 0 : 1;
        }
        assertThat(stood).isBetween(500, 2500);
    }

    private static boolean isAccepted(List<List<Event>> ranks) {
        try {
            ExchangeChecker.check(ranks.stream()
                    .map(events -> new RankProgram(List.of(new Round(0, 1, events))))
                    .toList());
            return true;
        } catch (PlanViolationException e) {
            return false;
        }
    }

    private static List<Event> events(Random chance) {
        List<Event> events = new ArrayList<>();
        int begun = 0;
        int awaited = 0;
        while (events.size() < 10) {
            if (awaited < begun && chance.nextBoolean()) {
                events.add(new Await(events.size(), awaited++));
            } else {
                events.add(begin(events.size(), chance.nextInt(2)));
                begun++;
            }
        }
        while (awaited < begun) {
            events.add(new Await(events.size(), awaited++));
        }
        return events;
    }

    /** Two neighbours swapped, one left out, or another kind of exchange. */
    private static List<Event> mutated(List<Event> events, Random chance) {
        List<Event> other = new ArrayList<>(events);
        int at = chance.nextInt(events.size() - 1);
        switch (chance.nextInt(3)) {
            case 0 -> Collections.swap(other, at, at + 1);
            case 1 -> other.remove(at);
            default -> {
                if (other.get(at) instanceof Begin begin) {
                    other.set(at, begin(begin.step(), begin.name().equals("e0") ? 1 : 0));
                }
            }
        }
        return other;
    }

    /** Whether all come to the end with nothing under way, and each exchange is of one kind. */
    private static boolean runs(List<List<Event>> ranks, Random chance) {
        int[] at = new int[ranks.size()];
        List<List<String>> begun = Stream.generate(() -> (List<String>) new ArrayList<String>())
                .limit(ranks.size())
                .toList();
        // Of each rank, how many exchanges it has come to the end of, and may not go on before others have.
        int[] waiting = new int[ranks.size()];
        int[] over = new int[ranks.size()];
        int idle = 0;
        while (idle < 200) {
            int rank = chance.nextInt(ranks.size());
            idle++;
            if (over[rank] < waiting[rank]) {
                int number = over[rank];
                boolean all = IntStream.range(0, ranks.size())
                        .allMatch(other -> over[other] > number
                                || waiting[other] > number && begun.get(other).size() > number);
                if (all) {
                    over[rank]++;
                    idle = 0;
                }
            } else if (at[rank] < ranks.get(rank).size()) {
                switch (ranks.get(rank).get(at[rank]++)) {
                    case Begin begin -> begun.get(rank).add(begin.name());
                    case Await(int _, int number) -> waiting[rank] = Math.max(waiting[rank], number + 1);
                }
                idle = 0;
            }
        }
        for (int rank = 0; rank < ranks.size(); rank++) {
            boolean ended = at[rank] == ranks.get(rank).size()
                    && over[rank] == waiting[rank]
                    && over[rank] == begun.get(rank).size();
            if (!ended || !begun.get(rank).equals(begun.getFirst())) {
                return false;
            }
        }
        return true;
    }
}
