package dev.remat.compiler.memory;

import dev.remat.compiler.memory.RankProgram.Await;
import dev.remat.compiler.memory.RankProgram.Begin;
import dev.remat.compiler.memory.RankProgram.Event;
import dev.remat.compiler.memory.RankProgram.Round;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanViolationException;
import java.util.ArrayList;
import java.util.List;

/**
 * Proves that ranks exchange the same bytes in the same order, and that none waits for ever, however fast each is.
 * Knows the plans alone, and nothing of how exchanges came to where they stand.
 *
 * <p>Ranks are run against each other as if an exchange moved nothing before all of them wait for it, which is the most
 * that an engine may ask for. A rank goes on by itself up to where it waits, and what it does next never depends on who
 * was faster, so that all orders in which ranks run end in the same place: if one comes to the end, all do, and those
 * of engines that wait for less as well. Where each round begins with no exchange under way, one round of each stands
 * for all.
 */
public final class ExchangeChecker {
    private final List<RankProgram> ranks;
    /** How many there are, of which two that do the same stand for all that do. */
    private final int count;

    private ExchangeChecker(List<RankProgram> ranks, int count) {
        this.ranks = ranks;
        this.count = count;
    }

    /**
     * Of ranks that all run one plan.
     *
     * @throws PlanViolationException if one of them waits for ever, or gets other bytes than it takes
     */
    public static void check(ExecutionPlan plan) {
        if (plan.ranks() > 1) {
            RankProgram program = RankProgram.of(plan, ExchangeWindow.of(plan));
            new ExchangeChecker(List.of(program, program), plan.ranks()).check();
        }
    }

    /** @param ranks what each does */
    static void check(List<RankProgram> ranks) {
        new ExchangeChecker(ranks, ranks.size()).check();
    }

    private void check() {
        int rounds = ranks.getFirst().rounds().size();
        for (int rank = 1; rank < ranks.size(); rank++) {
            if (ranks.get(rank).rounds().size() != rounds) {
                throw violation(0, "rank " + rank + " has other sections than rank 0");
            }
        }
        for (int round = 0; round < rounds; round++) {
            check(round);
        }
    }

    private void check(int round) {
        List<Standing> standing = new ArrayList<>();
        for (int rank = 0; rank < ranks.size(); rank++) {
            standing.add(new Standing(rank, ranks.get(rank).rounds().get(round)));
        }
        Standing first = standing.getFirst();
        for (Standing each : standing) {
            if (each.round.times() != first.round.times()) {
                throw violation(
                        each.round.begin(),
                        each + " has " + each.round.times() + " rounds, rank 0 has " + first.round.times());
            }
            each.goOn();
        }
        while (!first.isDone()) {
            Begin asked = first.waitsFor();
            for (Standing each : standing) {
                meet(first, asked, each);
            }
            standing.forEach(Standing::end);
        }
        standing.forEach(each -> meetAtEnd(first, each));
    }

    private void meet(Standing first, Begin asked, Standing each) {
        if (each.isDone()) {
            throw violation(
                    asked.step(),
                    first + " waits for ever for '" + asked.name() + "': " + each + " is at the end of the round");
        }
        if (asked.op().ranks() != count) {
            throw violation(
                    asked.step(),
                    "'" + asked.name() + "' is exchanged among " + asked.op().ranks() + " of " + count + " ranks");
        }
        Begin other = each.waitsFor();
        if (!asked.fits(other)) {
            throw violation(other.step(), each + " exchanges " + other + " where " + first + " exchanges " + asked);
        }
    }

    private static void meetAtEnd(Standing first, Standing each) {
        if (!each.isDone()) {
            Begin asked = each.waitsFor();
            throw violation(
                    asked.step(),
                    each + " waits for ever for '" + asked.name() + "': " + first + " is at the end of the round");
        }
    }

    private static PlanViolationException violation(int step, String problem) {
        return new PlanViolationException(step, "step " + step, "exchanges", ByteRange.EMPTY, problem);
    }

    /** How far a rank has come in a round. */
    private static final class Standing {
        private final int rank;
        private final Round round;
        private final List<Begin> begun = new ArrayList<>();
        private int at;
        /** How many exchanges have ended. */
        private int ended;
        /** How many have to have ended before it goes on. */
        private int awaited;

        Standing(int rank, Round round) {
            this.rank = rank;
            this.round = round;
        }

        /** Up to where it waits for one more, or to the end of the round; those before one end before it. */
        void goOn() {
            while (awaited <= ended && at < round.events().size()) {
                Event event = round.events().get(at++);
                switch (event) {
                    case Begin begin -> begun.add(begin);
                    case Await(int step, int number)
                    when number >= begun.size() ->
                        throw violation(step, this + " waits for an exchange that it has not begun");
                    case Await(int _, int number) -> awaited = Math.max(awaited, number + 1);
                }
            }
            if (awaited <= ended && ended < begun.size()) {
                Begin open = begun.get(ended);
                throw violation(open.step(), this + " goes on to the next round while '" + open.name() + "' may run");
            }
        }

        /** What all wait for has come. */
        void end() {
            ended++;
            goOn();
        }

        boolean isDone() {
            return awaited <= ended;
        }

        Begin waitsFor() {
            return begun.get(ended);
        }

        @Override
        public String toString() {
            return "rank " + rank;
        }
    }
}
