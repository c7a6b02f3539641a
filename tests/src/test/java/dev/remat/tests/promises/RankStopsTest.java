package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.runtime.Executable;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.io.BatchSource;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.lane.Lanes;
import dev.remat.runtime.ranks.RankedExecutable;
import dev.remat.runtime.train.NotANumberException;
import dev.remat.runtime.train.Trainer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes wrong in a micro-batch of one rank stops all, and is said of that micro-batch. */
class RankStopsTest {
    private static void stops(int ranks, BatchSource data, Class<? extends Throwable> as, String... said) {
        ExecutionPlan plan = TrialRun.compile(
                        TrialRun.cut(OneBadRow.MODEL, "B=8", Purpose.TRAIN, OneBadRow.MICRO_BATCHES, DType.F32),
                        CompileOptions.defaults().onRanks(ranks))
                .plan();
        try (Executable executable = RankedExecutable.load(
                plan,
                transport ->
                        new CpuExecutable(plan, new CpuExecutable.Options(1, true, Lanes.Options.NONE, transport)))) {
            Trainer trainer = new Trainer(executable, data);
            String before = trainer.state().hash();
            for (int again = 0; again < 2; again++) {
                assertThatThrownBy(trainer::step).isInstanceOf(as).hasMessageContainingAll(said);
            }
            assertThat(trainer.state().hash()).isEqualTo(before);
            assertThat(trainer.isIntact()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void aNumberThatIsNone(int ranks) {
        stops(
                ranks,
                new OneBadRow(Float.NaN, 0),
                NotANumberException.class,
                "the data for x has a NaN, in micro-batch 4 of 4");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void aKernelThatMakesOne(int ranks) {
        stops(
                ranks,
                new OneBadRow(-1, 0),
                NotANumberException.class,
                "is the first tensor with a NaN, in micro-batch 4 of 4");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void anIndexThatIsStray(int ranks) {
        stops(ranks, new OneBadRow(1, 7), DataException.class, "id");
    }
}
