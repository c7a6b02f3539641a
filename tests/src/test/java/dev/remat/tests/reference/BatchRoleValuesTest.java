package dev.remat.tests.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.AfterLoss;
import dev.remat.ir.op.BatchOperands;
import dev.remat.ir.op.BatchRole;
import dev.remat.ir.op.BatchRole.Alike;
import dev.remat.ir.op.BatchRole.Free;
import dev.remat.ir.op.BatchRole.Mean;
import dev.remat.ir.op.BatchRole.Rows;
import dev.remat.ir.op.BatchRole.Sum;
import dev.remat.ir.op.BatchRoleException;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.DrawnRows;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.Normalize;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.OpFamily;
import dev.remat.ir.op.Ops;
import dev.remat.ir.op.RandomOp;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Reshape;
import dev.remat.ir.op.ShapeException;
import dev.remat.ir.op.Unary;
import dev.remat.tests.reference.BatchTrials.Trial;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The roles of operands and results against numbers: an operation is evaluated on a whole batch and on its
 * micro-batches, and the results must be to each other what the rule says.
 */
class BatchRoleValuesTest {
    private static final int TRIALS = 300;
    private static final ReferenceInterpreter REFERENCE = new ReferenceInterpreter(Rounding.NONE, 5);

    /** Sizes of the batch in a trial. */
    private record Cut(int pieces, int rows) {}

    @Tag("slow")
    @Test
    void everyAcceptedOperationKeepsItsWord() {
        SequencedMap<String, Set<String>> results = new LinkedHashMap<>();
        Set<String> ofMeans = new TreeSet<>();
        for (OpFamily family : Ops.ALL) {
            for (Op example : family.examples()) {
                if (!(example instanceof AfterLoss)) {
                    Set<String> seen = results.computeIfAbsent(name(example), _ -> new TreeSet<>());
                    if (seenMeans(example, seen)) {
                        ofMeans.add(name(example));
                    }
                }
            }
        }
        Set<String> withoutRows = new TreeSet<>();
        Set<String> sums = new TreeSet<>();
        results.forEach((name, seen) -> {
            if (!seen.contains("Rows") && !seen.contains("Alike")) {
                withoutRows.add(name);
            }
            if (seen.contains("Sum")) {
                sums.add(name);
            }
        });
        assertThat(withoutRows).containsExactly("ResetSeed", "RunningStatistics", "StepSeed", "Table");
        assertThat(sums).containsExactly("MatMul", "Reduce", "ScatterAdd");
        assertThat(ofMeans)
                .containsExactly(
                        "AvgPool2d",
                        "Binary",
                        "Broadcast",
                        "Cast",
                        "Concat",
                        "Contiguous",
                        "Conv2d",
                        "ConvTranspose2d",
                        "CumulativeSum",
                        "Dropout",
                        "Embedding",
                        "Gather",
                        "MatMul",
                        "Pad",
                        "Reduce",
                        "Reshape",
                        "ScatterAdd",
                        "Select",
                        "Slice",
                        "StopGradient",
                        "Transpose",
                        "Unary");
    }

    private static String name(Object operation) {
        return operation.getClass().getSimpleName();
    }

    /** Tries operations like {@code example}, notes the roles of results, and says whether a mean was accepted. */
    private static boolean seenMeans(Op example, Set<String> seen) {
        Random random = new Random(example.mnemonic().hashCode());
        boolean means = false;
        for (int i = 0; i < TRIALS; i++) {
            Trial trial = BatchTrials.like(example, random);
            Cut cut = new Cut(2 + random.nextInt(2), 1 + random.nextInt(2));
            Optional<List<BatchRole>> roles = accepted(trial, cut);
            if (roles.isEmpty()) {
                continue;
            }
            List<BatchPieces> values = evaluate(trial, cut, roles.get(), random);
            for (int r = 0; r < values.size(); r++) {
                assertThat(values.get(r).suits(roles.get().get(r)))
                        .as("%s, in %s, gives %s: %s", trial, cut, roles.get(), values.get(r))
                        .isTrue();
                seen.add(name(roles.get().get(r)));
            }
            means |= trial.roles().contains(new Mean());
        }
        return means;
    }

    /** The roles of the results; empty where the operands suit no operation or no micro-batches. */
    private static Optional<List<BatchRole>> accepted(Trial trial, Cut cut) {
        try {
            List<TensorType> results = trial.op().infer(trial.operands());
            for (int rows : List.of(cut.rows(), cut.pieces() * cut.rows())) {
                List<TensorType> bound = bind(trial.operands(), rows);
                Op op = bind(trial.op(), rows);
                op.infer(bound);
                // Integers are 0 and 1, and up to 3 as labels.
                boolean reached =
                        op.indexedAxis().isEmpty() || op.indexedExtent(bound).orElse(0) > 1;
                if (!reached || op instanceof CtcLoss && bound.getFirst().dim(2).value() < 4) {
                    return Optional.empty();
                }
            }
            BatchOperands operands = new BatchOperands(BatchTrials.BATCH, trial.roles(), trial.operands(), results);
            return Optional.of(operands.rolesOf(trial.op()));
        } catch (ShapeException | BatchRoleException | IllegalArgumentException refused) {
            return Optional.empty();
        }
    }

