package dev.remat.compiler;

import dev.remat.compiler.known.KnownPlan;
import dev.remat.compiler.known.KnownPlanBytes;
import dev.remat.compiler.known.PlanStore;
import dev.remat.compiler.memory.FoundLayouts;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.search.BudgetSearch;
import dev.remat.compiler.search.Choice;
import dev.remat.compiler.search.MeasuredPlan;
import dev.remat.compiler.search.Request;
import dev.remat.compiler.search.Subject;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.TargetModel;
import java.util.Optional;
import java.util.function.Function;

/**
 * Plans a step as it was planned before, where a store knows how, and else searches and keeps what was found. Of a
 * known plan nothing is believed that can be checked: its sequence is evaluated, its kernels are formed, and its arena
 * is proven as if a search had just proposed it. What a search has proved, and what it measured of other plans, is
 * taken as it was kept.
 */
final class PlanOnce {
    private final Compiler compiler;
    private final TargetModel target;
    private final PlanStore store;

    PlanOnce(Compiler compiler, TargetModel target, PlanStore store) {
        this.compiler = compiler;
        this.target = target;
        this.store = store;
    }

    /** A share of what keeping everything takes is asked for as the bytes that it comes to. */
    Compilation run(PreparedStep step, Request request) {
        if (!isSearched(request)) {
            return compiler.compile(step, request::of);
        }
        if (request.budget().isPresent() && request.budget().get() instanceof Budget.Share share) {
            RealizedPlan keepAll = compiler.keepAll(step);
            Budget.Bytes bytes = new Budget.Bytes(share.bytes(keepAll.bytes()));
            Request inBytes = new Request(request.strategy(), Optional.of(bytes), request.proves());
            return run(step.with(step.options().with(bytes)), inBytes, search -> {
                search.begin(keepAll);
                return inBytes.of(search);
            });
        }
        return run(step, request, request::of);
    }

    /** @param search for what is not known */
    private Compilation run(
            PreparedStep step, Request request, Function<BudgetSearch<RealizedPlan>, Choice<RealizedPlan>> search) {
        if (store.equals(PlanStore.NONE)) {
            return compiler.compile(step, search);
        }
        KeyOfStep key = KeyOfStep.of(step, request, target);
        Optional<Compilation> known = store.find(key.whole()).flatMap(bytes -> again(step, request, key, bytes));
        return known.orElseGet(() -> {
            Compilation found = compiler.compile(step, search);
            boolean whole = !compiler.expired() || store.keepsWhatWasEnded();
            if (whole && Strategies.lacked().isEmpty()) {
                store.keep(key.whole(), KnownPlanBytes.write(known(found, step, key)));
            }
            return found;
        });
    }

    /** Keeping everything takes no search. */
    private static boolean isSearched(Request request) {
        boolean keepsAll = request.strategy()
                .map(planner -> planner.name().equals(new KeepAll().name()))
                .orElse(true);
        return request.budget().isPresent() || !keepsAll;
    }

    private KnownPlan known(Compilation found, PreparedStep asked, KeyOfStep key) {
        Choice<RealizedPlan> choice = found.search();
        RealizedPlan plan = choice.plan();
        boolean stateBelow =
                !plan.step().options().below().equals(asked.options().below());
        return new KnownPlan(
                stateBelow ? KeyOfStep.of(plan.step().planning().problem()) : key.problem(),
                stateBelow,
                plan.sequence(),
                plan.evaluation().cost(),
                plan.layouts(),
                plan.bytes(),
                choice.budgetBytes(),
                choice.keepAll().bytes(),
                choice.smallestFoundBytes(),
                choice.bound(),
                choice.tighteningRounds());
    }

    /** The plan that the store knows; empty where that turns out to be none. */
    private Optional<Compilation> again(PreparedStep asked, Request request, KeyOfStep key, byte[] bytes) {
        try {
            KnownPlan known = KnownPlanBytes.read(bytes);
            return Optional.of(compiler.compile(asked, _ -> choice(asked, request, key, known)));
        } catch (IllegalArgumentException | PlanViolationException e) {
            store.drop(key.whole(), e.getMessage());
            return Optional.empty();
        }
    }

    /** @throws IllegalArgumentException if it is no plan of the step within its budget */
    private Choice<RealizedPlan> choice(PreparedStep asked, Request request, KeyOfStep key, KnownPlan known) {
        long budget = known.budgetBytes().orElse(Long.MAX_VALUE);
        long askedFor =
                request.budget().map(share -> share.bytes(known.keepAllBytes())).orElse(Long.MAX_VALUE);
        demand(known.stateBelow() || askedFor == budget, "it is of another budget");
        PreparedStep step = known.stateBelow()
                ? compiler.withStateBelow(asked, budget)
                        .orElseThrow(() -> new IllegalArgumentException("the step has no state below its arena"))
                : asked;
        RematProblem problem = step.planning().problem();
        String solved = known.stateBelow() ? KeyOfStep.of(problem) : key.problem();
        demand(solved.equals(known.problem()), "it is of another problem");
        boolean keepsValues = known.sequence().retained().stream()
                .allMatch(kept -> kept.value() >= 0 && kept.value() < problem.valueCount());
        demand(keepsValues, "it keeps what is no value");
        Proposal proposal = Proposal.of(problem, known.sequence());
        RealizedPlan plan = compiler.realize(step, proposal, new FoundLayouts(known.layouts()));
        demand(proposal.evaluation().cost() == known.cost(), "its sequence costs something else");
        demand(plan.bytes() == known.bytes() && plan.bytes() <= budget, "its arena has another size");
        demand(known.bound().cost() <= known.cost(), "it costs less than any plan can");
        Subject<RealizedPlan> subject = compiler.subject(step);
        return new Choice<>(
                plan,
                new MeasuredPlan(subject.propose(new KeepAll(), PlannerOptions.none()), known.keepAllBytes()),
                subject.floor(),
                known.budgetBytes(),
                known.smallestFoundBytes(),
                known.bound(),
                known.tighteningRounds());
    }

    private static void demand(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise);
        }
    }
}
