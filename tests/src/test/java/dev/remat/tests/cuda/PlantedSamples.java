package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.codegen.cuda.target.TilePolicy;
import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AttentionGradient;
import dev.remat.ir.op.Contiguous;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvGeometry;
import dev.remat.ir.op.CrossEntropy;
import dev.remat.ir.op.CrossEntropyGradient;
import dev.remat.ir.op.DrawnRows;
import dev.remat.ir.op.Dropout;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.Embedding;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Gather;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2dGradient;
import dev.remat.ir.op.NormStatistics;
import dev.remat.ir.op.NormalizeGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Pad;
import dev.remat.ir.op.PoolWindow;
import dev.remat.ir.op.Reduce;
import dev.remat.ir.op.Softmax;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.ir.op.Unary;
import dev.remat.ir.op.UnaryGradient;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Rounding;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.RangeCases;
import dev.remat.tests.steps.StepSample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import java.util.function.Supplier;

/** Steps small enough to be compiled by the dozen, each made to show one kind of mistake. */
final class PlantedSamples {
    private static final ReferenceInterpreter REFERENCE = new ReferenceInterpreter(Rounding.TO_DTYPE, 1);
    private static final CodegenOptions TENSOR = new CodegenOptions(true, false);

    private final Random random = new Random(17);

    private PlantedSamples() {}

    /**
     * A step and what its results are held against.
     *
     * @param op nothing to compare with where the dtype's tolerance is infinite
     */
    record Sample(OpCase op, ShimStep step) {
        /** Fails on any error of a thread, order, address, race, bank or result. */
        void check(ShimLibrary library) {
            long conflicts = library.bankConflicts();
            List<Tensor> results = step.run(library);
            if (library.bankConflicts() > conflicts) {
                throw new AssertionError("rows of a fragment come from the same bank");
            }
            if (op.scale() < Double.POSITIVE_INFINITY) {
                op.check(results);
            }
        }
    }

    /** Samples by name, made when they are asked for. */
    static SequencedMap<String, Supplier<Sample>> all() {
        PlantedSamples make = new PlantedSamples();
        SequencedMap<String, Supplier<Sample>> all = new LinkedHashMap<>();
        all.put("tensor product", () -> make.product(DType.BF16, "tensor_64x64", 1, 70, 130, 200));
        all.put("product by groups", () -> make.product(DType.BF16, "warpgroup_128x256", 1, 70, 136, 392));
        all.put("plain product", () -> make.product(DType.BF16, "plain_64x64", 1, 70, 66, 300));
        all.put("split product", () -> make.product(DType.BF16, "tensor_64x64", 1, 40, 24, 2000));
        all.put("attention", () -> make.attention(false, false));
        all.put("masked attention", () -> make.attention(false, true));
        all.put("turned attention", make::turnedAttention);
        all.put("attention gradient", () -> make.attention(true, false));
        all.put("sort", () -> make.embeddingGradient(200, 3000, 200));
        all.put("long segment", () -> make.embeddingGradient(40, 4500, 3));
        all.put(
                "list of tensors",
                () -> sample(
                        new SumOfSquares(false),
                        DType.F32,
                        0,
                        make.whole(DType.F32, 9, 3),
                        make.whole(DType.F32, 9, 9001)));
        all.put("transpose", () -> make.transpose());
        all.put("adam", () -> make.adam());
        all.put("elementwise", () -> sample(new Unary(Unary.Kind.RELU), DType.F32, 1, make.reals(DType.F32, 1027)));
        all.put("exponential", () -> make.exponential());
        all.put("sigmoid", () -> make.sigmoid());
        all.put("pad", () -> make.pad());
        all.put("convolution", () -> make.convolution());
        all.put(
                "column sums",
                () -> sample(new Reduce(Reduce.Kind.SUM, List.of(0)), DType.F32, 0, make.whole(DType.F32, 9, 700, 90)));
        all.put(
                "row sums",
                () -> sample(new Reduce(Reduce.Kind.SUM, List.of(1)), DType.F32, 0, make.whole(DType.F32, 9, 3, 4000)));
        all.put(
                "dropout",
                () -> sample(
                        new Dropout(0.3, 2), DType.F32, 1, make.reals(DType.F32, 500), Tensor.of(TensorType.SEED, 2)));
        all.put(
                "dropout of a piece",
                () -> sample(
                        new Dropout(0.3, 2).withDrawnRows(new DrawnRows(Dim.of(20), 3)),
                        DType.BF16,
                        1,
                        make.reals(DType.BF16, 4, 20),
                        Tensor.of(TensorType.SEED, 2)));
        all.put(
                "dropout of a named piece",
                () -> sample(
                        new Dropout(0.3, 2).withDrawnRows(new DrawnRows(Dim.of(20), 3).withPiece(2)),
                        DType.BF16,
                        1,
                        make.reals(DType.BF16, 4, 20),
                        Tensor.of(TensorType.SEED, 2)));
        all.put("layer gradient", () -> make.layerGradient());
        all.put("pool gradient", () -> make.poolGradient());
        all.put("loss", () -> make.loss());
        all.put("loss gradient", () -> make.lossGradient());
        all.put(
                "statistics",
                () -> sample(new NormStatistics(List.of(1), true), DType.F32, 0.1, make.reals(DType.BF16, 9, 768)));
        all.put(
                "long statistics",
                () -> sample(new NormStatistics(List.of(1), true), DType.F32, 1, make.reals(DType.F32, 5, 1500)));
        all.put(
                "embedding",
                () -> sample(
                        new Embedding(),
                        DType.F32,
                        Double.POSITIVE_INFINITY,
                        make.reals(DType.F32, 9, 8),
                        Tensor.of(TensorType.of(DType.I32, 4), 0, 8, 9, 3)));
        all.put(
                "gather",
                () -> sample(
                        new Gather(0),
                        DType.F32,
                        Double.POSITIVE_INFINITY,
                        make.reals(DType.F32, 8),
                        Tensor.of(TensorType.of(DType.I32, 5), 0, 7, 8, 3, 1)));
        all.put("softmax", () -> sample(new Softmax(), DType.F32, 1, make.reals(DType.F32, 6, 96)));
        all.put("odd softmax", () -> make.oddSoftmax());
        range(all);
        return all;
    }

