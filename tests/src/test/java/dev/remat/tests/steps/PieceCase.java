package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.DrawnRows;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.DropoutGradient;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Reduce;
import dev.remat.tests.reference.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A step on a whole batch, and on each of the pieces that it is cut into, which draw for the whole's elements. What
 * lies in memory are small whole numbers, and what is kept is doubled, so that sums are exact in any order.
 *
 * @param runs of the tensor that is drawn for, of which every piece has a part
 */
public record PieceCase(Kind kind, DType dtype, int runs, DrawnRows rows) {
    /** What the step computes of tensors [runs, elements of a run]. */
    public enum Kind {
        DROPOUT,
        DROPOUT_GRADIENT,
        UNIFORM,
        NORMAL,
        INTEGER,
        /** Dropout of a sum, and noise added to what is kept. */
        CHAIN,
        /** Dropout beside its gradient, as where it is recomputed. */
        RECOMPUTED,
        /** The sum of each run after dropout; operands lie column by column. */
        SUMS,
        /** Dropout of a product of matrices, whose rows are cut. */
        PRODUCT
    }

    private static final int ORDINAL = 3;
    private static final double P = 0.5;
    /** Columns of matrices; {@link Kind#PRODUCT} wants a multiple as the block. */
    private static final int COLUMNS = 8;

    public static PieceCase of(Kind kind, DType dtype, int runs, long block, int pieces) {
        return new PieceCase(kind, dtype, runs, new DrawnRows(Dim.of(block), pieces));
    }

    /** The step on the whole, which knows of no pieces. */
    public StepSample whole() {
        return new Part(Optional.empty(), Optional.empty()).sample();
    }

    /** The step on piece {@code k}, whose number is that of the micro-batch. */
    public StepSample piece(int k) {
        return new Part(Optional.of(k), Optional.of(rows)).sample();
    }

    /** The step on piece {@code k}, which it names. */
    public StepSample named(int k) {
        return new Part(Optional.of(k), Optional.of(rows.withPiece(k))).sample();
    }

    /** What the first piece draws less what the second does, in one kernel and at one ordinal. */
    public StepSample difference(Draw.Kind distribution) {
        TensorType type = TensorType.of(dtype, runs, rows.block().value());
        List<Instruction> body = new ArrayList<>();
        List<Operand> drawn = new ArrayList<>();
        for (int k = 0; k < 2; k++) {
            Op draw = new Draw(distribution, 0, ORDINAL + 1, type, Optional.of(rows.withPiece(k)));
            drawn.add(new Operand.FromInstruction(body.size(), 0));
            body.add(new Instruction(
                    draw, List.of(new Operand.FromSeed(ORDINAL + 1)), draw.infer(List.of(TensorType.SEED))));
        }
        body.add(new Instruction(new Binary(Binary.Kind.SUB), drawn, List.of(type)));
        return new StepSample(body, List.of(), List.of(new Operand.FromInstruction(2, 0)));
    }

    /** The same of what the first and the second piece have drawn by themselves, in f32. */
    public static double[] difference(Tensor first, Tensor second) {
        return IntStream.range(0, first.data().length)
                .mapToDouble(i -> (float) first.data()[i] - (float) second.data()[i])
                .toArray();
    }

    /** What the pieces' results make up together: each run of theirs in turn, or where runs were summed their sum. */
    public double[] together(List<Tensor> results) {
        int part = results.getFirst().data().length / runs;
        if (kind == Kind.SUMS) {
            return IntStream.range(0, runs)
                    .mapToDouble(i -> results.stream()
                            .mapToDouble(result -> result.data()[i])
                            .sum())
                    .toArray();
        }
        return IntStream.range(0, runs * part * rows.pieces())
                .mapToDouble(i -> {
                    int run = i / part / rows.pieces();
                    return results.get(i / part % rows.pieces()).data()[run * part + i % part];
                })
                .toArray();
    }

    /** The step on one piece, or on the whole. */
    private final class Part {
        private final Optional<Integer> piece;
        private final Optional<DrawnRows> drawn;
        private final int block = Math.toIntExact(rows.block().value());
        private final int extent;
        private final TensorType type;
        private final List<Instruction> body = new ArrayList<>();
        private final List<StepSample.Source> sources = new ArrayList<>();

