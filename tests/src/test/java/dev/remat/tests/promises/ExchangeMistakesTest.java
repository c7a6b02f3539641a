package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.ranks.Sharding;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.ranks.RankedExecutable;
import dev.remat.runtime.ranks.Transport;
import dev.remat.tests.promises.NumberedRank.Told;
import dev.remat.tests.promises.RankRun.Outcome;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What goes wrong between ranks shows in what they leave behind, and what is no mistake does not. */
@Tag("slow")
class ExchangeMistakesTest {
    private static final int RANKS = 4;

    private static int round(int microBatch) {
        return microBatch / RANKS;
    }

    private static int firstOfRound(int microBatch) {
        return RANKS * round(microBatch);
    }

    private static ExecutionPlan gpt(Sharding sharding) throws IOException {
        String settings = "B=8,T=5,vocab=420,width=40,depth=1,heads=2,context=8";
        return RankRun.plan("gpt", settings, DType.F32, RANKS, "keep-all", sharding);
    }

    /** It draws, as {@code gpt} does not. */
    private static ExecutionPlan vae() throws IOException {
        return RankRun.plan("vae", "B=8,pixels=150,hidden=128,latent=6", DType.F32, RANKS, "keep-all");
    }

    private static Outcome over(ExecutionPlan plan, UnaryOperator<Transport> transport) {
        try (Executable executable = RankRun.load(plan, transport)) {
            return RankRun.train(executable);
        }
    }

    /** @param number that each rank is told instead of that of its micro-batch */
    private static Outcome told(ExecutionPlan plan, Told told, IntUnaryOperator number) {
        try (Executable executable = RankedExecutable.load(
                plan, transport -> NumberedRank.of(RankRun.rank(plan, transport), told, number))) {
            return RankRun.train(executable);
        }
    }

    @ParameterizedTest
    @EnumSource
    void rowsComeWrong(Mistake mistake) throws IOException {
        ExecutionPlan plan = gpt(Sharding.OPTIMIZER);
        Outcome right = RankRun.train(plan);
        assertThat(over(plan, transport -> new Spoiling(transport, mistake))).isNotEqualTo(right);
    }

    /** Of what a rank gathers it sends what was there a step ago; and of all that was sent no copy is any worse. */
    @ParameterizedTest
    @EnumSource(names = {"OPTIMIZER", "PARAMETERS"})
    void sharesAreStale(Sharding sharding) throws IOException {
        ExecutionPlan plan = gpt(sharding);
        Outcome right = RankRun.train(plan);
        assertThat(over(plan, transport -> new Copying(transport, new LinkedHashMap<>(), false)))
                .isEqualTo(right);
        Outcome stale = over(plan, transport -> new Copying(transport, new LinkedHashMap<>(), true));
        assertThat(stale.losses().getFirst())
                .as("nothing is older in the first step")
                .isEqualTo(right.losses().getFirst());
        assertThat(stale).isNotEqualTo(right);
    }

    @Test
    void sumsCountRoundsForMicroBatches() throws IOException {
        ExecutionPlan plan = gpt(Sharding.OPTIMIZER);
        Outcome right = RankRun.train(plan);
        assertThat(told(plan, Told.OF_SUMS, ExchangeMistakesTest::round)).isNotEqualTo(right);
        assertThat(told(plan, Told.OF_SUMS, ExchangeMistakesTest::firstOfRound))
                .as("sums begin in the first round")
                .isEqualTo(right);
    }

    @Test
    void drawsCountRoundsForMicroBatches() throws IOException {
        ExecutionPlan plan = vae();
        Outcome right = RankRun.train(plan);
        for (IntUnaryOperator wrong :
                List.<IntUnaryOperator>of(ExchangeMistakesTest::round, ExchangeMistakesTest::firstOfRound)) {
            assertThat(told(plan, Told.OF_DRAWS, wrong)).isNotEqualTo(right);
        }
        String sizes = "B=8,depth=20,classes=3,width=12,image=8";
        ExecutionPlan drawsNothing = RankRun.plan("resnet-cifar", sizes, DType.F32, RANKS, "keep-all");
        assertThat(told(drawsNothing, Told.OF_DRAWS, ExchangeMistakesTest::round))
                .isEqualTo(RankRun.train(drawsNothing));
    }

    /** Batch by batch, rows of micro-batches are asked for in the order of these. */
    private record Rows(BatchSource source, LongUnaryOperator number) implements BatchSource {
        @Override
        public long batchesPerEpoch() {
            return source.batchesPerEpoch();
        }

        @Override
        public void fill(long step, InputSpec input, MemorySegment target) {
            source.fill(number.applyAsLong(step), input, target);
        }
    }

    @Test
    void rowsAreThoseOfRounds() throws IOException {
        ExecutionPlan plan = gpt(Sharding.OPTIMIZER);
        Outcome right = RankRun.train(plan);
        try (Executable executable = RankRun.load(plan, UnaryOperator.identity())) {
            assertThat(RankRun.train(executable, source -> new Rows(source, number -> number / RANKS)))
                    .isNotEqualTo(right);
        }
        try (Executable executable = RankRun.load(plan, UnaryOperator.identity())) {
            assertThat(RankRun.train(executable, source -> new Rows(source, LongUnaryOperator.identity())))
                    .isEqualTo(right);
        }
    }

    /** Of what comes from the first two ranks. */
    enum Mistake {
        SWAPS_ROWS {
            @Override
            void spoil(MemorySegment all, long row) {
                byte[] first = all.asSlice(0, row).toArray(ValueLayout.JAVA_BYTE);
                MemorySegment.copy(all, row, all, 0, row);
                MemorySegment.copy(MemorySegment.ofArray(first), 0, all, row, row);
            }
        },
        DOUBLES_A_ROW {
            @Override
            void spoil(MemorySegment all, long row) {
                MemorySegment.copy(all, 0, all, row, row);
            }
        },
        LEAVES_A_ROW_OUT {
            @Override
            void spoil(MemorySegment all, long row) {
                all.asSlice(row, row).fill((byte) 0);
            }
        };

        /** @param row bytes of a rank's */
        abstract void spoil(MemorySegment all, long row);
    }

    private record Spoiling(Transport transport, Mistake mistake) implements Transport {
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
            Begun begun = transport.scatter(own, all);
            return () -> {
                begun.end();
                mistake.spoil(all, all.byteSize() / RANKS);
            };
        }
    }

    /**
     * Sends copies of what is gathered.
     *
     * @param last that was sent out of the same place to the same place
     * @param stale whether that is sent again
     */
    private record Copying(Transport transport, Map<List<Long>, MemorySegment> last, boolean stale)
            implements Transport {
        /** Bytes from which on it is a share of state, and no loss. */
        private static final long SHARE = 4096;

        @Override
        public int rank() {
            return transport.rank();
        }

        @Override
        public Begun gather(MemorySegment own, MemorySegment all) {
            if (own.byteSize() < SHARE) {
                return transport.gather(own, all);
            }
            MemorySegment copy = MemorySegment.ofArray(own.toArray(ValueLayout.JAVA_BYTE));
            MemorySegment older = last.put(List.of(own.address(), all.address(), own.byteSize()), copy);
            return transport.gather(stale && older != null ? older : copy, all);
        }

        @Override
        public Begun scatter(MemorySegment own, MemorySegment all) {
            return transport.scatter(own, all);
        }
    }
}
