package dev.remat.codegen.cuda.family.gemm;

import dev.remat.codegen.cuda.family.gemm.TileFamily.Choice;
import dev.remat.codegen.cuda.family.gemm.TileFamily.Tile;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Chooses tile and number of splits by an estimate of cycles: rate of the tile, how evenly its blocks fill the
 * multiprocessors, traffic to the caches, and what splitting costs. A function of problem, architecture and options.
 */
public final class TileModel {
    private static final List<TileFamily> FAMILIES =
            List.of(new WarpgroupTiles(), new TensorCoreTiles(), new SimtTiles());
    /** Until a block's first tile is there, and from its last one until its results are stored. */
    private static final double BLOCK_CYCLES = 2500;
    /** Bytes that a multiprocessor gets from the second cache in a cycle. */
    private static final double CACHE_BYTES = 40;
    /** The second kernel's launch. */
    private static final double SECOND_CYCLES = 3000;
    /** Each partial sum that a thread waits for. */
    private static final double SPLIT_CYCLES = 150;

    private static final long MOST_SPLITS = 256;
    /** Blocks for each place that a multiprocessor has for one: more even, and more partial sums. */
    private static final long MOST_WAVES = 4;

    private static final long LEAST_SPLIT_TERMS = 128;
    private static final long MOST_WORKSPACE = 64L << 20;

    private TileModel() {}

    /** What {@code options} allow for {@code problem}, the fastest; the workspace suffices for it. */
    static Choice choose(Architecture architecture, GemmProblem problem, CodegenOptions options) {
        List<TileFamily> allowed = families(architecture, problem.dtype(), options)
                .filter(family -> family.isAllowed(options))
                .toList();
        for (TileFamily family : allowed) {
            for (Tile tile : family.tiles(architecture, problem.dtype())) {
                if (tile.label().equals(options.tiles().forced())) {
                    long fitting = workspaceBytes(architecture, problem) / problem.sumBytes();
                    long most = options.tiles().whole() ? 1 : fitting;
                    return fastest(architecture, problem, family, List.of(tile), most);
                }
            }
        }
        Choice best = null;
        for (TileFamily family : allowed) {
            Choice choice = fastest(architecture, problem, family);
            if (best == null || cycles(architecture, problem, choice) < cycles(architecture, problem, best)) {
                best = choice;
            }
        }
        return best;
    }

    /** Scratch memory that suffices for whatever options choose. */
    public static long workspaceBytes(Architecture architecture, GemmProblem problem) {
        return workspaceBytes(architecture, problem, problem);
    }

    /** The same of a chunk of a product. */
    static long workspaceBytes(Architecture architecture, GemmProblem whole, GemmProblem chunk) {
        return choices(architecture, whole)
                .mapToLong(choice -> choice.chunk(chunk).workspaceBytes(chunk))
                .max()
                .orElseThrow();
    }

    /** Terms of which all chunks of a sum but the last have a multiple, whatever options choose. */
    static List<Long> termsOfChunks(Architecture architecture, GemmProblem whole) {
        return choices(architecture, whole)
                .map(choice ->
                        choice.apart() ? choice.splitDepth() : choice.tile().depth())
                .toList();
    }

    private static Stream<Choice> choices(Architecture architecture, GemmProblem problem) {
        return families(architecture, problem.dtype(), new CodegenOptions(true, true))
                .map(family -> fastest(architecture, problem, family));
    }

    /** Most tiles of rows that the fastest tiles have, whatever options allow. */
    public static long mostTiles(Architecture architecture, GemmProblem problem) {
        return families(architecture, problem.dtype(), new CodegenOptions(true, true))
                .mapToLong(family -> Math.ceilDiv(
                        problem.m(),
                        fastest(architecture, problem, family).tile().m()))
                .max()
                .orElseThrow();
    }

    private static Stream<TileFamily> families(Architecture architecture, DType dtype, CodegenOptions options) {
        return FAMILIES.stream()
                .filter(family -> family.computes(dtype, options))
                .filter(family -> !family.tiles(architecture, dtype).isEmpty());
    }

    private static Choice fastest(Architecture architecture, GemmProblem problem, TileFamily family) {
        long most = MOST_WORKSPACE / problem.sumBytes();
        return fastest(architecture, problem, family, family.tiles(architecture, problem.dtype()), most);
    }

    private static Choice fastest(
            Architecture architecture, GemmProblem problem, TileFamily family, List<Tile> tiles, long mostSplits) {
        Choice best = null;
        double least = Double.POSITIVE_INFINITY;
        for (Tile tile : tiles) {
            for (Choice choice : splits(architecture, problem, family, tile, mostSplits)) {
                double cycles = cycles(architecture, problem, choice);
                if (cycles < least) {
                    least = cycles;
                    best = choice;
                }
            }
        }
        return best;
    }

    private static List<Choice> splits(
            Architecture architecture, GemmProblem problem, TileFamily family, Tile tile, long mostSplits) {
        long slots = (long) architecture.multiprocessors() * tile.resident();
        long most = Math.min(Math.min(mostSplits, MOST_SPLITS), problem.k() / LEAST_SPLIT_TERMS);
        most = Math.min(most, Math.ceilDiv(MOST_WAVES * slots, tile.tiles(problem)));
        List<Choice> choices = new ArrayList<>();
        choices.add(Choice.of(family, tile, problem, 1));
        for (long splits = 2; splits <= most; splits++) {
            Choice choice = Choice.of(family, tile, problem, splits);
            if (choice.splits() == splits) {
                choices.add(choice);
            }
        }
        return choices;
    }

    /** Estimated cycles of all launches of {@code choice}. */
    static double cycles(Architecture architecture, GemmProblem problem, Choice choice) {
        Tile tile = choice.tile();
        long blocks = Math.multiplyExact(tile.tiles(problem), choice.splits());
        long perProcessor = Math.ceilDiv(blocks, architecture.multiprocessors());
        long together = Math.min(perProcessor, tile.resident());
        double terms = Math.min(choice.splitDepth(), (double) tile.steps(problem) * tile.depth());
        double rate = choice.family().peak(architecture, problem.dtype()) * tile.rate(together);
        double arithmetic = terms * tile.m() * tile.n() / rate;
        double traffic = terms * (tile.m() + tile.n()) * problem.dtype().bytes() / CACHE_BYTES;
        double waiting = BLOCK_CYCLES * Math.ceilDiv(perProcessor, together);
        double total = perProcessor * Math.max(arithmetic, traffic) + waiting;
        if (choice.splits() == 1) {
            return total;
        }
        double bytesPerCycle = architecture.device().bytesPerSecond() / architecture.hertz();
        return total
                + SECOND_CYCLES
                + SPLIT_CYCLES * choice.splits()
                + 2 * choice.workspaceBytes(problem) / bytesPerCycle;
    }
}
