package dev.remat.cli.command;

import static dev.remat.cli.command.TinyModels.run;
import static dev.remat.cli.command.TinyModels.state;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code --shard}, by every command that takes it. */
@Tag("slow")
class ShardCommandsTest {
    @TempDir
    Path folder;

    private String tiny;

    @BeforeEach
    void write() throws IOException {
        tiny = TinyModels.text(folder);
    }

    /** What ranks have in shares is saved as one rank saves it, and gone on with in other shares, or none. */
    @Test
    void checkpointsDoNotKnowOfShares() throws IOException {
        List<String> cut = List.of("--micro-batches", "4", "--steps");
        Path alone = folder.resolve("alone");
        Path shared = folder.resolve("shared");
        List<String> options = new ArrayList<>(cut);
        options.addAll(List.of("2", "--save"));
        assertThat(state(run("train", tiny, and(options, alone.toString()))))
                .isEqualTo(state(
                        run("train", tiny, and(options, shared.toString(), "--ranks", "4", "--shard", "parameters"))));
        assertThat(Files.mismatch(stateFile(alone), stateFile(shared))).isEqualTo(-1);
        String whole = state(run("train", tiny, and(cut, "4")));
        for (String[] other : new String[][] {
            {}, {"--ranks", "2"}, {"--ranks", "2", "--shard", "optimizer"}, {"--ranks", "2", "--shard", "parameters"}
        }) {
            CommandRun gone = run(
                    "train",
                    tiny,
                    and(List.of(other), "--resume", shared.toString(), "--steps", "4", "--eval-every", "1"));
            assertThat(state(gone)).isEqualTo(whole);
        }
    }

