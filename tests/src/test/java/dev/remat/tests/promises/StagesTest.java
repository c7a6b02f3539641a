package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.CompileStages;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.plan.PlannerOptions.Effort;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.search.Budget;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanSet;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.TimedExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.cpu.Crew;
import dev.remat.runtime.ranks.RankedExecutable;
import dev.remat.runtime.ranks.StagedExecutable;
import dev.remat.runtime.ranks.Transport;
import dev.remat.tests.promises.RankRun.Outcome;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Into however many stages a step is cut, by whatever schedule, whatever they compute again and on however many ranks,
 * it leaves the bits that it leaves as one.
 */
@Tag("slow")
class StagesTest {
    private static final int PIECES = 4;

    /**
     * A way to run a step.
     *
     * @param strategy by which each stage is planned
     * @param ranks each with all stages
     */
    private record Way(Staging staging, String strategy, int ranks, Sharding sharding) {
        Way(int stages, Schedule schedule, String strategy) {
            this(new Staging(stages, schedule), strategy, 1, Sharding.NONE);
        }

        PlanSet plan(ElaboratedModel model) {
            return plan(model, CompileOptions.defaults().withStrategy(strategy));
        }

        PlanSet plan(ElaboratedModel model, CompileOptions options) {
            CpuTarget target = new CpuTarget();
            RooflineCost costs = new RooflineCost(target.device());
            return new CompileStages(new Compiler(target, costs), target, costs)
                    .run(model, options.onRanks(ranks).with(sharding), staging)
                    .plans();
        }
    }

    private static final List<Way> WAYS = List.of(
            new Way(2, Schedule.GPIPE, "pipe-never"),
            new Way(3, Schedule.ONE_F_ONE_B, "peak-priority"),
            new Way(2, Schedule.interleaved(2), "pipe-except-last"),
            new Way(4, Schedule.ZERO_BUBBLE, "pipe-always"),
            new Way(4, Schedule.ONE_F_ONE_B, "pipe-never"));

    private static final List<Way> ON_RANKS = List.of(
            new Way(new Staging(2, Schedule.ONE_F_ONE_B), "peak-priority", 2, Sharding.NONE),
            new Way(new Staging(3, Schedule.ZERO_BUBBLE), "pipe-never", 2, Sharding.OPTIMIZER),
            new Way(new Staging(2, Schedule.interleaved(2)), "pipe-always", 2, Sharding.PARAMETERS),
            new Way(new Staging(2, Schedule.GPIPE), "pipe-never", PIECES, Sharding.PARAMETERS));

    private static Outcome alone(ElaboratedModel model) {
        return RankRun.train(TrialRun.compile(model, CompileOptions.defaults()).plan());
    }

    @ParameterizedTest
    @MethodSource(TrainedInPieces.SAMPLES)
    void stateIsThatOfOneStage(String name, String settings, DType precision) throws IOException {
        ElaboratedModel model = TrialRun.cut(TrialRun.sample(name), settings, Purpose.TRAIN, PIECES, precision);
        Outcome alone = alone(model);
        for (Way way : WAYS) {
            assertThat(RankRun.train(way.plan(model))).as("%s, %s", name, way).isEqualTo(alone);
        }
    }

    @ParameterizedTest
    @MethodSource(TrainedInPieces.SAMPLES)
    void stateIsThatOfOneStageOnOneRank(String name, String settings, DType precision) throws IOException {
        ElaboratedModel model = TrialRun.cut(TrialRun.sample(name), settings, Purpose.TRAIN, PIECES, precision);
        Outcome alone = alone(model);
        for (Way way : ON_RANKS) {
            PlanSet set = way.plan(model);
            assertThat(set.ranks()).isEqualTo(way.ranks());
            assertThat(set.stages().stream().anyMatch(stage -> stage.isShared()))
                    .isEqualTo(way.sharding() != Sharding.NONE);
            assertThat(RankRun.train(set)).as("%s, %s", name, way).isEqualTo(alone);
        }
    }

    @ParameterizedTest
    @MethodSource(TrainedInPieces.TRAININGS)
    void everyTrainingIsThatOfOneStage(String training) {
        String text = TrainedInPieces.text(training);
        for (DType precision : List.of(DType.F32, DType.F16)) {
            ElaboratedModel model = TrialRun.cut(text, "B=16", Purpose.TRAIN, PIECES, precision);
            Outcome alone = alone(model);
            List<Way> ways = precision == DType.F32
                    ? List.of(WAYS.get(2), WAYS.get(3), ON_RANKS.get(2))
                    : List.of(WAYS.get(2), ON_RANKS.get(1));
            for (Way way : ways) {
                assertThat(RankRun.train(way.plan(model)))
                        .as("%s, %s", training, way)
                        .isEqualTo(alone);
            }
        }
    }

    /** A planner that runs nodes in another order leaves who waits behind the messages that come before. */
    @Test
    void stagesThatPlannersReorderDoNotStandStill() throws IOException {
        ElaboratedModel model = TrialRun.cut(
                TrialRun.sample("gpt"),
                "B=4,T=16,vocab=64,width=64,depth=3,heads=2,context=16",
                Purpose.TRAIN,
                PIECES,
                DType.F32);
        PlanSet set = new Way(2, Schedule.ONE_F_ONE_B, "auto")
                .plan(model, CompileOptions.defaults().with(Effort.QUICK).with(new Budget.Share(0.95)));
        assertThat(RankRun.train(set)).isEqualTo(alone(model));
    }

