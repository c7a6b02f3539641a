package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Role;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.Executable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.Evaluation;
import dev.remat.runtime.train.Evaluator;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An evaluation between the steps of a training needs no memory of its own, and changes nothing. */
class EvaluationArenaTest {
    private static final String GPT = "B=2,T=8,vocab=30,width=16,depth=2,heads=2,context=8";
    private static final CpuExecutable.Options POISON = new CpuExecutable.Options(2, true);

    private record Plans(ExecutionPlan step, ExecutionPlan within, ExecutionPlan alone) {}

    private static Plans plans(String sample, String settings, String strategy) throws IOException {
        String text = TrialRun.sample(sample);
        ElaboratedModel evaluation = TrialRun.elaborate(text, settings, Purpose.EVALUATE);
        ExecutionPlan step = TrialRun.compile(text, settings, strategy).plan();
        CpuTarget target = new CpuTarget();
        ExecutionPlan within = new Compiler(target, new RooflineCost(target.device())).compileWithin(step, evaluation);
        Compilation alone = TrialRun.compile(evaluation, CompileOptions.defaults());
        return new Plans(step, within, alone.plan());
    }

    private static Map<String, Long> kept(ExecutionPlan plan) {
        Map<String, Long> offsets = new TreeMap<>();
        for (ArenaTensor input : plan.inputs()) {
            if (input.kind().isPersistent()) {
                offsets.put(input.name(), input.offset());
            }
        }
        return offsets;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt    | " + GPT + " | keep-all",
                "gpt    | " + GPT + " | sqrt",
                "resnet | B=2,layers=20,image=32 | sqrt",
                "mlp    | B=4,width=32 | keep-all"
            })
    void itsBitsAreThoseOfAnArenaOfItsOwn(String sample, String settings, String strategy) throws IOException {
        Plans plans = plans(sample, settings, strategy);
        assertThat(kept(plans.within())).isEqualTo(kept(plans.step()));
        ExecutionPlan step = plans.step().withArena(plans.within().arenaBytes());
        try (CpuExecutable training = new CpuExecutable(step, POISON);
                Executable within = training.loadWithin(plans.within());
                CpuExecutable alone = new CpuExecutable(plans.alone(), POISON);
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(training, data.training(InputFeed.specs(step), step.seed()));
            Evaluator evaluator = new Evaluator(within, data.evaluation(InputFeed.specs(plans.within())), 3);
            Evaluator reference = new Evaluator(alone, data.evaluation(InputFeed.specs(plans.alone())), 3);
            for (int i = 0; i < 3; i++) {
                trainer.step();
                String before = trainer.state().hash();
                Evaluation found = evaluator.evaluate();
                assertThat(trainer.state().hash()).isEqualTo(before);
                copyParameters(trainer.state().tensors(), alone);
                assertThat(found).isEqualTo(reference.evaluate());
            }
            assertThat(trainer.state().hash()).isEqualTo(stateWithoutEvaluation(plans.step()));
        }
    }

    private static void copyParameters(List<StoredTensor> tensors, Executable to) {
        Map<String, Long> offsets = kept(to.plan());
        for (StoredTensor tensor : tensors) {
            if (offsets.containsKey(tensor.name())) {
                to.write(offsets.get(tensor.name()), tensor.data());
            }
        }
    }

    private static String stateWithoutEvaluation(ExecutionPlan step) {
        try (CpuExecutable executable = new CpuExecutable(step, POISON);
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(step), step.seed()));
            for (int i = 0; i < 3; i++) {
                trainer.step();
            }
            return trainer.state().hash();
        }
    }

    /** The samples' evaluations find room in what their training takes. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"gpt | " + GPT + " | sqrt", "resnet | B=2,layers=20,image=32 | sqrt"})
    void theArenaStaysThatOfTheTraining(String sample, String settings, String strategy) throws IOException {
        Plans plans = plans(sample, settings, strategy);
        assertThat(plans.within().arenaBytes()).isEqualTo(plans.step().arenaBytes());
    }

    /** A loss that is not a number is seen before anything has been updated, running statistics included. */
    @ParameterizedTest
    @CsvSource({"keep-all", "sqrt", "segments=3"})
    void nothingIsUpdatedBeforeTheLossIsKnown(String strategy) throws IOException {
        ExecutionPlan plan = TrialRun.compile(TrialRun.sample("resnet"), "B=2,layers=20,image=32", strategy)
                .plan();
        int ready = plan.output(ExecutionPlan.LOSS).readyAfter() + 1;
        assertThat(plan.steps().subList(0, ready)).noneMatch(step -> step.role() == Role.UPDATE);
        assertThat(plan.steps()).anyMatch(step -> step.role() == Role.UPDATE);
    }

    @Test
    void anEvaluationThatNeedsMoreMakesTheArenaLarger() throws IOException {
        String text = TrialRun.sample("gpt");
        ExecutionPlan small = TrialRun.compile(text, GPT, "keep-all").plan();
        ElaboratedModel large = TrialRun.elaborate(text, GPT.replace("B=2", "B=64"), Purpose.EVALUATE);
        CpuTarget target = new CpuTarget();
        ExecutionPlan within = new Compiler(target, new RooflineCost(target.device())).compileWithin(small, large);
        assertThat(within.arenaBytes()).isGreaterThan(small.arenaBytes());
        try (CpuExecutable training = new CpuExecutable(small, POISON)) {
            assertThatThrownBy(() -> training.loadWithin(within).close())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("too small");
        }
    }

    @Test
    void anEvaluationOfAnotherModelIsRefused() throws IOException {
        Plans gpt = plans("gpt", GPT, "keep-all");
        CpuTarget target = new CpuTarget();
        ElaboratedModel other = TrialRun.elaborate(TrialRun.sample("mlp"), "B=4", Purpose.EVALUATE);
        Compiler compiler = new Compiler(target, new RooflineCost(target.device()));
        assertThatThrownBy(() -> compiler.compileWithin(gpt.step(), other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the other plan keeps no");
    }
}
