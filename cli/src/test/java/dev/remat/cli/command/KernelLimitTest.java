package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tensors within their limits, of which one kernel would have to count more than 2^31 - 1 elements. */
class KernelLimitTest {
    private static final String MODEL = """
        remat 1

        model Wide {
          symbol B
          input x: f32[B, 65536, 8]

          param w: f32[8] = ones
          y = softmax(x * w)
          loss = %s
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.1)
        }
        """;

    @TempDir
    Path folder;

    private String mean;
    private String part;

    @BeforeEach
    void write() throws IOException {
        mean = TinyModels.write(folder, "mean.model", MODEL.formatted("mean(y)"));
        part = TinyModels.write(folder, "part.model", MODEL.formatted("mean(slice(mean(y, axis = 0), 0, 4))"));
    }

    @Test
    void areRefusedWhereTheModelSaysThem() {
        CommandRun plan = CommandRun.of("plan", mean, "--set", "B=65536");
        assertThat(plan.exitCode()).as(plan.err()).isEqualTo(3);
        assertThat(plan.err())
                .contains("mean.model:9:10: error[E0305]: 'reduce_mean' takes more elements than a kernel of cpu can"
                        + " count");
        assertThat(CommandRun.of("plan", mean, "--set", "B=64").exitCode()).isZero();
    }

    @Test
    void areRefusedByTrainingToo() {
        CommandRun train = CommandRun.of("train", part, "--set", "B=65536", "--data", "synthetic", "--steps", "1");
        assertThat(train.exitCode()).as(train.err()).isEqualTo(3);
        assertThat(train.err())
                .contains("part.model:8:7: error[E0305]: 'reduce_sum' takes more elements than a kernel of cpu");
    }

    @Test
    void endTheSearchForAnExtent() {
        CommandRun fit =
                CommandRun.of("fit", mean, "--symbol", "B", "--budget", "900TiB", "--effort", "quick", "--json");
        assertThat(fit.exitCode()).as(fit.err()).isZero();
        assertThat(fit.out()).contains("\"B\": 4095");
    }
}
