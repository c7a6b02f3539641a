package dev.remat;

import dev.remat.cli.console.Json;
import dev.remat.cli.device.Device;
import dev.remat.cli.option.PlanOptions;
import dev.remat.cli.report.PlanJson;
import dev.remat.cli.trained.DescribeRun;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.OtherDecision;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.ValueFacts;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.checkpoint.RunFacts;
import dev.remat.runtime.train.InputFeed;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * A training step that fits its budget: what is kept, what is computed again, why, and at what price. A value, which
 * any thread may use.
 */
public final class Plan {
    /**
     * What the plan does with a tensor of the training step.
     *
     * @param type element type and shape, such as {@code f32[8, 64]}
     * @param bytes that it takes while it is in memory; 0 where it never is
     * @param location of the line in the model that makes it, such as {@code mlp.model:17:9}
     * @param state {@code kept} for the backward pass, {@code recomputed}, {@code resident} as parameters are, {@code
     *     freed} before the backward pass, {@code fused} into a kernel, and more, as {@code remat explain} tells them
     * @param reason why it is kept, such as {@code segment-boundary}
     * @param recomputations how often it is computed again
     */
    public record Decision(
            String tensor,
            String type,
            long bytes,
            String location,
            String state,
            Optional<String> reason,
            int recomputations) {}

    /**
     * What a step would take more, or less where it is negative, if one tensor were treated otherwise: dropped and
     * computed again where it is kept, kept where it is computed again.
     *
     * @param bytes of the peak, as planners reckon
     */
    public record Price(double millis, long bytes) {}

    private final Model model;
    private final Device device;
    private final Compilation compilation;
    private final PlanAccount account;

    Plan(Model model, Device device, Compilation compilation) {
        this.model = model;
        this.device = device;
        this.compilation = compilation;
        this.account = PlanAccount.of(compilation);
    }

    /** All that a step takes, in bytes: parameters, optimizer state, data, and what is computed. */
    public long arenaBytes() {
        return compilation.plan().arenaBytes();
    }

    /** How long a step takes, as costs say. */
    public double millis() {
        return compilation.costs().millis(compilation.cost()).orElseThrow();
    }

    /** Time of recomputations over that of a step without them. */
    public double recomputedShare() {
        return compilation.recomputedShare();
    }

    /** What the plan does with each tensor of the step, in the order in which they are computed. */
    public List<Decision> decisions() {
        return account.values().stream()
                .map(account::unpriced)
                .map(Plan::decision)
                .toList();
    }

    private static Decision decision(ValueFacts value) {
        return new Decision(
                value.value().name(),
                value.value().type().toString(),
                value.bytes(),
                value.location().toString(),
                value.state().label(),
                value.reason(),
                value.recomputations());
    }

    /** The price of the other decision about a tensor; empty where the plan has no choice. */
    public Optional<Price> priceOfOther(String tensor) {
        return OtherDecision.of(account, tensor).stream()
                .flatMap(other -> other.difference().stream())
                .findFirst()
                .map(other -> new Price(other.millis().orElseThrow(), other.peakBytes()));
    }

    /** Everything about the plan, as {@code remat plan --json} writes it. */
    public String json() {
        byte[] json = Json.bytes(new PlanJson(account, 0)::writeTo);
        return new String(json, StandardCharsets.UTF_8);
    }

    /** What a feed is asked for. */
    public List<Feed.Input> inputs() {
        return InputFeed.specs(compilation.plan()).stream().map(Feed.Input::of).toList();
    }

    /**
     * Begins a training with initial parameters.
     *
     * @throws OutOfMemoryError if the arena cannot be allocated
     */
    public Training train(Feed feed) {
        return train(feed, Optional.empty(), Optional.empty());
    }

    /**
     * The same with data to evaluate on, which takes turns with the step in one arena.
     *
     * @throws dev.remat.compiler.search.EvaluationBudgetException if an evaluation needs more than the budget
     */
    public Training train(Feed feed, Feed heldBack) {
        ElaboratedModel evaluation = model.session().evaluationBeside(compilation.model());
        return train(feed, Optional.of(PlanOptions.compileWithin(compilation, evaluation)), Optional.of(heldBack));
    }

    private Training train(Feed feed, Optional<ExecutionPlan> evaluation, Optional<Feed> heldBack) {
        long arena = evaluation.map(ExecutionPlan::arenaBytes).orElse(0L);
        Executable executable = device.load(compilation.plan().withArena(arena), false);
        try {
            RunFacts facts = DescribeRun.of(DescribeRun.of(compilation.model()), executable);
            return new Training(executable, facts, feed, evaluation, heldBack);
        } catch (RuntimeException | Error e) {
            executable.close();
            throw e;
        }
    }
}
