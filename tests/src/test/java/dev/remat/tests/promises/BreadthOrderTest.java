package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.batch.MicroBatchOrder;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.TransferEvent.Begin;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Tier;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A step that takes all micro-batches through a layer before the next has the bits of one that runs in rounds. */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
class BreadthOrderTest {
    private static final List<Tier> TIERS = List.of(new Tier("disk", 1L << 40, 3_000_000_000L, 7_000_000_000L, 2_000));
    private static final String WIDE = "B=8,T=4,vocab=11,width=128,depth=3,heads=2,context=4,drop=0.1";

    private static Compilation compile(
            String name, String settings, int parts, DType precision, MicroBatchOrder order, CompileOptions options)
            throws IOException {
        ElaboratedModel model = TrialRun.cut(TrialRun.sample(name), settings, Purpose.TRAIN, parts, precision);
        return TrialRun.compile(model.with(order), options.with(Effort.QUICK));
    }

    /**
     * Clipped gradients, dropout, targets that are counted first, statistics of batches, recurrence, averages of
     * parameters, draws of normal numbers, scaled losses.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt | B=8,T=5,vocab=11,width=8,depth=2,heads=2,context=8,drop=0.1 | 4 | F32",
                "gpt | B=8,T=5,vocab=11,width=8,depth=2,heads=2,context=8,drop=0.1 | 2 | BF16",
                "bert | B=4,T=4,vocab=11,width=8,depth=1,heads=2,hidden=12,context=4 | 2 | F32",
                "lstm | B=4,T=3,features=3,width=4,depth=2,classes=5 | 4 | F32",
                "mlp | B=6,width=8 | 3 | F16",
                "vae | B=4 | 2 | F32",
                "ddpm | B=4,steps=5,width=4,factors=[1,2],units=1,attends=[false,true],groups=2,image=8 | 2 | F32",
                "resnet-cifar | B=8,depth=20,classes=3,width=2,image=8 | 2 | F32"
            })
    void theBitsAreThoseOfRounds(String name, String settings, int parts, DType precision) throws IOException {
        CompileOptions keeping = CompileOptions.defaults().withStrategy("keep-all");
        ExecutionPlan rounds = compile(name, settings, parts, precision, MicroBatchOrder.DEPTH, keeping)
                .plan();
        assertThat(rounds.isInSections()).isTrue();
        String expected = MovingRun.train(rounds, any -> {});
        for (String strategy : List.of("keep-all", "sqrt")) {
            ExecutionPlan breadth = compile(
                            name,
                            settings,
                            parts,
                            precision,
                            MicroBatchOrder.BREADTH,
                            CompileOptions.defaults().withStrategy(strategy))
                    .plan();
            assertThat(breadth.sections())
                    .containsExactly(new Section(0, breadth.steps().size(), 1));
            assertThat(breadth.inputs()).noneMatch(input -> input.kind() == InputKind.MICRO_BATCH);
            int known = breadth.stepsToLosses();
            assertThat(breadth.steps().subList(0, known))
                    .noneMatch(step -> step.role() == Role.UPDATE
                            && step.writes().stream().anyMatch(write -> isState(breadth, write.offset())));
            assertThat(MovingRun.train(breadth, any -> {})).as(strategy).isEqualTo(expected);
        }
    }

    private static boolean isState(ExecutionPlan plan, long offset) {
        return plan.inputs().stream()
                .anyMatch(input -> input.kind().isPersistent() && input.isInArena() && input.offset() == offset);
    }

    /** Without a budget, all that the forward pass leaves for the backward pass is moved, as in rounds. */
    @Test
    void activationsLeaveAsInRounds() throws IOException {
        CompileOptions moving = CompileOptions.defaults().with(new Below(TIERS, Movable.ACTIVATIONS));
        moving = moving.withStrategy("offload-activations");
        long rounds = stored(compile("gpt", WIDE, 4, DType.F32, MicroBatchOrder.DEPTH, moving)
                .plan());
        assertThat(rounds).isPositive();
        assertThat(stored(compile("gpt", WIDE, 4, DType.F32, MicroBatchOrder.BREADTH, moving)
                        .plan()))
                .isEqualTo(rounds);
    }

