package dev.remat.compiler.memory;

import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.Section;
import dev.remat.ir.op.Exchange;
import dev.remat.ir.op.Op;
import java.util.ArrayList;
import java.util.List;

/** What a rank does about exchanges, in the order in which it does: all that others can notice of it. */
record RankProgram(List<Round> rounds) {
    /**
     * What is done as often as micro-batches come, or once.
     *
     * @param begin its first step
     */
    record Round(int begin, int times, List<Event> events) {
        Round {
            events = List.copyOf(events);
        }
    }

    /** What is done in front of a step, or is that step. */
    sealed interface Event {
        int step();
    }

    /**
     * Begins an exchange, without waiting for anybody.
     *
     * @param name of what it brings
     * @param sent bytes that the rank has for others
     * @param received bytes that it takes from all
     */
    record Begin(int step, String name, Exchange op, long sent, long received) implements Event {
        /** Whether both move as many bytes in the same way among as many ranks. */
        boolean fits(Begin other) {
            return op.equals(other.op) && sent == other.sent && received == other.received;
        }

        @Override
        public String toString() {
            return "'" + name + "' (" + op.mnemonic() + " of " + sent + " bytes to " + received + ")";
        }
    }

    /**
     * Waits until an exchange has ended.
     *
     * @param number of the exchange among those of the round, from 0
     */
    record Await(int step, int number) implements Event {}

    RankProgram {
        rounds = List.copyOf(rounds);
    }

    /** @param windows in which exchanges run beside kernels, in the order in which they begin */
    static RankProgram of(ExecutionPlan plan, List<ExchangeWindow> windows) {
        List<Round> rounds = new ArrayList<>();
        for (Section section : plan.sections()) {
            List<ExchangeWindow> own = windows.stream()
                    .filter(window -> section.contains(window.begin()))
                    .filter(window -> op(plan, window.begin()) instanceof Exchange)
                    .toList();
            List<Event> events = new ArrayList<>();
            for (int step = section.from(); step < section.to(); step++) {
                await(own, step, events);
                KernelStep kernel = plan.steps().get(step);
                if (op(plan, step) instanceof Exchange exchange) {
                    long received = kernel.writes().getFirst().bytes();
                    events.add(new Begin(
                            step, kernel.name(), exchange, kernel.read(0).bytes(), received));
                }
            }
            await(own, section.to(), events);
            rounds.add(new Round(section.from(), section.times(), events));
        }
        return new RankProgram(rounds);
    }

    private static Op op(ExecutionPlan plan, int step) {
        return plan.steps().get(step).body().instructions().getFirst().op();
    }

    private static void await(List<ExchangeWindow> windows, int step, List<Event> events) {
        for (int number = 0; number < windows.size(); number++) {
            if (windows.get(number).end() == step) {
                events.add(new Await(step, number));
            }
        }
    }
}
