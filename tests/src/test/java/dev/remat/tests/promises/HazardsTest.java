package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.op.Literal;
import dev.remat.tests.promises.TrialRun.Outcome;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * What rematerialization has broken elsewhere, in one model: dropout, running statistics, tied weights, an auxiliary
 * loss, a metric, and a maximum among ties. {@code docs/correctness.md} lists the guards and all their tests.
 */
class HazardsTest {
    private static final String SETTINGS = "B=4";
    /** Recomputes everything that no pin keeps. */
    private static final String RECOMPUTING = "recursive";

    private static final String LOSS = "  loss = main + 0.5 * aux\n";
    private static final String TIED = "weight = inner.weight";
    private static final String MODEL = """
        remat 1
        model Hazards(width: int = 4) {
          symbol B
          input images: f32[B, 2, 8, 8]
          input labels: i32[B]
          x = images
          repeat 3 {
            x = conv2d(x, width, 3, padding = 1) as conv |> batch_norm |> relu |> dropout(0.3)
          }
          x = max_pool2d(x, 2)
          h = linear(flatten(x), 6)
          h = tanh(linear(h, 6, init = constant(0.2)) as inner)
          h = tanh(linear(h, 6, weight = inner.weight) as outer)
          logits = linear(h, 3)
          main = cross_entropy(logits, labels)
          aux = mean(h * h)
          loss = main + 0.5 * aux
          hits = accuracy(logits, labels)
          output hits
        }
        train {
          minimize loss
          optimizer sgd(lr = 0.1, momentum = 0.9)
          precision f32
          seed 3
        }
        """;

    @Test
    void effectsHappenOnceHoweverMuchIsRecomputed() {
        Map<String, Integer> kept = instructions(compile(MODEL, "keep-all"));
        Map<String, Integer> again = instructions(compile(MODEL, RECOMPUTING));
        for (String effect : List.of("update", "running_statistics")) {
            assertThat(kept.get(effect)).isPositive();
            assertThat(again.get(effect)).as(effect).isEqualTo(kept.get(effect));
        }
        for (String pure : List.of("conv2d", "dropout")) {
            assertThat(again.get(pure)).as(pure).isGreaterThan(kept.get(pure));
        }
    }

    @Test
    void lossMetricAndStateAreTheSame() {
        Outcome kept = TrialRun.train(compile(MODEL, "keep-all"), 3, 2, false);
        Outcome again = TrialRun.train(compile(MODEL, RECOMPUTING), 3, 2, true);
        assertThat(again.losses()).isEqualTo(kept.losses());
        assertThat(again.stateHash()).isEqualTo(kept.stateHash());
        Map<String, ByteBuffer> outputs = outputs(MODEL, "keep-all", false);
        assertThat(outputs).containsKeys("hits", "loss");
        assertThat(outputs(MODEL, RECOMPUTING, false)).isEqualTo(outputs);
    }

    /** The gradient is linear in the loss: an auxiliary loss that counted twice would add more than its half. */
    @Test
    void anAuxiliaryLossCountsOnce() {
        assertThat(MODEL).contains(LOSS);
        Map<String, ByteBuffer> both = outputs(MODEL, RECOMPUTING, true);
        Map<String, ByteBuffer> main = outputs(MODEL.replace(LOSS, "  loss = main + 0 * aux\n"), RECOMPUTING, true);
        Map<String, ByteBuffer> aux = outputs(MODEL.replace(LOSS, "  loss = 0 * main + aux\n"), RECOMPUTING, true);
        double moved = 0;
        for (String name : both.keySet()) {
            if (!name.equals("hits")) {
                DoubleBuffer sum = doubles(both, name);
                for (int i = 0; i < sum.limit(); i++) {
                    double half = 0.5 * doubles(aux, name).get(i);
                    assertThat(sum.get(i))
                            .as(name)
                            .isCloseTo(doubles(main, name).get(i) + half, within(1e-12));
                    moved += Math.abs(half);
                }
            }
        }
        assertThat(moved).isGreaterThan(0.1);
    }