    /** Those far from zero, and of many rows. */
    private static void range(Map<String, Supplier<Sample>> all) {
        all.put("far attention", () -> sample(RangeCases.attention(DType.BF16, false, false), TENSOR));
        all.put("far plain attention", () -> sample(RangeCases.attention(DType.F32, false, false)));
        all.put("far softmax", () -> sample(RangeCases.softmax(DType.F32, 96, false)));
        all.put("long far softmax", () -> sample(RangeCases.softmax(DType.F32, 9000, false)));
        all.put("rising loss", () -> sample(RangeCases.loss(DType.F32, 9000)));
        all.put("loss of two", () -> sample(RangeCases.loss(DType.F32, 2)));
        all.put("far exponential", () -> sample(RangeCases.function(Unary.Kind.EXP, DType.F32, 80)));
        all.put("small exponential", () -> sample(RangeCases.tail(Unary.Kind.EXP, DType.F32, 80)));
        all.put("far tanh", () -> sample(RangeCases.function(Unary.Kind.TANH, DType.F32, 80)));
        all.put("far gelu gradient", () -> sample(RangeCases.gradient(UnaryGradient.Kind.GELU, DType.F32)));
        all.put("far statistics", () -> sample(RangeCases.statistics(DType.F32).getFirst()));
        all.put("far moments of columns", () -> sample(RangeCases.columnMoments(DType.BF16)));
        all.put("sort of many", () -> sample(RangeCases.manyPlaces(DType.F32)));
    }

    private static Sample sample(OpCase op) {
        return sample(op, CodegenOptions.DEFAULT);
    }

    private static Sample sample(OpCase op, CodegenOptions options) {
        return new Sample(
                op,
                ShimStep.of(op.sample(), TilesTest.architecture(options.tiles().forced()), options));
    }

    private static Sample sample(Op op, DType dtype, double scale, Tensor... operands) {
        return sample(StepSample.of(op, List.of(operands)), dtype, scale, CodegenOptions.DEFAULT);
    }

    private static Sample sample(StepSample step, DType dtype, double scale, CodegenOptions options) {
        return sample(new OpCase(step, dtype, scale), options);
    }

    /** Multiples of 1/64 from −1 to 1. */
    private Tensor reals(DType dtype, long... extents) {
        Tensor tensor = whole(dtype, 64, extents);
        Arrays.setAll(tensor.data(), i -> tensor.data()[i] / 64);
        return tensor;
    }

