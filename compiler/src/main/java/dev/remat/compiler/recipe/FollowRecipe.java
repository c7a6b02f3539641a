package dev.remat.compiler.recipe;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.RealizedPlan;
import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.search.BudgetSearch;
import dev.remat.compiler.search.Choice;
import dev.remat.compiler.search.MeasuredPlan;
import dev.remat.compiler.solve.AnswerReader;
import dev.remat.compiler.solve.SolveAnswer;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainedValue;
import dev.remat.ir.target.TargetModel;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/** Plans a step as a recipe says: everything is compiled as ever, but the sequence is the recipe's. */
public final class FollowRecipe {
    private FollowRecipe() {}

    /**
     * The compilation that the recipe was made of, but for its seconds.
     *
     * @param target that was planned for
     * @throws StaleRecipeException if this version of remat makes other nodes of the model, so that the sequence suits
     *     it no more
     */
    public static Compilation run(PlanRecipe recipe, TargetModel target) {
        try {
            Compiler compiler = new Compiler(target, recipe.costs());
            CompileOptions options =
                    CompileOptions.defaults().with(recipe.below()).with(recipe.chunks());
            PreparedStep step = compiler.prepare(recipe.model().step(recipe.purpose()), options);
            Source sequence = new Source(RecipeFiles.SEQUENCE, recipe.sequence());
            SolveAnswer answer = AnswerReader.read(sequence, step.planning().problem());
            PreparedStep asked = answer.budgetBytes().isPresent()
                    ? step.with(options.withBudget(answer.budgetBytes().getAsLong()))
                    : step;
            return compiler.compile(asked, search -> choice(asked, search, answer, recipe));
        } catch (ModelException e) {
            throw new StaleRecipeException(e.diagnostics().getFirst().message(), e);
        } catch (IllegalArgumentException e) {
            throw new StaleRecipeException(e.getMessage(), e);
        }
    }

    private static Choice<RealizedPlan> choice(
            PreparedStep step, BudgetSearch<RealizedPlan> search, SolveAnswer answer, PlanRecipe recipe) {
        RealizedPlan keepAll = search.keepAll();
        RematProblem problem = step.planning().problem();
        RealizedPlan plan = search.measure(Proposal.of(problem, sequence(problem, answer, recipe)));
        return new Choice<>(
                plan,
                new MeasuredPlan(keepAll.proposal(), keepAll.bytes()),
                step.floor(),
                answer.budgetBytes(),
                claimed(answer.smallestFoundBytes()),
                new LowerBound(
                        claimed(answer.lowerBoundCost()),
                        BoundScope.parse(answer.boundScope().orElse(""))),
                recipe.tighteningRounds());
    }

    private static OperatorSequence sequence(RematProblem problem, SolveAnswer answer, PlanRecipe recipe) {
        List<RetainedValue> retained = IntStream.range(0, problem.valueCount())
                .filter(v -> recipe.retained().containsKey(problem.valueId(v)))
                .mapToObj(v -> new RetainedValue(v, recipe.retained().get(problem.valueId(v))))
                .toList();
        int[] steps = answer.sequence().steps().toArray();
        return new OperatorSequence(answer.sequence().strategy(), steps, retained);
    }

    private static long claimed(OptionalLong number) {
        return number.orElseThrow(() -> new IllegalArgumentException("the sequence lacks what a search knew of it"));
    }
}
