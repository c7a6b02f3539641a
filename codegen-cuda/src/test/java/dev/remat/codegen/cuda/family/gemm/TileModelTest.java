package dev.remat.codegen.cuda.family.gemm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.codegen.cuda.family.gemm.TileFamily.Choice;
import dev.remat.codegen.cuda.family.gemm.TileFamily.Tile;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.codegen.cuda.target.TilePolicy;
import dev.remat.ir.DType;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TileModelTest {
    private static final List<String> LABELS = List.of(
            "",
            "plain_32x32",
            "plain_64x64",
            "plain_64x128",
            "plain_128x64",
            "plain_128x128",
            "tensor_64x64",
            "tensor_64x128",
            "tensor_128x64",
            "tensor_128x128",
            "tensor_128x256",
            "warpgroup_128x128",
            "warpgroup_128x256");

    private static Choice choose(DType dtype, long m, long n, long k) {
        return TileModel.choose(Architecture.SM_90A, new GemmProblem(dtype, 1, m, n, k), CodegenOptions.DEFAULT);
    }

    @ParameterizedTest
    @EnumSource(Architecture.class)
    void aTallSumIsSplitAndAWideOneIsNot(Architecture architecture) {
        GemmProblem weightGradient = new GemmProblem(DType.F32, 1, 768, 768, 65536);
        GemmProblem activations = new GemmProblem(DType.F32, 1, 65536, 768, 768);
        assertThat(TileModel.choose(architecture, weightGradient, CodegenOptions.DEFAULT)
                        .splits())
                .isGreaterThanOrEqualTo(2);
        assertThat(TileModel.choose(architecture, activations, CodegenOptions.DEFAULT)
                        .splits())
                .isEqualTo(1);
    }

    @Test
    void aTallerSumIsNeverSplitLess() {
        long last = 1;
        for (long k = 64; k <= 1 << 20; k *= 2) {
            long splits = choose(DType.F32, 128, 128, k).splits();
            assertThat(splits).as("k = %d", k).isGreaterThanOrEqualTo(last);
            last = splits;
        }
        assertThat(last).isGreaterThan(8);
    }

    @Test
    void moreTermsNeverTakeLess() {
        double last = 0;
        for (long k = 64; k <= 1 << 20; k *= 2) {
            GemmProblem problem = new GemmProblem(DType.F32, 1, 768, 768, k);
            Choice choice = TileModel.choose(Architecture.SM_80, problem, CodegenOptions.DEFAULT);
            double cycles = TileModel.cycles(Architecture.SM_80, problem, choice);
            assertThat(cycles).as("k = %d", k).isGreaterThan(last);
            last = cycles;
        }
    }

    @Test
    void splitsCoverTheSumOnceAndNoneIsEmpty() {
        for (long k = 1; k < 3000; k += 7) {
            GemmProblem problem = new GemmProblem(DType.F32, 1, 40, 24, k);
            Tile tile = new SimtTiles().tiles(Architecture.SM_80, DType.F32).getLast();
            for (long splits = 1; splits <= 9; splits++) {
                Choice choice = Choice.of(new SimtTiles(), tile, problem, splits);
                assertThat(choice.splitDepth() % tile.depth()).isZero();
                assertThat((choice.splits() - 1) * choice.splitDepth()).isLessThan(k);
                assertThat(choice.splits() * choice.splitDepth()).isGreaterThanOrEqualTo(k);
            }
        }
    }

    @Test
    void smallProductsTakeSmallTilesAndLargeOnesLarge() {
        assertThat(choose(DType.F32, 10, 10, 64).tile().m()).isEqualTo(32);
        assertThat(choose(DType.F32, 4096, 4096, 4096).tile().m()).isEqualTo(128);
    }

    @Test
    void theWorkspaceSufficesForWhateverOptionsChoose() {
        for (DType dtype : new DType[] {DType.F32, DType.BF16, DType.F16, DType.F64}) {
            for (long[] extents : new long[][] {{8, 8, 100000}, {768, 768, 65536}, {64, 27, 4000}, {1, 1, 1}}) {
                GemmProblem problem = new GemmProblem(dtype, 1, extents[0], extents[1], extents[2]);
                long bytes = TileModel.workspaceBytes(Architecture.SM_80, problem);
                for (String tile : LABELS) {
                    CodegenOptions options = new CodegenOptions(true, true, new TilePolicy(tile));
                    assertThat(TileModel.choose(Architecture.SM_80, problem, options)
                                    .workspaceBytes(problem))
                            .isLessThanOrEqualTo(bytes);
                }
            }
        }
    }

    @Test
    void aForcedTileIsTakenWhereItCanBe() {
        CodegenOptions forced = new CodegenOptions(false, false, new TilePolicy("plain_128x128"));
        GemmProblem single = new GemmProblem(DType.F32, 1, 3, 3, 3);
        GemmProblem wide = new GemmProblem(DType.F64, 1, 3, 3, 3);
        assertThat(TileModel.choose(Architecture.SM_80, single, forced).tile().label())
                .isEqualTo("plain_128x128");
        assertThat(TileModel.choose(Architecture.SM_80, wide, forced).tile().label())
                .isEqualTo("plain_32x32");
    }

    @Test
    void tensorCoresAreTakenOnlyWhereOptionsAllowThem() {
        GemmProblem narrow = new GemmProblem(DType.BF16, 1, 512, 512, 512);
        GemmProblem single = new GemmProblem(DType.F32, 1, 512, 512, 512);
        assertThat(family(narrow, CodegenOptions.DEFAULT)).isEqualTo("gemm_warpgroup");
        assertThat(family(single, new CodegenOptions(false, true))).isEqualTo("gemm_tensor");
        assertThat(family(single, new CodegenOptions(true, false))).isEqualTo("gemm_plain");
    }

    @Test
    void groupsOfWarpsMultiplyWhereTheArchitectureHasThem() {
        GemmProblem large = new GemmProblem(DType.BF16, 1, 4096, 4096, 4096);
        CodegenOptions all = new CodegenOptions(true, true);
        assertThat(TileModel.choose(Architecture.SM_90A, large, all).tile().label())
                .isEqualTo("warpgroup_128x256");
        for (Architecture other : List.of(Architecture.SM_80, Architecture.SM_89, Architecture.SM_100A)) {
            assertThat(TileModel.choose(other, large, all).tile().label()).startsWith("tensor_");
        }
        GemmProblem single = new GemmProblem(DType.F32, 1, 4096, 4096, 4096);
        assertThat(TileModel.choose(Architecture.SM_90A, single, all).tile().label())
                .startsWith("tensor_");
    }

    private static String family(GemmProblem problem, CodegenOptions options) {
        return TileModel.choose(Architecture.SM_90A, problem, options).family().name();
    }

    @ParameterizedTest
    @EnumSource(Architecture.class)
    void tilesFitTheSharedMemoryOfTheirArchitecture(Architecture architecture) {
        int most = switch (architecture) {
            case SM_86, SM_89 -> 99 << 10;
            case SM_80, SM_100A -> 163 << 10;
            case SM_90A -> 227 << 10;
        };
        for (TileFamily family : List.of(new TensorCoreTiles(), new WarpgroupTiles())) {
            for (DType dtype : new DType[] {DType.F32, DType.BF16}) {
                for (Tile tile : family.tiles(architecture, dtype)) {
                    assertThat(tile.sharedBytes()).isLessThanOrEqualTo(most);
                    assertThat(family.loose(tile).sharedBytes()).isLessThanOrEqualTo(most);
                    assertThat(family.loose(tile).depth()).isEqualTo(tile.depth());
                }
            }
        }
    }

    @Test
    void extentsBeyondKernelsAreRefused() {
        assertThatThrownBy(() -> new GemmProblem(DType.F32, 1, 1L << 31, 1, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2147483648");
    }
}
