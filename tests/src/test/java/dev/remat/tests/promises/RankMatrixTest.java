package dev.remat.tests.promises;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.process.RematHere;
import dev.remat.tests.process.RematProcess.Result;
import dev.remat.tests.steps.AllCases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code train} ends in one state and logs one history, whatever number of ranks it has, what they share, how little
 * memory each has and what lies on a disk. {@code -Dremat.cases=all} tries everything with everything and prints a
 * table; {@code tests/benchmarks/ranks.sh matrix} does so by itself.
 */
@Tag("slow")
class RankMatrixTest {
    private static final int STEPS = AllCases.asked() ? 20 : 4;
    /** Columns of a log that tell of a run and not of the training. */
    private static final List<String> OF_THE_RUN = List.of("millis", "moved/", "memory/");

    private static final String MOVES_NOTHING = "moves nothing here";

    @TempDir
    Path folder;

    /** What is trained, at a size at which each cell has a plan. */
    enum Trained {
        GPT("gpt", "B=96,T=32,vocab=64,width=64,depth=3,heads=2,context=32", 60),
        RESNET("resnet-cifar", "B=64,depth=20,classes=3,width=8,image=16", 60),
        UNET("unet", "B=64,classes=3,width=4,image=32,pad=1", 88),
        VAE("vae", "B=256,pixels=150,hidden=128,latent=6", 100),
        EVERYTHING("everything.model", "B=256", 95);

        private final String sample;
        /** What stands for the rest has few rows; then a budget has little to recompute. */
        private final String settings;
        /** Of what keeping everything takes, in percent: what a plan needs that recomputes differs by model. */
        private final int budget;

        Trained(String sample, String settings, int budget) {
            this.sample = sample;
            this.settings = AllCases.asked() ? settings : settings.replaceFirst("B=[0-9]+", "B=16");
            this.budget = budget;
        }

        private String text() throws IOException {
            return this == EVERYTHING
                    ? new String(
                            RankMatrixTest.class.getResourceAsStream(sample).readAllBytes(), UTF_8)
                    : TrialRun.sample(sample);
        }
    }

    /** How little memory a plan takes. */
    private enum Memory {
        KEEPS_ALL,
        WITHIN,
        SMALLEST;

        private List<String> options(Trained trained) {
            return switch (this) {
                case KEEPS_ALL -> List.of("--strategy", "keep-all");
                case WITHIN -> List.of("--budget", trained.budget + "%");
                case SMALLEST -> List.of("--strategy", "peak-priority");
            };
        }
    }

    /** @param shard empty for one rank */
    private record Cell(int ranks, Memory memory, boolean disk, String shard) {
        private List<String> options(Trained trained, Path folder) {
            List<String> options = new ArrayList<>(List.of("--ranks", String.valueOf(ranks)));
            options.addAll(memory.options(trained));
            if (disk) {
                String what = memory == Memory.WITHIN ? "auto" : "all";
                options.addAll(List.of("--disk", folder.toString(), "--offload", what));
                options.addAll(List.of("--disk-rates", "1GB/s:1GB/s:50us"));
            }
            if (!shard.isEmpty()) {
                options.addAll(List.of("--shard", shard));
            }
            return options;
        }
    }

    private static List<Cell> everything() {
        List<Cell> cells = new ArrayList<>();
        for (int ranks : new int[] {1, 2, 4, 8}) {
            for (Memory memory : Memory.values()) {
                for (boolean disk : new boolean[] {false, true}) {
                    List<String> levels = ranks == 1 ? List.of("") : List.of("none", "optimizer", "parameters", "auto");
                    levels.forEach(level -> cells.add(new Cell(ranks, memory, disk, level)));
                }
            }
        }
        return cells;
    }

    private static List<Cell> few() {
        return List.of(
                new Cell(2, Memory.KEEPS_ALL, true, "optimizer"),
                new Cell(4, Memory.SMALLEST, false, "auto"),
                new Cell(8, Memory.SMALLEST, false, "parameters"));
    }

    /**
     * What a training leaves behind.
     *
     * @param log without columns that tell of the run
     */
    private record Left(String state, List<String> log) {}

    private Result run(Path model, Trained trained, List<String> options) {
        List<String> words = new ArrayList<>(List.of("train", model.toString(), "--set", trained.settings));
        words.addAll(List.of("--micro-batches", "8", "--data", "synthetic", "--json", "--effort", "quick"));
        words.addAll(List.of("--steps", String.valueOf(STEPS), "--eval-every", STEPS > 5 ? "5" : "2"));
        words.addAll(List.of("--eval-batches", "2"));
        words.addAll(List.of("--log", folder.resolve("log").toString(), "--overwrite"));
        words.addAll(options);
        return RematHere.run(folder, words.toArray(String[]::new));
    }

    private Left left(Result result) throws IOException {
        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(Long.parseLong(field(result.out(), "highWaterBytes")))
                .as("an evaluation may take more than a step")
                .isLessThanOrEqualTo(Long.parseLong(field(result.out(), "arenaBytes")));
        List<String> lines = Files.readAllLines(folder.resolve("log").resolve("steps.csv"));
        String[] columns = lines.getFirst().split(",", -1);
        List<Integer> kept = IntStream.range(0, columns.length)
                .filter(column -> OF_THE_RUN.stream().noneMatch(columns[column]::startsWith))
                .boxed()
                .toList();
        List<String> log = lines.stream()
                .map(line -> line.split(",", -1))
                .map(cells -> kept.stream().map(column -> cells[column]).collect(Collectors.joining(",")))
                .toList();
        return new Left(field(result.out(), "stateHash"), log);
    }

    /** The last of a name in a JSON text. */
    private static String field(String json, String name) {
        return Arrays.stream(json.split("[{},]"))
                .filter(part -> part.startsWith("\"" + name + "\":"))
                .reduce((_, last) -> last)
                .orElseThrow(() -> new AssertionError("no " + name + " in " + json))
                .replaceAll(".*:|\"", "");
    }

    @ParameterizedTest
    @EnumSource
    void trainingIsThatOfOneRank(Trained trained) throws IOException {
        Path model = Files.writeString(folder.resolve("m.model"), trained.text());
        Path disk = Files.createDirectory(folder.resolve("tier"));
        Left alone = left(run(model, trained, List.of()));
        assertThat(alone.log()).hasSize(STEPS + 1);
        Set<Long> arenas = new TreeSet<>();
        int moved = 0;
        int still = 0;
        List<Cell> cells = AllCases.asked() ? everything() : few();
        for (Cell cell : cells) {
            Result result = run(model, trained, cell.options(trained, disk));
            if (cell.disk() && result.err().contains(MOVES_NOTHING)) {
                // It would be the plan without a disk.
                still++;
                continue;
            }
            assertThat(left(result)).as("%s", cell).isEqualTo(alone);
            arenas.add(Long.parseLong(field(result.out(), "arenaBytes")));
            moved += result.out().contains("\"storedBytes\"") ? 1 : 0;
        }
        System.out.printf(
                "| %s, `%s` | %d | %d | %d | %d | %.2f to %.2f MB | %s |%n",
                trained == Trained.EVERYTHING ? "everything that a `train` block says" : trained.sample,
                trained.settings,
                cells.size(),
                still,
                arenas.size(),
                moved,
                arenas.stream().mapToLong(bytes -> bytes).min().orElseThrow() / 1e6,
                arenas.stream().mapToLong(bytes -> bytes).max().orElseThrow() / 1e6,
                alone.state().substring(0, 12));
    }
}
