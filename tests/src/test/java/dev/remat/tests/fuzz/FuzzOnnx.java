package dev.remat.tests.fuzz;

import dev.remat.cli.command.RematCommand;
import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Files of ONNX, as remat exports them, that are not as they should be, and options that may not suit them. */
final class FuzzOnnx implements FuzzKind {
    private static final List<String> MODELS = List.of("""
        remat 1
        model M {
          symbol B, T
          input ids: i64[B, T]
          x = embedding(ids, 11, 8) as table
          q = linear(layer_norm(x), 8) as q |> split_heads(2)
          y = merge_heads(attention(q, q, q, causal = true))
          loss = mean(y ** 2)
          output y
        }
        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """, """
        remat 1
        model M {
          symbol B
          input x: f32[B, 2, 8, 8]
          h = relu(batch_norm(conv2d(x, 4, 3, padding = 1)))
          y = softmax(linear(flatten(max_pool2d(h, 2)), 3))
          loss = mean(y ** 2)
          output y
        }
        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """, """
        remat 1
        model M {
          symbol B
          input x: f32[B, 6]
          input i: i64[B]
          a, b = split(x, 2, axis = 1)
          s, n = top_k(concat([a * 2, exp(b)], axis = 1), 2)
          y = where(s > 0, cumsum(s, 1), mean(x, axis = 1, keepdim = true)) + x[:, 1:5:2]
          z = one_hot(i, 4) |> tril
          p = linear(x, 2)
          loss = mean(p ** 2)
          output y, z, p
        }
        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """);
    private static final List<String> SIZES = List.of("B=2,T=3", "B=2", "B=2");
    private static final List<String> OPTIONS = List.of(
            "--loss=cross_entropy",
            "--loss=mse",
            "--loss=bce",
            "--loss=x",
            "--outputs=y",
            "--outputs=/softmax/Softmax_output_0",
            "--inputs=x",
            "--inputs=q",
            "--set=B=2",
            "--set=B=0",
            "--set=B=-1",
            "--set=x=[1,2]",
            "--set=B=1e99",
            "--set==",
            "--json",
            "--follow-links");

    private final List<byte[]> files = new ArrayList<>();

    FuzzOnnx() throws IOException {
        Path folder = Files.createTempDirectory("remat-fuzz-onnx");
        for (int i = 0; i < MODELS.size(); i++) {
            String model = Files.writeString(folder.resolve(i + ".model"), MODELS.get(i))
                    .toString();
            String run = folder.resolve("run" + i).toString();
            Path file = folder.resolve(i + ".onnx");
            remat("train", model, "--set", SIZES.get(i), "--data", "synthetic", "--steps", "1", "--save", run);
            remat("export", model, "--resume", run, "--format", "onnx", "-o", file.toString());
            files.add(Files.readAllBytes(file));
        }
    }

    private static void remat(String... words) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(new ByteArrayOutputStream(), err, false, false);
        if (RematCommand.run(console, words) != 0) {
            throw new IllegalStateException(err.toString(StandardCharsets.UTF_8));
        }
    }

    @Override
    public FuzzInput make(SplittableRandom random) {
        List<String> words = new ArrayList<>(List.of("import", "@/m.onnx", "-o", "@/m.model"));
        while (Mutation.once(3, random)) {
            words.add(Mutation.pick(OPTIONS, random));
        }
        byte[] file = Mutation.pick(files, random);
        return FuzzInput.of(words.toArray(String[]::new))
                .file("m.onnx", Mutation.once(10, random) ? file : Mutation.bytes(file, random));
    }
}
