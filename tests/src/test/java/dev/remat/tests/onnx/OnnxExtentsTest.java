package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.onnx.OnnxExport;
import dev.remat.compiler.onnx.OnnxOpset;
import dev.remat.compiler.onnx.WeightUse;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.graph.Graph;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.tests.promises.TrialRun;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One file serves every extent of its symbols, whatever is calculated from them. */
class OnnxExtentsTest {
    private static final String MODEL = """
        remat 1

        model Extents(width: int = 6) {
          symbol B, T, W
          input x: f32[B, T, width]
          input images: f32[B, 2, T, W]

          rows = reshape(x, [B * T, 6])
          halves = reshape(rows, [B, T * 2, 3])
          flat = flatten(images)
          moved = reshape(transpose(x), [B * 6, T])
          tail = x[:, T - 2 :]
          later = pad(x, [0, 0, T, 1])
          ordered, places = sort(moved)
          summed = cumsum(x, axis = 1)
          numbered = x * (arange(T)[:, none] + T)
          table = zeros([T, B]) + arange(T)[:, none]
          pooled = max_pool2d(images, 3, stride = 2, padding = 1)
          spread = zeros([B, shape(pooled, 2) * shape(pooled, 3)]) + T
          means = avg_pool2d(images, 2)
          larger = upsample(images, 2)
          grown = conv_transpose2d(images, 3, 2, stride = 2)
          total = sum(rows) / (B * T)
          output rows, halves, flat, moved, tail, later, ordered, places, summed, numbered, table, pooled, spread
          output means, larger, grown, total
        }
        """;

    @ParameterizedTest
    @ValueSource(ints = {17, 23})
    void oneFileServesAllExtents(int opset) throws Exception {
        Graph open = TrialRun.session(MODEL, "width=6").open(Purpose.EVALUATE).forward();
        for (String extents : List.of("B=2,T=5,W=4", "B=3,T=8,W=7")) {
            EvaluatedSample evaluated = EvaluatedSample.of(TrialRun.session(MODEL, extents), List.of());
            byte[] model = OnnxRun.bytes(new OnnxExport(open, new OnnxOpset(opset), List.of())
                    .run(evaluated.onnxWeights(), WeightUse::whole, "test"));
            Map<String, StoredTensor> outputs = OnnxRun.run(model, evaluated.known());
            evaluated
                    .outputs()
                    .forEach(expected -> assertThat(OnnxRun.distance(outputs.get(expected.name()), expected))
                            .as("%s at %s", expected.name(), extents)
                            .isLessThanOrEqualTo(1e-5));
        }
    }
}