    private static List<BatchPieces> evaluate(Trial trial, Cut cut, List<BatchRole> roles, Random random) {
        int all = cut.pieces() * cut.rows();
        List<BatchPieces> operands = new ArrayList<>();
        List<TensorType> types = bind(trial.operands(), all);
        for (int i = 0; i < types.size(); i++) {
            int operand = i;
            operands.add(BatchPieces.of(
                    trial.roles().get(i),
                    types.get(i),
                    cut.pieces(),
                    type -> tensor(trial.op(), operand, type, random)));
        }
        List<Tensor> whole = REFERENCE.apply(
                bind(trial.op(), all), operands.stream().map(BatchPieces::whole).toList(), 1);
        List<List<Tensor>> pieces = IntStream.range(0, cut.pieces())
                .mapToObj(k -> {
                    List<Tensor> given =
                            operands.stream().map(o -> o.pieces().get(k)).toList();
                    return trial.op() instanceof RandomOp op
                            ? drawn(op, given, whole, roles.getFirst(), cut, k)
                            : REFERENCE.apply(bind(trial.op(), cut.rows()), given, 1);
                })
                .toList();
        return IntStream.range(0, whole.size())
                .mapToObj(r -> new BatchPieces(
                        whole.get(r), pieces.stream().map(piece -> piece.get(r)).toList()))
                .toList();
    }

    /** What a random operation gives that draws for its rows of the whole batch, by the numbers that these have. */
    private static List<Tensor> drawn(
            RandomOp op, List<Tensor> given, List<Tensor> whole, BatchRole role, Cut cut, int k) {
        if (!(role instanceof Rows(int axis, Dim outer))) {
            return REFERENCE.apply(bind(op, cut.rows()), given, 1);
        }
        long block = whole.getFirst().extent(axis) / outer.value() / cut.pieces();
        for (int inside = axis + 1; inside < whole.getFirst().type().rank(); inside++) {
            block *= whole.getFirst().extent(inside);
        }
        DrawnRows rows = new DrawnRows(Dim.of(block), cut.pieces());
        Tensor words = whole.getFirst();
        TensorType type = bind(op, cut.rows())
                .infer(given.stream().map(Tensor::type).toList())
                .getFirst();
        Tensor piece = Tensor.zeros(type);
        for (int e = 0; e < piece.elements(); e++) {
            double word = words.data()[Math.toIntExact(rows.whole(e, k))];
            boolean kept = op instanceof Dropout && word != 0;
            double x = op instanceof Dropout dropout ? given.getFirst().data()[e] / (1 - dropout.p()) : word;
            piece.data()[e] = op instanceof Dropout && !kept ? 0 : x;
        }
        return List.of(piece, whole.get(1));
    }

    private static Tensor tensor(Op op, int operand, TensorType type, Random random) {
        Tensor tensor = Tensor.zeros(type);
        boolean variance = op instanceof Normalize normalize && operand == normalize.varianceIndex();
        for (int i = 0; i < tensor.elements(); i++) {
            tensor.data()[i] = switch (type.dtype()) {
                case BOOL, BIT -> random.nextInt(2);
                case I32, I64 ->
                    op instanceof CtcLoss ? (operand == 1 ? 1 + 2 * random.nextInt(2) : 1) : random.nextInt(2);
                case F32, BF16, F16, F64 -> variance ? 0.1 + random.nextDouble() : 4 * random.nextDouble() - 2;
                case SEED -> ((RandomOp) op).ordinal();
            };
        }
        return tensor;
    }

    private static Op bind(Op op, long rows) {
        return op.bind(dim -> bind(dim, rows));
    }

    private static Dim bind(Dim dim, long rows) {
        SequencedMap<String, Long> values = new LinkedHashMap<>();
        values.put(BatchTrials.BATCH.toString(), rows);
        return dim.substitute(values);
    }

    private static List<TensorType> bind(List<TensorType> types, long rows) {
        return types.stream()
                .map(type -> type.with(new Shape(
                        type.shape().dims().stream().map(dim -> bind(dim, rows)).toList())))
                .toList();
    }

    /** Roles that are wrong are seen to be. */
    @Test
    void wrongRolesAreFound() {
        TensorType vector = TensorType.of(DType.F64, 3);
        TensorType matrix = new TensorType(DType.F64, new Shape(List.of(Dim.of(2), BatchTrials.BATCH)));
        Rows columns = new Rows(1, Dim.ONE);
        Op flat = new Reshape(new Shape(List.of(BatchTrials.BATCH.times(2))));
        Op max = new Reduce(Reduce.Kind.MAX, List.of(1));
        Op sum = new Reduce(Reduce.Kind.SUM, List.of(1));
        assertThat(holds(new Unary(Unary.Kind.NEG), vector, new Mean(), new Mean()))
                .isTrue();
        assertThat(holds(new Unary(Unary.Kind.EXP), vector, new Mean(), new Mean()))
                .isFalse();
        assertThat(holds(flat, matrix, columns, new Rows(0, Dim.of(2)))).isTrue();
        assertThat(holds(flat, matrix, columns, new Rows(0, Dim.ONE))).isFalse();
        assertThat(holds(flat, matrix, columns, new Alike(0))).isFalse();
        assertThat(holds(sum, matrix, columns, new Sum())).isTrue();
        assertThat(holds(sum, matrix, columns, new Mean())).isFalse();
        assertThat(holds(max, matrix, columns, new Sum())).isFalse();
        assertThat(holds(max, matrix, columns, new Free())).isFalse();
    }

    private static boolean holds(Op op, TensorType operand, BatchRole role, BatchRole result) {
        Trial trial = new Trial(op, List.of(operand), List.of(role));
        return evaluate(trial, new Cut(3, 2), List.of(result), new Random(1))
                .getFirst()
                .suits(result);
    }
}
