package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.AllFinite;
import dev.remat.ir.op.EmbeddingGradient;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.SumOfSquares;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.StepSample.Source;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Numbers of many tensors at once, and rows of which one place gets many. */
public final class SumCases {
    private SumCases() {}

    /** More tensors than one launch takes, of one element, of some pieces and of more, one of which begins anywhere. */
    public static List<OpCase> lists(DType dtype) {
        Random random = new Random(21);
        List<Source> sources = new ArrayList<>();
        for (int i = 0; i < 35; i++) {
            sources.add(Source.dense(OpCases.random(random, dtype, 1 + 7L * i)));
        }
        sources.add(Source.dense(OpCases.random(random, dtype, 3, 8192)));
        Tensor buffer = OpCases.random(random, dtype, 9000);
        sources.add(new Source(buffer, new StridedView(3, List.of(8500L), List.of(1L))));
        List<OpCase> cases = new ArrayList<>();
        cases.add(of(new SumOfSquares(false), sources, dtype));
        cases.add(of(new AllFinite(), sources, dtype));
        for (double wrong : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            Tensor last = OpCases.random(random, dtype, 8200);
            last.data()[8199] = wrong;
            List<Source> all = new ArrayList<>(sources);
            all.add(Source.dense(last));
            cases.add(of(new AllFinite(), all, dtype));
        }
        List<Source> scaled = new ArrayList<>(sources);
        scaled.add(Source.dense(Tensor.of(TensorType.scalar(dtype.accumulator()), 0.25)));
        cases.add(of(new SumOfSquares(true), scaled, dtype));
        return cases;
    }

    private static OpCase of(Op op, List<Source> sources, DType dtype) {
        List<Operand> operands = new ArrayList<>(IntStream.range(0, sources.size())
                .<Operand>mapToObj(Operand.FromMemory::new)
                .toList());
        List<TensorType> types =
                op.infer(sources.stream().map(source -> source.tensor().type()).toList());
        StepSample sample = new StepSample(
                List.of(new Instruction(op, operands, types)), sources, List.of(new Operand.FromInstruction(0, 0)));
        return new OpCase(sample, dtype, 1);
    }

    /** Places that get none, one, a piece less one, just a piece, and many rows, in any order. */
    public static List<OpCase> frequent(DType dtype) {
        Random random = new Random(22);
        List<OpCase> cases = new ArrayList<>();
        for (long width : new long[] {5, 8}) {
            int[] counts = {130, 0, 63, 1, 64, 300, 65, 128, 2};
            int count = Arrays.stream(counts).sum();
            List<Integer> ids = new ArrayList<>();
            for (int place = 0; place < counts.length; place++) {
                for (int i = 0; i < counts[place]; i++) {
                    ids.add(random.nextInt(ids.size() + 1), place);
                }
            }
            Tensor places = Tensor.zeros(TensorType.of(DType.I32, count));
            Arrays.setAll(places.data(), ids::get);
            Tensor dy = OpCases.random(random, dtype, count, width);
            for (boolean wide : new boolean[] {false, true}) {
                Op op = new EmbeddingGradient(Dim.of(counts.length), wide);
                cases.add(OpCase.of(op, List.of(dy, places), dtype, 3));
                if (wide) {
                    Tensor others = OpCases.random(random, dtype.accumulator(), counts.length, width);
                    cases.add(OpCase.of(op, List.of(dy, places, others), dtype, 3));
                }
            }
        }
        return cases;
    }
}
