package dev.remat.compiler.ranks;

import dev.remat.compiler.ranks.RankTraffic.Sent;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Section;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How long the exchanges of a step run beside kernels, and how long kernels wait for them. All ranks are taken to come
 * to an exchange at once.
 *
 * @param nanos of all exchanges, one behind the other
 * @param waits of kernels, the longest first
 */
public record ExchangeTimes(double nanos, List<Wait> waits) {
    /** For how long kernels wait in a step for one exchange of the plan. */
    public record Wait(String name, double nanos) {}

    private record Open(ExchangeWindow window, Sent sent, double end) {}

    public ExchangeTimes {
        waits = List.copyOf(waits);
    }

    /** In which no kernel runs. */
    public double waited() {
        return waits.stream().mapToDouble(Wait::nanos).sum();
    }

    /** @param kernels nanoseconds of each step; of exchanges they do not count */
    public static ExchangeTimes of(ExecutionPlan plan, List<Long> kernels, Link link) {
        return new Reckoning(plan, kernels, link).run();
    }

    private static final class Reckoning {
        private final ExecutionPlan plan;
        private final List<Long> kernels;
        private final Link link;
        private final RankTraffic traffic;
        private final List<ExchangeWindow> windows;
        private final Map<Integer, Double> waits = new TreeMap<>();
        private final Deque<Open> open = new ArrayDeque<>();
        private double now;
        private double laneFree;

        Reckoning(ExecutionPlan plan, List<Long> kernels, Link link) {
            this.plan = plan;
            this.kernels = kernels;
            this.link = link;
            this.traffic = RankTraffic.of(plan);
            this.windows = ExchangeWindow.of(plan);
        }

        ExchangeTimes run() {
            int next = 0;
            for (Section section : plan.sections()) {
                for (int step = section.from(); step < section.to(); step++) {
                    await(step, section.times());
                    if (next < windows.size() && windows.get(next).begin() == step) {
                        begin(windows.get(next), traffic.exchanges().get(next));
                        next++;
                    } else {
                        now += kernels.get(step);
                    }
                }
                await(section.to(), section.times());
            }
            List<Wait> found = new ArrayList<>();
            waits.forEach(
                    (step, nanos) -> found.add(new Wait(plan.steps().get(step).name(), nanos)));
            found.sort(Comparator.comparingDouble((Wait wait) -> -wait.nanos()));
            return new ExchangeTimes(traffic.nanos(link), found);
        }

        private void begin(ExchangeWindow window, Sent sent) {
            laneFree = Math.max(now, laneFree) + link.nanos(traffic.ranks(), sent.bytes());
            open.add(new Open(window, sent, laneFree));
        }

        /** They end in the order in which they have begun. */
        private void await(int step, int rounds) {
            while (open.stream().anyMatch(each -> each.window().end() <= step)) {
                Open first = open.remove();
                double wait = Math.max(0, first.end() - now);
                now += wait;
                waits.merge(first.window().begin(), rounds * wait, Double::sum);
            }
        }
    }
}
