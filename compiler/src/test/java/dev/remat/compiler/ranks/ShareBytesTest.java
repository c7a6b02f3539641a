package dev.remat.compiler.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.TestModels;
import dev.remat.compiler.TestTarget;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.target.UnitCost;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Memory and traffic of ranks, to the byte, by the shapes of two parameters that are a bucket each. */
class ShareBytesTest {
    /** Elements of the two parameters, neither of which is a whole number of units. */
    private static final long U = 100 * 1000;

    private static final long W = 1000 * 130;
    private static final int PIECES = 8;

    private static final ElaboratedModel MODEL =
            TestModels.session("two.model", """
                remat 1
                model Two {
                  symbol B
                  input x: f32[B, 100]
                  param u: f32[100, 1000] = ones
                  param w: f32[1000, 130] = ones
                  loss = mean((softmax(x @ u) @ w) ** 2)
                }
                train { minimize loss; optimizer adam(lr = 0.1); micro_batches 8 }
                """, "B=8").step(Purpose.TRAIN);

    /** What so many elements take of an arena, in which each tensor begins at a multiple of 256 bytes. */
    private static long held(long elements) {
        return Math.ceilDiv(4 * elements, 256) * 256L;
    }

    /** Bytes of ranks' shares of both. */
    private static long shares(int ranks) {
        return 4 * 1024 * (Math.ceilDiv(U, 1024L * ranks) + Math.ceilDiv(W, 1024L * ranks));
    }

    /** The row that a rank has of the batch, and what takes a place of its own: loss, targets, numbers of the step. */
    private static final long SMALL = 512 + 4 * 256;

    /**
     * Most is held where the second gradient has been sent and the first is still to be added: both gradients, and of
     * each the shares that come from all.
     */
    @ParameterizedTest
    @CsvSource({
        "NONE, 2",
        "NONE, 4",
        "NONE, 8",
        "OPTIMIZER, 2",
        "OPTIMIZER, 4",
        "OPTIMIZER, 8",
        "GRADIENTS, 2",
        "GRADIENTS, 8",
        "PARAMETERS, 2",
        "PARAMETERS, 4",
        "PARAMETERS, 8"
    })
    void arenaAndTrafficAreThoseOfShapes(Sharding level, int ranks) {
        Compilation plan = new Compiler(new TestTarget(0), new UnitCost())
                .compile(
                        MODEL,
                        CompileOptions.defaults()
                                .withStrategy("keep-all")
                                .onRanks(ranks)
                                .with(Shares.of(level)));
        long whole = held(U) + held(W);
        long share = shares(ranks);
        long parameters = level.sharesParameters() ? share : whole;
        long optimizer = 2 * (level.sharesOptimizer() ? share : whole);
        long sums = share;
        long staged = whole + ranks * share;
        assertThat(plan.plan().arenaBytes()).isEqualTo(parameters + optimizer + sums + staged + SMALL);
        RankTraffic traffic = RankTraffic.of(plan.plan());
        long rounds = PIECES / ranks;
        long others = (ranks - 1) * share;
        assertThat(traffic.scatterBytes()).isEqualTo(rounds * others);
        long losses = 4L * rounds * (ranks - 1);
        assertThat(traffic.gatherBytes()).isEqualTo((level.sharesParameters() ? rounds : 1) * others + losses);
    }
}