    /** Bytes of blocks in a step. */
    private static long stored(ExecutionPlan plan) {
        return plan.transfers().events().stream()
                .filter(event -> event instanceof Begin(int _, Transfer transfer)
                        && transfer.isStore()
                        && transfer.name().startsWith("block"))
                .mapToLong(event -> ((Begin) event).transfer().range().bytes()
                        * plan.section(event.before()).times())
                .sum();
    }

    /** Targets are counted in front of all else, and where that ends is not where the backward pass begins. */
    @Test
    void whatIsCountedFirstIsNoBackwardPass() throws IOException {
        CompileOptions keeping = CompileOptions.defaults().withStrategy("keep-all");
        List<Role> roles = compile("gpt", WIDE, 4, DType.F32, MicroBatchOrder.BREADTH, keeping).plan().steps().stream()
                .map(KernelStep::role)
                .toList();
        long forward = roles.stream().filter(role -> role == Role.FORWARD).count();
        assertThat((long) roles.indexOf(Role.BACKWARD)).isGreaterThan(forward / 2);
    }

    /** Parameters come once for all micro-batches of a pass, and not for each. */
    @Test
    void parametersComeOnceForAll() throws IOException {
        String text = "gpt";
        CompileOptions still = CompileOptions.defaults().withStrategy("keep-all");
        String expected = MovingRun.train(
                compile(text, WIDE, 4, DType.F32, MicroBatchOrder.DEPTH, still).plan(), any -> {});
        CompileOptions below = CompileOptions.defaults().with(new Below(TIERS, Movable.STATE));
        ExecutionPlan depth =
                compile(text, WIDE, 4, DType.F32, MicroBatchOrder.DEPTH, below).plan();
        ExecutionPlan breadth = compile(text, WIDE, 4, DType.F32, MicroBatchOrder.BREADTH, below)
                .plan();
        Map<String, Integer> inRounds = fetches(depth);
        Map<String, Integer> once = fetches(breadth);
        assertThat(once.keySet()).isNotEmpty();
        once.forEach((parameter, times) ->
                assertThat(times).as(parameter).isLessThanOrEqualTo(3).isLessThan(inRounds.get(parameter)));
        Random random = new Random(3);
        assertThat(MovingRun.train(breadth, transfer -> LockSupport.parkNanos(random.nextInt(300_000))))
                .isEqualTo(expected);
    }

    /** How often each parameter that lives below is fetched in a step, in all rounds. */
    private static Map<String, Integer> fetches(ExecutionPlan plan) {
        Map<String, Integer> fetches = new LinkedHashMap<>();
        plan.inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER && !input.isInArena())
                .forEach(input -> fetches.put(input.name(), 0));
        plan.transfers().events().forEach(event -> {
            if (event instanceof Begin(int before, Transfer transfer) && !transfer.isStore()) {
                fetches.computeIfPresent(
                        transfer.name(),
                        (name, times) -> times
                                + plan.section(Math.min(before, plan.steps().size() - 1))
                                        .times());
            }
        });
        return fetches;
    }

    /** Without clipping, a gradient is complete, used and gone when its layer is through. */
    @Test
    void gradientsNeedNotLiveAtOnce() throws IOException {
        String text = """
            remat 1

            model Deep {
              symbol B
              input x: f32[B, 64]

              h = x
              repeat 12 { h = h + linear(h, 64) |> tanh }
              loss = mean(h * h)
            }

            train {
              minimize loss
              optimizer sgd(lr = 1e-3)
            }
            """;
        ElaboratedModel cut = TrialRun.cut(text, "B=8", Purpose.TRAIN, 4, DType.F32);
        CompileOptions quick = CompileOptions.defaults().withStrategy("keep-all");
        ExecutionPlan depth = TrialRun.compile(cut, quick).plan();
        ExecutionPlan breadth =
                TrialRun.compile(cut.with(MicroBatchOrder.BREADTH), quick).plan();
        assertThat(MovingRun.train(breadth, any -> {})).isEqualTo(MovingRun.train(depth, any -> {}));
        long parameters = 12 * (64 * 64 + 64) * Float.BYTES;
        assertThat(depth.arenaBytes()).isGreaterThan(2 * parameters);
        assertThat(breadth.arenaBytes()).isLessThan(parameters * 3 / 2);
    }
}