    /** The gradient of a weight that is used twice is the sum of those of two weights of the same content. */
    @Test
    void aTiedWeightGetsBothGradients() {
        assertThat(MODEL).contains(TIED);
        Map<String, ByteBuffer> tied = outputs(MODEL, RECOMPUTING, true);
        Map<String, ByteBuffer> apart = outputs(MODEL.replace(TIED, "init = constant(0.2)"), RECOMPUTING, true);
        DoubleBuffer sum = doubles(tied, "grad.inner.weight");
        DoubleBuffer inner = doubles(apart, "grad.inner.weight");
        DoubleBuffer outer = doubles(apart, "grad.outer.weight");
        assertThat(tied).doesNotContainKey("grad.outer.weight");
        for (int i = 0; i < sum.limit(); i++) {
            assertThat(sum.get(i)).isCloseTo(inner.get(i) + outer.get(i), within(1e-12));
            assertThat(outer.get(i)).isNotZero();
        }
    }

    /** Kernels compute what the sequence says as often as it says: nothing merges a clone with its original. */
    @Test
    void everyRecomputationReachesTheLastStage() {
        for (String strategy : List.of("keep-all", RECOMPUTING, "recursive", "peak-priority")) {
            Compilation compilation = compile(MODEL, strategy);
            Map<String, Integer> asked = new TreeMap<>();
            compilation.sequence().steps().forEach(n -> {
                for (NodeId id : compilation.planning().group(n).nodes()) {
                    String op =
                            compilation.planning().fused().graph().node(id).op().mnemonic();
                    asked.merge(op, 1, Integer::sum);
                }
            });
            assertThat(instructions(compilation)).as(strategy).isEqualTo(asked);
        }
    }

    /** What a plan takes is a budget that it meets, so planning a second time contradicts nothing. */
    @Test
    void aSecondPlanAgreesWithTheFirst() {
        CompileOptions options = CompileOptions.defaults().withStrategy("peak-priority");
        long most = compile(MODEL, "keep-all").plan().arenaBytes();
        long least = TrialRun.compile(MODEL, SETTINGS, options).plan().arenaBytes();
        assertThat(least).isLessThan(most);
        CompileOptions within = options.withBudget((least + most) / 2);
        Compilation first = TrialRun.compile(MODEL, SETTINGS, within);
        Compilation same = TrialRun.compile(MODEL, SETTINGS, within);
        Compilation second = TrialRun.compile(
                MODEL, SETTINGS, options.withBudget(first.plan().arenaBytes()));
        assertThat(same.plan()).isEqualTo(first.plan());
        assertThat(first.memory().peakLiveBytes())
                .isLessThanOrEqualTo(first.evaluation().peakBytes());
        assertThat(second.plan().arenaBytes()).isLessThanOrEqualTo(first.plan().arenaBytes());
    }

    private static Compilation compile(String text, String strategy) {
        return TrialRun.compile(text, SETTINGS, strategy);
    }

    private static Map<String, ByteBuffer> outputs(String text, String strategy, boolean doubles) {
        CompileOptions options = CompileOptions.defaults().withStrategy(strategy);
        ElaboratedModel model = TrialRun.elaborate(text, SETTINGS, Purpose.GRADIENTS);
        return TrialRun.outputs(TrialRun.compile(doubles ? model.withPrecision(DType.F64) : model, options), 2);
    }

    private static DoubleBuffer doubles(Map<String, ByteBuffer> outputs, String name) {
        return outputs.get(name).order(ByteOrder.nativeOrder()).asDoubleBuffer();
    }

    /** How often each operation runs; literals stand inside whatever reads them. */
    private static Map<String, Integer> instructions(Compilation compilation) {
        Map<String, Integer> counts = new TreeMap<>();
        for (KernelStep step : compilation.plan().steps()) {
            step.body().instructions().stream()
                    .map(Instruction::op)
                    .filter(op -> !(op instanceof Literal))
                    .forEach(op -> counts.merge(op.mnemonic(), 1, Integer::sum));
        }
        return counts;
    }
}