    /** Whole numbers of at most {@code size}. */
    private Tensor whole(DType dtype, int size, long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(dtype, extents));
        Arrays.setAll(tensor.data(), i -> random.nextInt(-size, size + 1));
        return tensor;
    }

    private Tensor indices(int below, long... extents) {
        Tensor tensor = Tensor.zeros(TensorType.of(DType.I32, extents));
        Arrays.setAll(tensor.data(), i -> random.nextInt(below));
        return tensor;
    }

    /** Of whole numbers, so that sums are exact and results rounded once. */
    private Sample product(DType dtype, String tile, long batches, long m, long n, long k) {
        StepSample step = StepSample.of(
                new MatMul(false, true), List.of(whole(dtype, 9, batches, m, k), whole(dtype, 9, batches, n, k)));
        return sample(step, dtype, 0, new CodegenOptions(true, false, new TilePolicy(tile)));
    }

    private Sample attention(boolean gradient, boolean masked) {
        Attention op = new Attention(0.3, !masked, masked, false);
        List<Tensor> forward = new ArrayList<>(List.of(
                reals(DType.BF16, 1, 2, 130, 64), reals(DType.BF16, 1, 2, 150, 64), reals(DType.BF16, 1, 2, 150, 64)));
        if (masked) {
            Tensor mask = Tensor.filled(TensorType.of(DType.BOOL, 1, 1, 130, 150), 1);
            Arrays.fill(mask.data(), 0, 150, 0);
            forward.add(mask);
        }
        if (!gradient) {
            return sample(StepSample.of(op, forward), DType.BF16, 0.3, TENSOR);
        }
        List<Tensor> backward = new ArrayList<>(List.of(reals(DType.BF16, 1, 2, 130, 64)));
        backward.addAll(forward);
        backward.addAll(REFERENCE.apply(op, forward, 0));
        return sample(StepSample.of(new AttentionGradient(op), backward), DType.BF16, 1, TENSOR);
    }

    /** Results column by column. */
    private Sample turnedAttention() {
        Attention op = new Attention(0.3, false, false, false);
        Tensor rows = reals(DType.BF16, 1, 2, 70, 64);
        StepSample dense = StepSample.of(op, List.of(rows, rows, rows));
        long elements = rows.type().elements();
        StridedView columns = new StridedView(0, List.of(1L, 2L, 70L, 64L), List.of(elements, 70L * 64, 1L, 70L));
        List<StepSample.Place> places = List.of(
                new StepSample.Place(0, elements, columns), dense.places().getLast());
        return sample(new StepSample(dense.body(), dense.sources(), dense.written(), places), DType.BF16, 0.3, TENSOR);
    }

    private Sample embeddingGradient(long rows, long terms, int used) {
        Op op = new EmbeddingGradient(Dim.of(rows));
        return sample(op, DType.F32, 0, whole(DType.F32, 9, terms, 8), indices(used, terms));
    }

    private Sample transpose() {
        Tensor buffer = reals(DType.F32, 70, 33);
        StridedView view = StridedView.dense(buffer.type().shape()).transpose(List.of(1, 0));
        StepSample like = StepSample.of(new Contiguous(), List.of(Tensor.zeros(TensorType.of(DType.F32, 33, 70))));
        return sample(
                new StepSample(like.body(), List.of(new StepSample.Source(buffer, view)), like.written()),
                DType.F32,
                0,
                CodegenOptions.DEFAULT);
    }

    /** Gradients so small that epsilon matters. */
    private Sample adam() {
        Tensor gradient = reals(DType.F32, 1029);
        Arrays.setAll(gradient.data(), i -> (float) (gradient.data()[i] * 1e-5));
        TensorType type = gradient.type();
        return sample(
                ElementwiseUpdate.of(
                        "adam",
                        2,
                        "[mul 0.9 x2, mul 0.1 g, add t0 t1, mul 0.99 x3, mul 0.01 g, mul t4 g, add t3 t5, mul x5 t6,"
                                + " sqrt t7, add t8 1e-8, mul x4 t2, div t10 t9, sub p t11]",
                        "[t12, t2, t6]"),
                DType.F32,
                1,
                reals(DType.F32, 1029),
                gradient,
                Tensor.filled(type, 0),
                Tensor.filled(type, 0),
                Tensor.of(TensorType.scalar(DType.F64), 0.5 / (1 - 0.9 * 0.9)),
                Tensor.of(TensorType.scalar(DType.F64), 1 / (1 - 0.99 * 0.99)));
    }

    /** To within four units in the last place: results are from 1 to e. */
    private Sample exponential() {
        Tensor x = Tensor.zeros(TensorType.of(DType.F32, 512));
        Arrays.setAll(x.data(), i -> i / 512.0);
        return sample(new Unary(Unary.Kind.EXP), DType.F32, 0.008, x);
    }

    /** Likewise: results are from a half to three quarters. */
    private Sample sigmoid() {
        Tensor x = Tensor.zeros(TensorType.of(DType.F32, 512));
        Arrays.setAll(x.data(), i -> i / 512.0);
        return sample(new Unary(Unary.Kind.SIGMOID), DType.F32, 0.008, x);
    }

    private Sample pad() {
        List<Dim> low = List.of(Dim.of(2), Dim.of(1));
        List<Dim> high = List.of(Dim.of(0), Dim.of(2));
        return sample(new Pad(low, high, -3), DType.F32, 0, reals(DType.F32, 9, 31));
    }

    private Sample convolution() {
        Op op = new Conv2d(new ConvGeometry(1, 1, 1, 1, 1, 1, 1));
        return sample(op, DType.F32, 0, whole(DType.F32, 9, 2, 5, 9, 7), whole(DType.F32, 9, 6, 5, 3, 3));
    }

    /** Rows that 128 threads share, and one more of them than a block takes at once. */
    private Sample layerGradient() {
        Tensor x = reals(DType.F32, 37, 1100);
        List<Tensor> operands = new ArrayList<>(List.of(reals(DType.F32, 37, 1100), x));
        operands.addAll(REFERENCE.apply(new NormStatistics(List.of(1), true), List.of(x), 0));
        operands.add(reals(DType.F32, 1, 1100));
        Op op = new NormalizeGradient(List.of(1), 1e-5, true, true, true);
        return sample(op, DType.F32, 10, operands.toArray(Tensor[]::new));
    }

    /** All elements are equal. */
    private Sample poolGradient() {
        Op op = new MaxPool2dGradient(new PoolWindow(2, 2, 2, 2, 0, 0, false));
        return sample(
                op,
                DType.F32,
                0,
                reals(DType.F32, 1, 2, 4, 5),
                Tensor.filled(TensorType.of(DType.F32, 1, 2, 8, 10), 3));
    }

    /** To within a few units in the last place of a loss of about eight. */
    private Sample loss() {
        Op op = new CrossEntropy(0, -100, true);
        return sample(op, DType.F32, 0.02, reals(DType.F32, 9, 3000), indices(3000, 9));
    }

    private Sample lossGradient() {
        Tensor logits = reals(DType.BF16, 9, 5000);
        Tensor targets = indices(5000, 9);
        List<Tensor> results = REFERENCE.apply(new CrossEntropy(0, -100), List.of(logits, targets), 0);
        Tensor upstream = Tensor.of(TensorType.scalar(DType.F32), 900);
        Op op = new CrossEntropyGradient(new CrossEntropy(0, -100));
        return sample(op, DType.BF16, 0.1, upstream, logits, targets, results.get(1));
    }

    /** Rows of four begin between those that could be read at once. */
    private Sample oddSoftmax() {
        Tensor buffer = reals(DType.F32, 6 * 96 + 1);
        StridedView dense = StridedView.dense(Shape.of(6, 96));
        StridedView view = new StridedView(1, dense.extents(), dense.strides());
        StepSample like = StepSample.of(new Softmax(), List.of(Tensor.zeros(TensorType.of(DType.F32, 6, 96))));
        return sample(
                new StepSample(like.body(), List.of(new StepSample.Source(buffer, view)), like.written()),
                DType.F32,
                1,
                CodegenOptions.DEFAULT);
    }

    /** What is known of each sample by its name. */
    static Map<String, Sample> make(Iterable<String> names) {
        Map<String, Supplier<Sample>> all = all();
        Map<String, Sample> made = new LinkedHashMap<>();
        names.forEach(
                name -> made.computeIfAbsent(name, wanted -> all.get(wanted).get()));
        return made;
    }
}
