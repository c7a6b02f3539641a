package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Weights of a file as PyTorch exports it are trained on, and go back into ONNX: what comes of it is what
 * backpropagation and AdamW by hand give, in f64.
 */
@Tag("slow")
class OnnxFineTuneTest {
    private static final int ROWS = 4;
    private static final int IN = 3;
    private static final int HIDDEN = 5;
    private static final int CLASSES = 2;
    private static final int STEPS = 6;
    private static final double RATE = 0.05;
    private static final int[] TARGETS = {0, 1, 1, 0};

    @TempDir
    Path folder;

    private final Map<String, double[]> weights = new LinkedHashMap<>();
    private final double[] x = numbers(1, ROWS * IN);

    private static double[] numbers(int seed, int count) {
        Random random = new Random(seed);
        double[] values = new double[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static ProtoMessage weight(String name, double[] values, long... dims) {
        ProtoMessage tensor = new ProtoMessage();
        for (long dim : dims) {
            tensor.number(1, dim);
        }
        tensor.number(2, 1).text(8, name);
        for (double value : values) {
            tensor.real(4, (float) value);
        }
        return tensor;
    }

    private static ProtoMessage node(String path, String operator, String output, String... inputs) {
        ProtoMessage node = new ProtoMessage();
        for (String input : inputs) {
            node.text(1, input);
        }
        return node.text(2, output).text(3, path + "/" + operator).text(4, operator);
    }

    private static ProtoMessage value(String name, String batch, long extent) {
        ProtoMessage shape = new ProtoMessage()
                .message(1, new ProtoMessage().text(2, batch))
                .message(1, new ProtoMessage().number(1, extent));
        ProtoMessage tensor = new ProtoMessage().number(1, 1).message(2, shape);
        return new ProtoMessage().text(1, name).message(2, new ProtoMessage().message(1, tensor));
    }

    /** softmax(fc2(tanh(fc1(x)))), the second matrix transposed and renamed, as TorchScript has it. */
    private Path exported() throws IOException {
        weights.put("fc1.weight", numbers(2, HIDDEN * IN));
        weights.put("fc1.bias", numbers(3, HIDDEN));
        weights.put("fc2.weight", numbers(4, CLASSES * HIDDEN));
        weights.put("fc2.bias", numbers(5, CLASSES));
        double[] transposed = new double[CLASSES * HIDDEN];
        for (int c = 0; c < CLASSES; c++) {
            for (int h = 0; h < HIDDEN; h++) {
                transposed[h * CLASSES + c] = weights.get("fc2.weight")[c * HIDDEN + h];
            }
        }
        ProtoMessage byRows = new ProtoMessage().text(1, "transB").number(3, 1).number(20, 2);
        ProtoMessage graph = new ProtoMessage()
                .message(
                        1,
                        node("/fc1", "Gemm", "h", "x", "fc1.weight", "fc1.bias").message(5, byRows))
                .message(1, node("", "Tanh", "t", "h"))
                .message(1, node("/fc2", "MatMul", "p", "t", "onnx::MatMul_9"))
                .message(1, node("/fc2", "Add", "logits", "fc2.bias", "p"))
                .message(1, node("", "Softmax", "y", "logits"))
                .text(2, "main_graph")
                .message(5, weight("fc1.weight", weights.get("fc1.weight"), HIDDEN, IN))
                .message(5, weight("fc1.bias", weights.get("fc1.bias"), HIDDEN))
                .message(5, weight("onnx::MatMul_9", transposed, HIDDEN, CLASSES))
                .message(5, weight("fc2.bias", weights.get("fc2.bias"), CLASSES))
                .message(11, value("x", "batch", IN))
                .message(12, value("y", "batch", CLASSES));
        return Files.write(
                folder.resolve("rows.onnx"),
                OnnxRun.bytes(new ProtoMessage()
                        .number(1, 8)
                        .text(2, "pytorch")
                        .message(7, graph)
                        .message(8, new ProtoMessage().number(2, 17))));
    }

    private double[] hidden(int row) {
        double[] hidden = new double[HIDDEN];
        for (int h = 0; h < HIDDEN; h++) {
            double sum = weights.get("fc1.bias")[h];
            for (int i = 0; i < IN; i++) {
                sum += weights.get("fc1.weight")[h * IN + i] * x[row * IN + i];
            }
            hidden[h] = Math.tanh(sum);
        }
        return hidden;
    }

    private double[] shares(double[] hidden) {
        double[] shares = new double[CLASSES];
        double all = 0;
        for (int c = 0; c < CLASSES; c++) {
            double sum = weights.get("fc2.bias")[c];
            for (int h = 0; h < HIDDEN; h++) {
                sum += weights.get("fc2.weight")[c * HIDDEN + h] * hidden[h];
            }
            shares[c] = Math.exp(sum);
            all += shares[c];
        }
        for (int c = 0; c < CLASSES; c++) {
            shares[c] /= all;
        }
        return shares;
    }

    /** Of the mean cross entropy. */
    private Map<String, double[]> gradients() {
        Map<String, double[]> gradients = new LinkedHashMap<>();
        weights.forEach((name, values) -> gradients.put(name, new double[values.length]));
        for (int row = 0; row < ROWS; row++) {
            double[] hidden = hidden(row);
            double[] shares = shares(hidden);
            double[] back = new double[HIDDEN];
            for (int c = 0; c < CLASSES; c++) {
                double error = (shares[c] - (TARGETS[row] == c ? 1 : 0)) / ROWS;
                gradients.get("fc2.bias")[c] += error;
                for (int h = 0; h < HIDDEN; h++) {
                    gradients.get("fc2.weight")[c * HIDDEN + h] += error * hidden[h];
                    back[h] += error * weights.get("fc2.weight")[c * HIDDEN + h];
                }
            }
            for (int h = 0; h < HIDDEN; h++) {
                double error = back[h] * (1 - hidden[h] * hidden[h]);
                gradients.get("fc1.bias")[h] += error;
                for (int i = 0; i < IN; i++) {
                    gradients.get("fc1.weight")[h * IN + i] += error * x[row * IN + i];
                }
            }
        }
        return gradients;
    }

    /** AdamW (Loshchilov and Hutter, 2019) with PyTorch's defaults. */
    private void trainByHand() {
        Map<String, double[]> means = new LinkedHashMap<>();
        Map<String, double[]> squares = new LinkedHashMap<>();
        weights.forEach((name, values) -> means.put(name, new double[values.length]));
        weights.forEach((name, values) -> squares.put(name, new double[values.length]));
        for (int step = 1; step <= STEPS; step++) {
            double ofMeans = 1 - Math.pow(0.9, step);
            double ofSquares = 1 - Math.pow(0.999, step);
            for (var each : gradients().entrySet()) {
                double[] values = weights.get(each.getKey());
                double[] mean = means.get(each.getKey());
                double[] square = squares.get(each.getKey());
                for (int i = 0; i < values.length; i++) {
                    double gradient = each.getValue()[i];
                    mean[i] = 0.9 * mean[i] + 0.1 * gradient;
                    square[i] = 0.999 * square[i] + 0.001 * gradient * gradient;
                    values[i] *= 1 - RATE * 0.01;
                    values[i] -= RATE * (mean[i] / ofMeans) / (Math.sqrt(square[i] / ofSquares) + 1e-8);
                }
            }
        }
    }

    private String at(String name) {
        return folder.resolve(name).toString();
    }

    private static void remat(String... words) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertThat(RematCommand.run(new Console(out, out, false, false), words))
                .as(out.toString(StandardCharsets.UTF_8))
                .isZero();
    }

    private StoredTensor inputs() {
        StoredTensor tensor = OneNode.tensor(StoredType.F32, ROWS, IN).named("x");
        for (int i = 0; i < x.length; i++) {
            tensor.data().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) x[i]);
        }
        return tensor;
    }

    private void train() throws IOException {
        remat("import", exported().toString(), "-o", at("m.model"), "--loss", "cross_entropy");
        String text = Files.readString(folder.resolve("m.model"));
        Files.writeString(folder.resolve("m.model"), text.replace("lr = 5e-5", "lr = " + RATE));
        StoredTensor targets = OneNode.tensor(StoredType.I64, ROWS).named("targets");
        for (int row = 0; row < ROWS; row++) {
            targets.data().setAtIndex(ValueLayout.JAVA_LONG, row, TARGETS[row]);
        }
        SafetensorsWriter.write(folder.resolve("rows.safetensors"), Map.of(), List.of(inputs(), targets));
        List<String> words = new ArrayList<>(List.of("train", at("m.model"), "--set", "B=" + ROWS));
        words.addAll(List.of("--init", at("m.safetensors"), "--data", at("rows.safetensors")));
        words.addAll(List.of("--steps", Integer.toString(STEPS), "--save", at("run")));
        remat(words.toArray(String[]::new));
    }

    private static void expectNear(StoredTensor found, double[] wanted) {
        assertThat(found.elements()).isEqualTo(wanted.length);
        for (int i = 0; i < wanted.length; i++) {
            assertThat(Math.abs(found.data().getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i) - wanted[i]))
                    .as("%s[%d]", found.name(), i)
                    .isLessThanOrEqualTo(1e-5);
        }
    }

    @Test
    void trainsAsByHandAndGoesBack() throws Exception {
        train();
        trainByHand();
        remat("export", at("m.model"), "--resume", at("run"), "-o", at("trained.safetensors"));
        try (SafetensorsFile trained = SafetensorsFile.open(folder.resolve("trained.safetensors"))) {
            assertThat(trained.tensors()).hasSameSizeAs(weights.keySet());
            weights.forEach((name, values) -> expectNear(trained.find(name).orElseThrow(), values));
        }
        remat("export", at("m.model"), "--resume", at("run"), "--format", "onnx", "-o", at("back.onnx"));
        double[] shares = new double[ROWS * CLASSES];
        for (int row = 0; row < ROWS; row++) {
            System.arraycopy(shares(hidden(row)), 0, shares, row * CLASSES, CLASSES);
        }
        expectNear(OnnxRun.run(at("back.onnx"), Map.of("x", inputs())).get("y"), shares);
    }
}
