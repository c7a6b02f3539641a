package dev.remat.compiler.recipe;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.RealizedPlan;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.elaborate.Elaborator;
import dev.remat.compiler.plan.BoundScope;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.Proposal;
import dev.remat.compiler.search.BudgetSearch;
import dev.remat.compiler.search.Choice;
import dev.remat.compiler.search.MeasuredPlan;
import dev.remat.compiler.solve.AnswerReader;
import dev.remat.compiler.solve.SolveAnswer;
import dev.remat.compiler.split.CutBatch;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.RetainedValue;
import dev.remat.ir.target.TargetModel;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
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
            CompileOptions options = CompileOptions.defaults().with(recipe.below());
            PreparedStep step = compiler.prepare(elaborate(recipe, recipe.purpose()), options);
            Source sequence = new Source(RecipeFiles.SEQUENCE, recipe.sequence());
            SolveAnswer answer = AnswerReader.read(sequence, step.planning().problem());
            return compiler.compile(step, search -> choice(step, search, answer, recipe));
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

    /**
     * The recipe's model for a step that may have another purpose.
     *
     * @throws ModelException if this version of remat refuses the model
     */
    public static ElaboratedModel elaborate(PlanRecipe recipe, Purpose purpose) {
        Bindings settings = Bindings.of(recipe.settings());
        Function<Bindings, ElaboratedModel> elaborate = elaboration(recipe, purpose);
        return CutBatch.run(elaborate.apply(settings), settings, elaborate);
    }

    private static Function<Bindings, ElaboratedModel> elaboration(PlanRecipe recipe, Purpose purpose) {
        Model model = ModelParser.parse(recipe.sources().getFirst(), includes(recipe.sources()));
        return given -> Elaborator.elaborate(model, given, purpose)
                .withPrecision(recipe.precision())
                .withMicroBatches(recipe.microBatches())
                .with(recipe.microBatchOrder())
                .withSeed(recipe.seed());
    }

    /**
     * The recipe's model for an evaluation beside its step.
     *
     * @param trained by the step
     */
    public static ElaboratedModel evaluation(PlanRecipe recipe, ElaboratedModel trained) {
        return CutBatch.ofEvaluation(
                elaborate(recipe, Purpose.EVALUATE),
                trained,
                Bindings.of(recipe.settings()),
                elaboration(recipe, Purpose.EVALUATE));
    }

    /** Finds nothing but the recipe's files. */
    private static IncludeResolver includes(List<Source> sources) {
        Map<String, Source> byName = new LinkedHashMap<>();
        sources.forEach(source -> byName.put(source.file(), source));
        return (path, from) -> {
            String name = Path.of(from.file()).resolveSibling(path).normalize().toString();
            Source source = byName.get(name);
            return source == null
                    ? new IncludeResolver.Refused("E0109", "the recipe has no file '" + name + "'")
                    : new IncludeResolver.Found(source);
        };
    }
}
