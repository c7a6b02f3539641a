package dev.remat.compiler.elaborate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.syntax.ModelParser;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whatever the text is, it is a model or has located errors; nothing else is thrown. */
class HostileTextTest {
    private static final String MODEL = """
        remat 1
        layer Conv(x, channels: int, kernel: int = 3, act: layer = relu) {
          return conv2d(x, channels, kernel, padding = floordiv(kernel, 2), bias = false) |> batch_norm |> act
        }
        model M(width: int = 8, sizes: [(int, bool)] = [(8, true), (16, false)], drop: float = 0.1) {
          symbol B
          input images: f32[B, 3, 8, 8]
          input labels: i32[B]
          param scale: f32[width] = normal(std = 0.02)
          let half = width / 2
          layer Residual(x, f) { return x + f(x) }
          x = Conv(images, width) as stem
          for (n, wide) in sizes {
            if wide and n >= half { x = Residual(x, Conv(_, n)) } else { x = Conv(x, n, kernel = 1, act = gelu) }
          }
          recompute { x = dropout(x, drop) }
          segments 2 { repeat 2 { x = retain Residual(x, Conv(_, 16, 1)) } }
          a, b = split(global_avg_pool(x), 2, axis = -1)
          cell = lstm_cell(_, _, _, width) as cell
          h, c = cell(a, b, zeros([B, width]))
          h, c = cell(h * scale, h, c)
          logits = linear(concat([h, c], axis = 1), 10) as head
          loss = cross_entropy(logits, labels, label_smoothing = 0.1) + 1e-4 * mean(head.weight ** 2)
          output logits
        }
        train {
          minimize loss
          optimizer sgd(lr = 0.1, momentum = 0.9, clip_norm = 1.0)
          schedule cosine(steps = 100, warmup = 10)
          precision f32
          seed 42
        }
        """;

    private static boolean isModel(String text) {
        try {
            Elaborator.elaborate(ModelParser.parse(new Source("m.model", text), IncludeResolver.NONE), Bindings.NONE);
            return true;
        } catch (ModelException e) {
            assertThat(e.diagnostics())
                    .isNotEmpty()
                    .allMatch(finding -> finding.location().file().equals("m.model"));
            return false;
        }
    }

    @Test
    void theTextItselfIsAModel() {
        assertThat(isModel(MODEL)).isTrue();
    }

    @Test
    void tokensExchangedDroppedOrRepeated() {
        List<String> tokens = List.of(MODEL.splitWithDelimiters("\\b|(?=\\W)", 0));
        int models = 0;
        for (long seed = 0; seed < 300; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<String> changed = new ArrayList<>(tokens);
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                int at = random.nextInt(4, changed.size());
                int other = random.nextInt(4, changed.size());
                switch (random.nextInt(3)) {
                    case 0 -> changed.remove(at);
                    case 1 -> changed.set(at, changed.get(other));
                    default -> changed.add(at, changed.get(other));
                }
            }
            models += isModel(String.join("", changed)) ? 1 : 0;
        }
        assertThat(models).isBetween(1, 299);
    }

    @Test
    void numbersExchangedForHostileOnes() {
        String[] numbers = {
            "0", "-1", "9223372036854775807", "1e308", "0.0", "-1e308", "2147483648", "1000001", "B", "x"
        };
        for (String number : numbers) {
            for (String place : MODEL.split("(?=\\b\\d)")) {
                String from = place.replaceAll("(?s)^(\\d[\\d.e-]*).*", "$1");
                String rest = place.substring(Math.min(from.length(), place.length()));
                isModel(MODEL.replace(place, number + rest));
            }
        }
    }

    @Test
    void linesDropped() {
        List<String> lines = MODEL.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            List<String> fewer = new ArrayList<>(lines);
            fewer.remove(i);
            isModel(String.join("\n", fewer));
        }
    }

    @Test
    void endlessRecursionWithDeepExpressionsOnASmallStack() throws InterruptedException {
        String deep = "(".repeat(150) + "E(x" + " + 1".repeat(200) + ")" + ")".repeat(150);
        String chain = "x" + " |> E".repeat(200);
        Throwable[] thrown = new Throwable[1];
        Thread thread = new Thread(
                null,
                () -> {
                    for (String call : List.of("E(x)", deep, chain, "f(x, f) + 1", "if true then E(x) else x")) {
                        String text = "remat 1\nlayer E(x, f = E) { return " + call
                                + " }\nmodel M {\ny = E(1)\n}\ntrain {}\n";
                        assertThat(isModel(text)).isFalse();
                    }
                },
                "small stack",
                1 << 20);
        thread.setUncaughtExceptionHandler((t, e) -> thrown[0] = e);
        thread.start();
        thread.join();
        assertThat(thrown[0]).isNull();
    }
}
