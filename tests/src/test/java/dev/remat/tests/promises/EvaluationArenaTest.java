package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileEvaluation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.Executable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.lane.HostPlace;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.train.Evaluation;
import dev.remat.runtime.train.Evaluator;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An evaluation between the steps of a training needs no memory of its own, and changes nothing. */
@Tag("slow")
class EvaluationArenaTest {
    private static final String GPT = "B=2,T=8,vocab=30,width=16,depth=2,heads=2,context=8";
    private static final CpuExecutable.Options POISON = new CpuExecutable.Options(2, true);

    private record Plans(Compilation trained, ExecutionPlan within, ExecutionPlan alone) {
        ExecutionPlan step() {
            return trained.plan();
        }
    }

    private static Plans plans(String sample, String settings, String strategy) throws IOException {
        String text = TrialRun.sample(sample);
        ElaboratedModel evaluation = TrialRun.elaborate(text, settings, Purpose.EVALUATE);
        Compilation step = TrialRun.compile(text, settings, strategy);
        CpuTarget target = new CpuTarget();
        ExecutionPlan within =
                CompileEvaluation.run(new Compiler(target, new RooflineCost(target.device())), step, evaluation);
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
            Evaluator evaluator = new Evaluator(within, data.evaluation(InputFeed.specs(plans.within())));
            Evaluator reference = new Evaluator(alone, data.evaluation(InputFeed.specs(plans.alone())));
            for (int i = 0; i < 3; i++) {
                trainer.step();
                String before = trainer.state().hash();
                Evaluation found = evaluator.evaluate(3);
                assertThat(trainer.state().hash()).isEqualTo(before);
                copyParameters(trainer.state().tensors(), alone);
                assertThat(found).isEqualTo(reference.evaluate(3));
            }
            assertThat(trainer.state().hash()).isEqualTo(stateWithoutEvaluation(plans.step()));
        }
    }

    /** Parameters that live below come from there, early where the arena has room for it; nothing is stored. */
    @ParameterizedTest
    @CsvSource({"1, ALL, DEPTH", "2, STATE, DEPTH", "2, STATE, BREADTH"})
    void itFindsWhatLivesBelow(int parts, Movable movable, MicroBatchOrder order) throws IOException {
        String text = TrialRun.sample("bert");
        String settings = "B=4,T=4,vocab=11,width=128,depth=2,heads=2,hidden=128,context=4";
        ElaboratedModel evaluation = TrialRun.cut(text, settings, Purpose.EVALUATE, parts, DType.F32);
        ElaboratedModel training =
                TrialRun.cut(text, settings, Purpose.TRAIN, parts, DType.F32).with(order);
        Tier disk = new Tier("disk", 1L << 40, 1_500_000_000, 2_000_000_000, 1_000);
        CompileOptions options = CompileOptions.defaults().with(Effort.QUICK).with(new Below(List.of(disk), movable));
        Compilation below = TrialRun.compile(training, options);
        Compilation still = TrialRun.compile(training, CompileOptions.defaults());
        CpuTarget target = new CpuTarget();
        Compiler compiler = new Compiler(target, new RooflineCost(target.device()));
        ExecutionPlan within = CompileEvaluation.run(compiler, below, evaluation);
        assertThat(within.arenaBytes()).isEqualTo(below.plan().arenaBytes());
        assertThat(within.transfers().all()).isNotEmpty().noneMatch(Transfer::isStore);
        assertThat(kept(within)).isEqualTo(kept(below.plan()));

        String expected = evaluated(still, CompileEvaluation.run(compiler, still, evaluation));
        assertThat(evaluated(below, within)).isEqualTo(expected);
    }

    /** Losses, evaluations and hashes of a training in places that are late at times; what is freed is poisoned. */
    private static String evaluated(Compilation trained, ExecutionPlan within) {
        Random random = new Random(1);
        Lanes.Options lanes = new Lanes.Options(
                size -> new HostPlace(size.bytes()), true, transfer -> LockSupport.parkNanos(random.nextInt(300_000)));
        ExecutionPlan step = trained.plan().withArena(within.arenaBytes());
        StringBuilder found = new StringBuilder();
        try (CpuExecutable training = new CpuExecutable(step, new CpuExecutable.Options(1, true, lanes));
                Executable evaluating = training.loadWithin(within);
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(training, data.training(InputFeed.specs(step), step.seed()));
            Evaluator evaluator = new Evaluator(evaluating, data.evaluation(InputFeed.specs(within)));
            for (int i = 0; i < 3; i++) {
                found.append(trainer.step().loss()).append(' ').append(evaluator.evaluate(3));
                found.append(trainer.state().hash()).append(' ');
            }
        }
        return found.toString();
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
        Compilation trained = TrialRun.compile(text, GPT, "keep-all");
        ExecutionPlan small = trained.plan();
        ElaboratedModel large = TrialRun.elaborate(text, GPT.replace("B=2", "B=64"), Purpose.EVALUATE);
        CpuTarget target = new CpuTarget();
        ExecutionPlan within =
                CompileEvaluation.run(new Compiler(target, new RooflineCost(target.device())), trained, large);
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
        assertThatThrownBy(() -> CompileEvaluation.run(compiler, gpt.trained(), other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the other plan keeps no");
    }
}