    private static final String DRAWN_BETWEEN = """
        remat 1
        model Drawn {
          symbol B
          input x: f32[B, 8]
          h = linear(x, 8) as first
          stage
          h = softmax(dropout(softmax(h, axis = 1), 0.5), axis = 1)
          stage
          loss = mean(linear(h, 3) as last)
        }
        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    /** Which exchanges nothing. */
    @Test
    void aStageWithoutParametersDrawsForItsRank() {
        ElaboratedModel model = TrialRun.cut(DRAWN_BETWEEN, "B=16", Purpose.TRAIN, PIECES, DType.F32);
        Staging staging = new Staging(3, Schedule.ONE_F_ONE_B);
        PlanSet set = new Way(staging, "pipe-never", 2, Sharding.NONE).plan(model);
        assertThat(set.stages().get(1).ranks()).isOne();
        assertThat(RankRun.train(set)).isEqualTo(alone(model));
    }

    private static final String LARGE_FIRST = """
        remat 1
        model Large {
          symbol B
          input x: f32[B, 700]
          h = linear(x, 700) as first |> tanh
          h = linear(h, 700) as second |> tanh
          repeat 60 {
            h = softmax(h, axis = 1) * 2.0 + tanh(h)
          }
          loss = mean(h ** 2)
        }
        train {
          minimize loss
          optimizer adam(lr = 0.01)
        }
        """;

    /**
     * Weight, gradient and two moments of a layer take 7.9 MB, and both layers are on the first of two stages that take
     * equally long.
     */
    @Test
    void aModelIsCutSoThatItsStagesFit() {
        ElaboratedModel model = TrialRun.cut(LARGE_FIRST, "B=64", Purpose.TRAIN, PIECES, DType.F32);
        long layer = 4 * 4 * (700 * 700 + 700);
        CompileOptions options = CompileOptions.defaults().with(Effort.QUICK);
        Way way = new Way(2, Schedule.ONE_F_ONE_B, "auto");
        assertThat(arenas(way.plan(model, options)).getFirst()).isGreaterThan(2 * layer);
        PlanSet roomy = way.plan(model, options.withBudget(3 * layer));
        assertThat(arenas(roomy)).isEqualTo(arenas(way.plan(model, options)));

        PlanSet tight = way.plan(model, options.withBudget(7 * layer / 4));
        assertThat(arenas(tight)).allMatch(bytes -> bytes > layer && bytes <= 7 * layer / 4);
        assertThat(RankRun.train(tight)).isEqualTo(alone(model));
    }

    private static List<Long> arenas(PlanSet set) {
        return set.stages().stream().map(ExecutionPlan::arenaBytes).toList();
    }

    /** Something else becomes of messages. */
    private record Changed(Transport transport, UnaryOperator<Transport.Begun> message) implements Transport {
        @Override
        public boolean runsOn() {
            return transport.runsOn();
        }

        @Override
        public int rank() {
            return transport.rank();
        }

        @Override
        public Begun gather(MemorySegment own, MemorySegment all) {
            return transport.gather(own, all);
        }

        @Override
        public Begun scatter(MemorySegment own, MemorySegment all) {
            return transport.scatter(own, all);
        }

        @Override
        public Begun send(MemorySegment own, int stage) {
            return message.apply(transport.send(own, stage));
        }

        @Override
        public Begun receive(MemorySegment into, int stage) {
            return message.apply(transport.receive(into, stage));
        }
    }

    /** A message that nobody waits for who does not work for others meanwhile. */
    private static Transport.Begun asked(Transport.Begun message) {
        AtomicBoolean asked = new AtomicBoolean();
        return new Transport.Begun() {
            @Override
            public void end() {
                assertThat(asked).isTrue();
                message.end();
            }

            @Override
            public void whenEnded(Runnable told) {
                asked.set(true);
                message.whenEnded(told);
            }
        };
    }

    @Test
    void aStageThatWaitsWorksForOthers() {
        String text = TrainedInPieces.text("minimize loss; optimizer adam(lr = 0.01)");
        ElaboratedModel model = TrialRun.cut(text, "B=16", Purpose.TRAIN, PIECES, DType.F32);
        PlanSet set = WAYS.get(1).plan(model);
        Crew crew = new Crew(3, 1, 3);
        try (TimedExecutable executable = StagedExecutable.load(
                set, (plan, transport) -> RankRun.rank(plan, crew, new Changed(transport, StagesTest::asked)))) {
            assertThat(RankRun.train(executable)).isEqualTo(alone(model));
        }
    }

    /** Others wait for what it would send or exchange, on its rank and on others. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Timeout(60)
    void aStageThatFailsEndsAll(int ranks) {
        String text = TrainedInPieces.text("minimize loss; optimizer adam(lr = 0.01)");
        ElaboratedModel model = TrialRun.cut(text, "B=16", Purpose.TRAIN, PIECES, DType.F32);
        Sharding sharding = ranks == 1 ? Sharding.NONE : Sharding.PARAMETERS;
        PlanSet set = new Way(new Staging(3, Schedule.ONE_F_ONE_B), "pipe-never", ranks, sharding).plan(model);
        BiFunction<ExecutionPlan, Transport, TimedExecutable> load = (plan, transport) -> {
            boolean breaks = plan.equals(set.stages().get(1)) && (ranks == 1 || transport.rank() == 1);
            UnaryOperator<Transport.Begun> message = begun -> {
                if (breaks) {
                    throw new IllegalStateException("broken");
                }
                return begun;
            };
            return RankRun.rank(plan, new Changed(transport, message));
        };
        try (TimedExecutable executable =
                ranks == 1 ? StagedExecutable.load(set, load) : RankedExecutable.load(set, load)) {
            assertThatThrownBy(() -> RankRun.train(executable))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("broken");
        }
    }
}
