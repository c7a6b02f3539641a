package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.remat.Below;
import dev.remat.compiler.remat.Below.Movable;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExchangeWindow;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.op.ScatterShares;
import dev.remat.ir.plan.Tier;
import dev.remat.runtime.Executable;
import dev.remat.runtime.ranks.Transport;
import dev.remat.tests.promises.RankRun.Outcome;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** However many ranks compute the micro-batches of a step, it leaves the bits that one rank leaves. */
@Tag("slow")
class RanksTest {
    private static final int[] RANKS = {2, 4, 8};
    /** Everything kept, and as little as recomputing leaves. */
    private static final List<String> STRATEGIES = List.of("keep-all", "peak-priority");

    /** Those whose plans differ. */
    private static final List<Sharding> LEVELS = List.of(Sharding.NONE, Sharding.OPTIMIZER, Sharding.PARAMETERS);

    @ParameterizedTest
    @MethodSource(TrainedInPieces.SAMPLES)
    void stateIsThatOfOneRank(String name, String settings, DType precision) throws IOException {
        Outcome alone = RankRun.train(RankRun.plan(name, settings, precision, 1, STRATEGIES.getFirst(), Sharding.NONE));
        int next = 0;
        for (int ranks : RANKS) {
            for (String strategy : STRATEGIES) {
                Sharding sharding = LEVELS.get(next++ % LEVELS.size());
                ExecutionPlan plan = RankRun.plan(name, settings, precision, ranks, strategy, sharding);
                assertThat(plan.isShared()).isEqualTo(sharding != Sharding.NONE);
                assertThat(plan.ranks()).isEqualTo(ranks);
                assertThat(plan.microBatches()).isEqualTo(RankRun.PIECES);
                assertThat(plan.steps())
                        .as("some sums are kept in shares")
                        .anyMatch(step -> step.body().instructions().getFirst().op() instanceof ScatterShares);
                assertThat(RankRun.train(plan))
                        .as("%s on %d ranks by %s, sharing %s", name, ranks, strategy, sharding)
                        .isEqualTo(alone);
            }
        }
    }

    /** Whatever a train block says, by gradients of which some are whole and some in shares. */
    @ParameterizedTest
    @MethodSource(TrainedInPieces.TRAININGS)
    void everyTrainingIsThatOfOneRank(String training) {
        String text = TrainedInPieces.text(training);
        for (DType precision : List.of(DType.F32, DType.F16)) {
            List<Outcome> outcomes = new ArrayList<>();
            for (Sharding sharding : LEVELS) {
                int[] numbers = sharding == Sharding.NONE
                        ? new int[] {1, 2}
                        : new int[] {sharding == Sharding.OPTIMIZER ? 2 : 8};
                for (int ranks : numbers) {
                    outcomes.add(RankRun.train(TrialRun.compile(
                                    TrialRun.cut(text, "B=16", Purpose.TRAIN, RankRun.PIECES, precision),
                                    CompileOptions.defaults().onRanks(ranks).with(sharding))
                            .plan()));
                }
            }
            assertThat(outcomes).as("%s in %s", training, precision).containsOnly(outcomes.getFirst());
        }
    }

    /** Takes everything as late as it may, and finds out whether kernels touch it meanwhile. */
    private record Suspicious(Transport transport) implements Transport {
        @Override
        public int rank() {
            return transport.rank();
        }

        @Override
        public Begun gather(MemorySegment own, MemorySegment all) {
            return watched(own, all, transport.gather(own, all));
        }

        @Override
        public Begun scatter(MemorySegment own, MemorySegment all) {
            return watched(own, all, transport.scatter(own, all));
        }

        private static Begun watched(MemorySegment own, MemorySegment all, Begun begun) {
            MemorySegment sent = MemorySegment.ofArray(own.toArray(ValueLayout.JAVA_BYTE));
            all.fill((byte) -1);
            MemorySegment untouched = MemorySegment.ofArray(all.toArray(ValueLayout.JAVA_BYTE));
            return () -> {
                assertThat(own.mismatch(sent)).as("what was sent").isEqualTo(-1);
                assertThat(all.mismatch(untouched)).as("what was awaited").isEqualTo(-1);
                begun.end();
            };
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpt | B=8,T=5,vocab=420,width=40,depth=2,heads=2,context=8",
                "resnet-cifar | B=8,depth=20,classes=3,width=12,image=8"
            })
    void nothingIsTouchedWhileItIsExchanged(String name, String settings) throws IOException {
        for (String strategy : STRATEGIES) {
            ExecutionPlan plan = RankRun.plan(name, settings, DType.F32, 4, strategy);
            Outcome right = RankRun.train(plan);
            assertThat(ExchangeWindow.of(plan))
                    .as("some run beside kernels")
                    .anyMatch(window -> window.end() > window.begin() + 2);
            try (Executable executable = RankRun.load(plan, Suspicious::new)) {
                assertThat(RankRun.train(executable)).isEqualTo(right);
            }
        }
    }

    /** A plan that moves tensors below the arena as well, in arenas whose freed bytes are overwritten. */
    @Test
    void exchangesRunBesideKernelsThatTransfersRunBeside() throws IOException {
        String settings = "B=8,T=5,vocab=420,width=40,depth=2,heads=2,context=8";
        Outcome right = RankRun.train(RankRun.plan("gpt", settings, DType.F32, 4, "keep-all"));
        Below below =
                new Below(List.of(new Tier("host", 1L << 40, 3_000_000_000L, 7_000_000_000L, 2_000)), Movable.ALL);
        ExecutionPlan moving = TrialRun.compile(
                        TrialRun.cut(TrialRun.sample("gpt"), settings, Purpose.TRAIN, RankRun.PIECES, DType.F32),
                        CompileOptions.defaults()
                                .with(below)
                                .withStrategy("offload")
                                .onRanks(4)
                                .with(Sharding.OPTIMIZER))
                .plan();
        assertThat(moving.transfers().isEmpty()).isFalse();
        assertThat(ExchangeWindow.of(moving)).anyMatch(window -> window.end() > window.begin() + 2);
        assertThat(RankRun.train(moving)).isEqualTo(right);
        try (Executable executable = RankRun.load(moving, Suspicious::new)) {
            assertThat(RankRun.train(executable)).isEqualTo(right);
        }
    }
}