        Part(Optional<Integer> piece, Optional<DrawnRows> drawn) {
            this.piece = piece;
            this.drawn = drawn;
            this.extent = piece.isPresent() ? block : block * rows.pieces();
            this.type = TensorType.of(dtype, runs, extent);
        }

        StepSample sample() {
            Operand.FromInstruction result = switch (kind) {
                case DROPOUT -> dropout(input(type));
                case DROPOUT_GRADIENT -> gradient(input(type));
                case UNIFORM -> draw(Draw.Kind.UNIFORM, 0, type);
                case NORMAL -> draw(Draw.Kind.NORMAL, 0, type);
                case INTEGER -> draw(Draw.Kind.INTEGER, 1000, type.with(DType.I32));
                case CHAIN -> {
                    Operand kept = dropout(add(new Binary(Binary.Kind.ADD), input(type), input(type)));
                    yield add(new Binary(Binary.Kind.ADD), kept, draw(Draw.Kind.NORMAL, 0, type));
                }
                case RECOMPUTED -> add(new Binary(Binary.Kind.ADD), dropout(input(type)), gradient(input(type)));
                case SUMS -> add(new Reduce(Reduce.Kind.SUM, List.of(1), true), dropout(turned(input(type))));
                case PRODUCT -> {
                    Operand left = input(TensorType.of(dtype, (long) runs * extent / COLUMNS, COLUMNS));
                    Operand right = source(numbers(TensorType.of(dtype, COLUMNS, COLUMNS)));
                    yield dropout(add(new MatMul(false, false), left, right));
                }
            };
            return new StepSample(body, sources, List.of(result));
        }

        private Operand.FromInstruction dropout(Operand x) {
            return add(new Dropout(P, ORDINAL, drawn), x, seed(ORDINAL));
        }

        private Operand.FromInstruction gradient(Operand dy) {
            return add(new DropoutGradient(new Dropout(P, ORDINAL, drawn)), dy, seed(ORDINAL));
        }

        private Operand.FromInstruction draw(Draw.Kind distribution, long bound, TensorType numbers) {
            return add(new Draw(distribution, bound, ORDINAL + 1, numbers, drawn), seed(ORDINAL + 1));
        }

        private static Operand seed(int ordinal) {
            return new Operand.FromSeed(ordinal);
        }

        /** The part of an operand of the whole that belongs to the piece. */
        private Operand input(TensorType part) {
            Tensor whole = numbers(TensorType.of(dtype, (long) runs * rows.pieces() * block));
            double[] mine = IntStream.range(0, whole.data().length)
                    .filter(i -> piece.isEmpty() || i / block % rows.pieces() == piece.get())
                    .mapToDouble(i -> whole.data()[i])
                    .toArray();
            return source(new Tensor(part, mine));
        }

        private Tensor numbers(TensorType of) {
            Random random = new Random(sources.size());
            double[] numbers = random.doubles(of.elements())
                    .map(x -> Math.floor(1 + 4 * x))
                    .toArray();
            return new Tensor(of, numbers);
        }

        private Operand source(Tensor tensor) {
            sources.add(StepSample.Source.dense(tensor));
            return new Operand.FromMemory(sources.size() - 1);
        }

        /** The same operand, laid out column by column. */
        private Operand turned(Operand operand) {
            Tensor rowByRow = sources.removeLast().buffer();
            double[] turned = IntStream.range(0, rowByRow.data().length)
                    .mapToDouble(i -> rowByRow.data()[i % runs * extent + i / runs])
                    .toArray();
            StridedView view = new StridedView(0, List.of((long) runs, (long) extent), List.of(1L, (long) runs));
            sources.add(new StepSample.Source(new Tensor(TensorType.of(dtype, extent, runs), turned), view));
            return operand;
        }

        private Operand.FromInstruction add(Op op, Operand... operands) {
            List<TensorType> types = new ArrayList<>();
            for (Operand operand : operands) {
                types.add(
                        switch (operand) {
                            case Operand.FromMemory(int index) ->
                                sources.get(index).tensor().type();
                            case Operand.FromInstruction(int number, int result) ->
                                body.get(number).types().get(result);
                            case Operand.FromSeed _ -> TensorType.SEED;
                        });
            }
            body.add(new Instruction(op, List.of(operands), op.infer(types)));
            return new Operand.FromInstruction(body.size() - 1, 0);
        }
    }
}