    private static String[] and(List<String> options, String... more) {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of(more));
        return all.toArray(String[]::new);
    }

    private static Path stateFile(Path run) throws IOException {
        try (Stream<Path> files = Files.list(run)) {
            return files.filter(file -> file.toString().endsWith(".safetensors"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /**
     * Of 256 KiB a quarter: twice that for Adam's moments. Parameters are gathered in place of sums, so that as many
     * bytes are sent, or in each of two rounds where they are in shares. For a norm each rank sends eight
     * bytes for each of its 16 chunks.
     */
    @ParameterizedTest
    @CsvSource({
        "optimizer, adam(lr = 0.1), 2, 1, 0",
        "gradients, 'adam(lr = 0.1, clip_norm = 1)', 2, 1, 128",
        "parameters, adam(lr = 0.1), 3, 2, 0",
        "parameters, 'sgd(lr = 0.1, momentum = 0.9)', 2, 2, 0",
    })
    void tellsWhatIsInShares(String level, String optimizer, int shares, int gathered, long squares)
            throws IOException {
        String text = SQUARE.replace("sgd(lr = 0.1)", optimizer);
        String square = Files.writeString(folder.resolve("square.model"), text).toString();
        String[] asked = {"--set", "B=8", "--micro-batches", "8", "--ranks", "4", "--shard", level, "--json"};
        CommandRun run = CommandRun.of(and(List.of("plan", square), asked));
        assertThat(run.exitCode()).as(run.err()).isZero();
        long whole = 256L * 256 * 4;
        boolean parameters = level.equals("parameters");
        assertThat(JsonFields.of(run.out()))
                .containsEntry("ranks.shard", level)
                .containsEntry("ranks.sharedBytes", String.valueOf(shares * whole / 4))
                .containsEntry("ranks.wholeOptimizerBytes", "0")
                .containsEntry("memory.optimizerBytes", String.valueOf((parameters ? shares - 1 : shares) * whole / 4))
                .containsEntry("memory.parameterBytes", String.valueOf(parameters ? whole / 4 : whole))
                .containsEntry("ranks.scatterBytes", String.valueOf(2 * whole * 3 / 4))
                .containsEntry("ranks.gatherBytes", String.valueOf(gathered * whole * 3 / 4 + 3 * squares + 2 * 3 * 4));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--micro-batches 8 --shard optimizer | --shard is about what each of several ranks holds",
                "--micro-batches 8 --ranks 1 --shard none | it needs --ranks",
                "--micro-batches 8 --ranks 2 --shard some | 'some' is neither none nor optimizer nor gradients nor"
                        + " parameters",
            })
    void whatDoesNotSuitIsMisuse(String options, String message) {
        for (String command : List.of("plan", "train", "check")) {
            List<String> words = new ArrayList<>(List.of(options.split(" ")));
            if (command.equals("train")) {
                words.addAll(List.of("--steps", "1"));
            }
            CommandRun run = run(command, tiny, words.toArray(String[]::new));
            assertThat(run.exitCode()).as("%s: %s", command, run.err()).isEqualTo(2);
            assertThat(run.err()).contains(message);
        }
    }

    private static final String SQUARE = """
        remat 1
        model Square {
          symbol B
          input x: f32[B, 256]
          param w: f32[256, 256] = ones
          loss = mean((x @ w) ** 2)
        }
        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;

    private static final String DEEP = """
        remat 1
        model Deep() {
          symbol B
          input x: f32[B, 128]
          h = linear(x, 128) as one |> tanh
          h = linear(h, 128) as two |> tanh
          h = linear(h, 128) as three |> tanh
          h = linear(h, 128) as four |> tanh
          loss = mean(h ** 2)
        }
        train { minimize loss; optimizer adam(lr = 0.1) }
        """;

    private static Map<String, String> planned(String model, String... more) throws IOException {
        String[] asked = {"--set", "B=8", "--micro-batches", "8", "--ranks", "4", "--json"};
        CommandRun run = CommandRun.of(and(List.of("plan", model), and(List.of(asked), more)));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return JsonFields.of(run.out());
    }

    /** A link that takes long makes it dear to gather parameters each round; what fits nowhere else is worth it. */
    @Test
    void autoTakesWhatIsFastestOfWhatFits() throws IOException {
        String deep = Files.writeString(folder.resolve("deep.model"), DEEP).toString();
        String least = planned(deep, "--shard", "parameters", "--strategy", "peak-priority")
                .get("memory.arenaBytes");
        assertThat(Long.parseLong(least))
                .isLessThan(Long.parseLong(planned(deep, "--shard", "optimizer", "--strategy", "peak-priority")
                        .get("memory.arenaBytes")));
        assertThat(planned(deep, "--shard", "auto", "--link", "10Mbit:1ms")).containsEntry("ranks.shard", "optimizer");
        assertThat(planned(deep, "--shard", "auto", "--link", "10Mbit:1ms", "--budget", least))
                .containsEntry("ranks.shard", "parameters");
        CommandRun none = CommandRun.of(and(
                List.of("plan", deep, "--set", "B=8", "--micro-batches", "8", "--ranks", "4"),
                "--shard",
                "auto",
                "--budget",
                "16KiB"));
        assertThat(none.exitCode()).isEqualTo(4);
        assertThat(none.err()).contains("no plan fits 16384 bytes");
    }

    /** As ZeRO's authors have it: no bytes more are sent, and less is held. */
    @Test
    void whatOptimizersKeepIsInSharesUnlessAskedOtherwise() throws IOException {
        String deep = Files.writeString(folder.resolve("deep.model"), DEEP).toString();
        assertThat(planned(deep)).containsEntry("ranks.shard", "optimizer");
        assertThat(planned(deep, "--shard", "none")).containsEntry("ranks.shard", "none");
    }

    private static final String WIDE = """
        remat 1
        model Wide() {
          symbol B
          input x: f32[B, 256]
          h = linear(x, 256, bias = false) as one |> tanh
          h = linear(h, 256, bias = false) as two |> tanh
          h = linear(h, 256, bias = false) as three |> tanh
          h = linear(h, 256, bias = false) as four |> tanh
          loss = mean(h ** 2)
        }
        train { minimize loss; optimizer adam(lr = 0.1) }
        """;

    /** Between all whole and all in shares some are whole, so that fewer are gathered each round. */
    @Test
    void autoHoldsSomeParametersWhole() throws IOException {
        String wide = Files.writeString(folder.resolve("wide.model"), WIDE).toString();
        String budget = planned(wide, "--shard", "parameters").get("memory.arenaBytes");
        String[] asked = {"--shard", "auto", "--effort", "quick", "--budget", budget};
        Map<String, String> mixed = planned(wide, and(List.of(asked), "--link", "100Mbit:1ms"));
        long share = 256 * 256 * 4 / 4;
        assertThat(mixed)
                .containsEntry("ranks.shard", "parameters")
                .as("of four parameters one is whole, and all that Adam keeps is in shares")
                .containsEntry("ranks.sharedBytes", String.valueOf((3 + 8) * share));
        String[] train = {"--set", "B=8", "--micro-batches", "8", "--steps", "2", "--data", "synthetic"};
        CommandRun run =
                CommandRun.of(and(List.of(and(List.of("train", wide), train)), and(List.of("--ranks", "4"), asked)));
        assertThat(state(run)).isEqualTo(state(CommandRun.of(and(List.of("train", wide), train))));
    }

    @Test
    void checkHoldsAllThatAutoMayTake() throws IOException {
        String[] asked = {"--micro-batches", "4", "--ranks", "1,2", "--shard", "auto", "--strategy", "keep-all"};
        CommandRun run = run("check", tiny, and(List.of(asked), "--json"));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(JsonFields.of(run.out())).containsEntry("differ", "0");
        assertThat(run.out())
                .contains(
                        "keep-all on 2 ranks sharing optimizer",
                        "keep-all on 2 ranks sharing parameters",
                        "\"keep-all on 2 ranks\"")
                .doesNotContain("sharing none");
    }
}
