package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.onnx.OnnxExport;
import dev.remat.compiler.onnx.OnnxOpset;
import dev.remat.compiler.onnx.WeightUse;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.op.AfterLoss;
import dev.remat.ir.op.Attention;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.Conv2d;
import dev.remat.ir.op.ConvTranspose2d;
import dev.remat.ir.op.CtcLoss;
import dev.remat.ir.op.ImageLayout;
import dev.remat.ir.op.MatMul;
import dev.remat.ir.op.MaxPool2d;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.SeedOp;
import dev.remat.ir.op.Update;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.OpCases;
import dev.remat.tests.steps.StepSample;
import dev.remat.tests.steps.TensorBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** ONNX Runtime computes of every operation of a forward pass what the plain loops of the reference give. */
@Tag("slow")
class OnnxOpTest {
    private static final List<OnnxOpset> OPSETS = List.of(new OnnxOpset(17), new OnnxOpset(18), new OnnxOpset(24));

    private static List<OpCase> cases() {
        return Stream.of(
                        OpCases.examples(DType.F32),
                        OpCases.larger(DType.F32),
                        OpCases.normalizations(DType.F32),
                        OpCases.labelled(DType.F32),
                        OpCases.edges())
                .flatMap(List::stream)
                .filter(each -> each.dtype() != DType.F64 && isSaid(op(each)))
                .toList();
    }

    private static Op op(OpCase each) {
        return each.sample().body().getFirst().op();
    }

    /** Whether a forward graph may have it, as the models that it is made of know images. */
    private static boolean isSaid(Op op) {
        return switch (op) {
            case AfterLoss _, Update _, SeedOp _, CtcLoss _ -> false;
            case MatMul product -> product.wholeRows() == 0;
            case Conv2d conv -> !conv.moments() && conv.geometry().layout() == ImageLayout.NCHW;
            case ConvTranspose2d conv -> conv.geometry().layout() == ImageLayout.NCHW;
            case MaxPool2d pool -> pool.window().layout() == ImageLayout.NCHW;
            case AvgPool2d pool -> pool.window().layout() == ImageLayout.NCHW;
            default -> true;
        };
    }

    @Test
    void agreesOnEveryOperation() throws Exception {
        TreeSet<String> seen = new TreeSet<>();
        for (OpCase each : cases()) {
            seen.add(op(each).mnemonic());
            for (OnnxOpset opset : OPSETS) {
                withoutExtras(each).check(run(each.sample(), opset));
            }
        }
        assertThat(seen).hasSizeGreaterThan(60).contains("attention", "cumsum", "scatter_add", "sort", "floordiv");
    }

    /** Attention alone, without the log-sum-exp, which is for gradients. */
    private static OpCase withoutExtras(OpCase each) {
        List<Tensor> operands =
                each.sample().sources().stream().map(StepSample.Source::tensor).toList();
        return op(each) instanceof Attention
                ? new OpCase(StepSample.of(op(each), operands, List.of(0)), each.dtype(), each.scale())
                : each;
    }

    private static List<Tensor> run(StepSample sample, OnnxOpset opset) throws Exception {
        GraphBuilder graph = new GraphBuilder("single");
        Map<String, StoredTensor> known = new LinkedHashMap<>();
        List<ValueId> operands = new ArrayList<>();
        for (int i = 0; i < sample.sources().size(); i++) {
            Tensor tensor = sample.sources().get(i).tensor();
            String name = "x" + i;
            operands.add(graph.input(name, tensor.type(), InputKind.DATA, Initializer.ZEROS, Location.NONE));
            known.put(name, stored(name, tensor));
        }
        Op op = sample.body().getFirst().op();
        List<ValueId> results = graph.emit(op, operands);
        int given = op instanceof Attention ? 1 : results.size();
        for (int i = 0; i < given; i++) {
            graph.output("y" + i, results.get(i));
        }
        byte[] model =
                OnnxRun.bytes(new OnnxExport(graph.build(), opset, List.of()).run(List.of(), WeightUse::whole, "test"));
        Map<String, StoredTensor> outputs = OnnxRun.run(model, known);
        List<Tensor> actual = new ArrayList<>();
        for (int i = 0; i < given; i++) {
            actual.add(TensorBytes.decode(
                    graph.type(results.get(i)), outputs.get("y" + i).data(), 0));
        }
        return actual;
    }

    private static StoredTensor stored(String name, Tensor tensor) {
        MemorySegment data = Arena.ofAuto().allocate(tensor.type().bytes(), Long.BYTES);
        TensorBytes.encode(tensor, data, 0);
        List<Long> shape = new ArrayList<>();
        for (long extent : tensor.type().shape().toArray()) {
            shape.add(extent);
        }
        return new StoredTensor(name, StoredType.of(tensor.type().dtype()), shape, data);
    }
}
