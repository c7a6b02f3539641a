package dev.remat.compiler.choose;

import dev.remat.compiler.ChooseChunks;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.PreparedStep;
import dev.remat.compiler.batch.Divisors;
import dev.remat.compiler.chunk.Chunks;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.CutFloor;
import dev.remat.compiler.split.BatchRows;
import dev.remat.ir.diagnostic.ModelException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Says what a step that fits no budget would need at least with its losses in chunks, its batch in micro-batches, and
 * both. Steps are prepared and none is planned. Of micro-batches a few numbers are looked at, up to the first that
 * needs no less than the one before it.
 */
public final class FindCutFloors {
    private static final int MOST = Collections.max(ChooseChunks.counts());
    /** Numbers of micro-batches that are looked at. */
    private static final int NUMBERS = 6;

    private final ModelSession session;
    private final ElaboratedModel model;
    private final CompileOptions options;
    private final Compiler compiler;

    private FindCutFloors(ModelSession session, ElaboratedModel model, CompileOptions options, Compiler compiler) {
        this.session = session;
        this.model = model;
        this.options = options.quick();
        this.compiler = compiler;
    }

    /**
     * @param session whose batch may be cut further
     * @param model of the step as it is
     * @param refused why it fits no budget
     * @return of each way to cut the least floor, where it is below that of less that is cut; where the step's own is
     *     within the budget, but no plan was found, those that are within it, too
     */
    public static List<CutFloor> run(
            ModelSession session,
            ElaboratedModel model,
            CompileOptions options,
            Compiler compiler,
            BudgetException refused) {
        long floor = refused.floor().bytes();
        return new FindCutFloors(session, model, options, compiler)
                .run(floor, floor <= refused.budgetBytes() ? refused.budgetBytes() + 1 : floor);
    }

    /**
     * @param own the floor of the step, which tells nothing where it stays
     * @param bound which floors have to be below
     */
    private List<CutFloor> run(long own, long bound) {
        int given = model.training().microBatches();
        Optional<CutFloor> chunks = floor(model, given, MOST);
        List<CutFloor> smaller = new ArrayList<>();
        List<CutFloor> both = new ArrayList<>();
        for (int count : further(given)) {
            Optional<CutFloor> next = cut(count);
            if (next.isEmpty() || !smaller.isEmpty() && bytes(next.get()) >= bytes(smaller.getLast())) {
                break;
            }
            smaller.add(next.get());
            floor(session.cutInto(count).step(model.purpose()), count, MOST).ifPresent(both::add);
        }
        List<CutFloor> found = new ArrayList<>();
        long least = bound;
        for (Optional<CutFloor> each : List.of(chunks, least(smaller.stream()))) {
            each.filter(one -> bytes(one) < bound && bytes(one) != own).ifPresent(found::add);
        }
        for (CutFloor each : found) {
            least = Math.min(least, bytes(each));
        }
        long without = least;
        least(both.stream())
                .filter(one -> bytes(one) < without && bytes(one) != own)
                .ifPresent(found::add);
        return List.copyOf(found);
    }

    /** Greater numbers that share the rows of the batch evenly. */
    private List<Integer> further(int given) {
        long rows =
                BatchRows.of(session.cutInto(1).step(model.purpose()).forward()).number();
        return Divisors.of(rows).stream()
                .filter(count -> count > given && count <= Integer.MAX_VALUE)
                .limit(NUMBERS)
                .map(Math::toIntExact)
                .toList();
    }

    /** Empty if the batch cannot be cut so. */
    private Optional<CutFloor> cut(int count) {
        try {
            return Optional.of(new CutFloor(
                    count,
                    1,
                    prepared(session.cutInto(count).step(model.purpose()), Chunks.AS_WRITTEN)
                            .floor()));
        } catch (ModelException e) {
            return Optional.empty();
        }
    }

    /** Empty if no loss is cut. */
    private Optional<CutFloor> floor(ElaboratedModel step, int microBatches, int chunks) {
        PreparedStep prepared = prepared(step, Chunks.wherePossible(chunks));
        return prepared.chunked().isEmpty()
                ? Optional.empty()
                : Optional.of(new CutFloor(microBatches, chunks, prepared.floor()));
    }

    private PreparedStep prepared(ElaboratedModel step, Chunks chunks) {
        return compiler.prepare(step, options.with(chunks));
    }

    private static Optional<CutFloor> least(Stream<CutFloor> floors) {
        return floors.min(Comparator.comparingLong(FindCutFloors::bytes));
    }

    private static long bytes(CutFloor floor) {
        return floor.floor().bytes();
    }
}
