package dev.remat.compiler.search;

import dev.remat.compiler.plan.Chains;
import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Searches on strategies that are told what to answer, whose measure differs from their peak as told. */
abstract class ToldSearches {
    static final Planner SINGLE = new Sqrt();
    static final SearchListener LATE = new SearchListener() {
        @Override
        public void trying(String what) {}

        @Override
        public boolean expired() {
            return true;
        }
    };

    final List<Long> asked = new ArrayList<>();
    final List<Effort> efforts = new ArrayList<>();
    final List<String> measured = new ArrayList<>();
    final List<String> autoAsked = new ArrayList<>();
    private int steps;

    /** A problem of so many nodes of which only the number matters. */
    final class Told implements Subject<MeasuredPlan> {
        private final RematProblem problem;
        private final Map<String, Function<PlannerOptions, SequenceEvaluation>> answers = new LinkedHashMap<>();
        private final ToLongFunction<Proposal> bytes;
        final List<Proposal> found = new ArrayList<>();
        private Optional<Told> other = Optional.empty();
        private boolean oneForEachPeak;

        Told(int nodes, ToLongFunction<Proposal> bytes) {
            this.problem = Chains.equal(nodes / 2);
            this.bytes = bytes;
            answer("keep-all", options -> evaluation(1000, 0));
        }

        Told answer(String strategy, Function<PlannerOptions, SequenceEvaluation> answer) {
            answers.put(strategy, answer);
            return this;
        }

        /** What {@code auto} tells that it came by. */
        Told comingBy(String strategy, SequenceEvaluation evaluation) {
            found.add(new Proposal(new OperatorSequence(strategy, new int[] {steps++}, List.of()), evaluation));
            return this;
        }

        /** Plans of the same peak are the same. */
        Told oneForEachPeak() {
            oneForEachPeak = true;
            return this;
        }

        Told orWhereNoneFits(Told subject) {
            other = Optional.of(subject);
            return this;
        }

        @Override
        public Optional<Subject<MeasuredPlan>> whereNoneFits(long budgetBytes) {
            asked.add(budgetBytes);
            return other.map(subject -> subject);
        }

        @Override
        public RematProblem problem() {
            return problem;
        }

        @Override
        public MemoryFloor floor() {
            return new MemoryFloor(10, "something");
        }

        @Override
        public MeasuredPlan measure(Proposal proposal) {
            measured.add(proposal.sequence().strategy());
            return new MeasuredPlan(proposal, bytes.applyAsLong(proposal));
        }

        @Override
        public Proposal propose(Planner planner, PlannerOptions options) {
            if (planner.name().equals("auto")) {
                String how = planner.equals(Strategies.auto()) ? "from the beginning" : "onward";
                autoAsked.add(how + " for " + options.budgetBytes().orElse(-1));
                found.forEach(options.listener()::found);
            }
            SequenceEvaluation evaluation = answers.getOrDefault(planner.name(), any -> evaluation(2000, 2000))
                    .apply(options);
            if (planner.name().equals(SINGLE.name())) {
                asked.add(options.budgetBytes().orElse(-1));
                efforts.add(options.effort());
            }
            int step = oneForEachPeak ? (int) evaluation.peakBytes() : steps++;
            return new Proposal(new OperatorSequence(planner.name(), new int[] {step}, List.of()), evaluation);
        }
    }

    static SequenceEvaluation evaluation(long peak, long cost) {
        return new SequenceEvaluation(peak, 0, new long[1], cost, 1, 0, List.of());
    }

    /** Uses up all that it is given, down to {@code least}, and pays for what it is not given. */
    Told greedy(int nodes, long least, double measureOverPeak) {
        return greedy(
                nodes,
                least,
                proposal -> Math.round(measureOverPeak * proposal.evaluation().peakBytes()));
    }

    Told greedy(int nodes, long least, ToLongFunction<Proposal> bytes) {
        return new Told(nodes, bytes).answer(SINGLE.name(), options -> {
            long given = options.budgetBytes().orElse(least);
            return evaluation(Math.max(least, given), 100 - given);
        });
    }

    /** {@code auto} takes 10 more than its peak, so that it has to find less than the budget of 100, and costs 50. */
    Told autoTightened(int nodes, Map<String, Long> measures) {
        return new Told(nodes, proposal -> {
                    String strategy = proposal.sequence().strategy();
                    long peak = proposal.evaluation().peakBytes();
                    return measures.getOrDefault(strategy, strategy.equals("auto") ? peak + 10 : peak);
                })
                .answer("auto", options -> evaluation(options.budgetBytes().orElse(50), 50));
    }

    String chosen(Told subject) {
        return chosen(subject, Effort.QUICK, SearchListener.NONE);
    }

    String chosen(Told subject, Effort effort, SearchListener listener) {
        measured.clear();
        return new BudgetSearch<>(subject, effort, listener)
                .run(Optional.empty(), Optional.of(new Budget.Bytes(100)))
                .plan()
                .sequence()
                .strategy();
    }
}
