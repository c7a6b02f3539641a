package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.checkpoint.Checkpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs that are saved, go on, stop by themselves, and share a folder with others. */
class TrainRunsTest {
    @TempDir
    Path folder;

    private Path run;
    private String model;
    private String text;

    @BeforeEach
    void prepare() throws IOException {
        run = folder.resolve("run");
        model = TinyModels.text(folder);
        text = TinyModels.data(folder);
    }

    private CommandRun train(String symbols, String... more) {
        List<String> args = new ArrayList<>(List.of("train", model, "--set", symbols, "--text", text, "--json"));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private CommandRun save(int steps) {
        CommandRun saved = train("B=4,T=16", "--steps", String.valueOf(steps), "--save", run.toString());
        assertThat(saved.exitCode()).as(saved.err()).isZero();
        return saved;
    }

    private CommandRun resume(String symbols, String... more) {
        List<String> args = new ArrayList<>(List.of("--steps", "4", "--resume", run.toString()));
        args.addAll(List.of(more));
        return train(symbols, args.toArray(String[]::new));
    }

    private static String lastLine(CommandRun run) {
        return run.out().lines().reduce((first, second) -> second).orElse("");
    }

    private long savedStep() throws IOException {
        try (Checkpoint checkpoint = Checkpoint.open(run)) {
            return checkpoint.meta().step();
        }
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(run)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void anotherRunsCheckpointIsKeptUntilOverwriteIsAsked() throws IOException {
        save(3);
        byte[] meta = Files.readAllBytes(run.resolve("meta.json"));
        CommandRun refused = train("B=4,T=16", "--steps", "1", "--save", run.toString());
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err())
                .isEqualTo("remat: " + run + ": holds the checkpoint of Tiny after step 3; go on from it with --resume "
                        + run + ", save to another folder, or replace it with --overwrite\n");
        assertThat(run.resolve("meta.json")).hasBinaryContent(meta);
        assertThat(names()).hasSize(2);
        CommandRun replaced = train("B=4,T=16", "--steps", "1", "--save", run.toString(), "--overwrite");
        assertThat(replaced.exitCode()).as(replaced.err()).isZero();
        assertThat(savedStep()).isEqualTo(1);
        assertThat(names()).hasSize(2);
    }

    @Test
    void aRunThatGoesOnReplacesItsOwnCheckpoint() throws IOException {
        save(2);
        Path link = Files.createSymbolicLink(folder.resolve("link"), run);
        CommandRun on = resume("B=4,T=16", "--save", link.toString());
        assertThat(on.exitCode()).as(on.err()).isZero();
        assertThat(on.err()).isEqualTo("remat: goes on behind step 2 of " + run + "\n");
        assertThat(savedStep()).isEqualTo(4);
        assertThat(names()).hasSize(2);
    }

    @Test
    void filesOfTheUserStay() throws IOException {
        Files.createDirectories(run);
        Path mine = Files.writeString(run.resolve("state-foo.safetensors"), "mine");
        train("B=4,T=16", "--steps", "3", "--save", run.toString(), "--save-every", "1");
        assertThat(mine).hasContent("mine");
        assertThat(names()).hasSize(3);
    }

    @Test
    void anotherBatchSizeIsRefusedUnlessAllowed() {
        save(2);
        CommandRun refused = resume("B=2,T=16");
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err())
                .isEqualTo("remat: " + run
                        + ": is of another run: B is 2, was 4; --allow-changed symbols goes on all the same\n");
        CommandRun allowed = resume("B=2,T=16", "--allow-changed", "symbols");
        assertThat(allowed.exitCode()).as(allowed.err()).isZero();
        assertThat(allowed.err()).contains("B is 2, was 4");
    }

    @Test
    void otherDataIsRefusedUnlessAllowedAndAnotherNameIsNoOtherData() throws IOException {
        save(2);
        text = TinyModels.write(folder, "copy.txt", Files.readString(Path.of(text)));
        assertThat(resume("B=4,T=16").err()).doesNotContain("as in");
        text = TinyModels.write(
                folder, "other.txt", Files.readString(Path.of(text)).replaceFirst("abc", "abd"));
        CommandRun refused = resume("B=4,T=16");
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err()).contains("data fingerprint is ", ", was ", "--allow-changed data");
        assertThat(resume("B=4,T=16", "--allow-changed", "data,symbols").exitCode())
                .isZero();
        assertThat(resume("B=4,T=16", "--allow-changed", "model").err())
                .contains("'model' cannot be allowed to change; there are symbols, precision, seed, data");
    }

    @Test
    void anotherRateGoesOnWithANote() throws IOException {
        save(2);
        Path file = Path.of(model);
        Files.writeString(file, Files.readString(file).replace("lr = 1e-2", "lr = 1e-3"));
        CommandRun on = resume("B=4,T=16");
        assertThat(on.exitCode()).as(on.err()).isZero();
        assertThat(on.err())
                .startsWith("remat: not as in " + run + ": optimizer is adamw(lr = 0.001), was adamw(lr = 0.01)\n");
    }

    @Test
    void aRunKeepsItsMicroBatches() throws IOException {
        Path file = Path.of(model);
        String whole = Files.readString(file);
        String cut = whole.replace("minimize loss", "minimize loss; micro_batches 2");
        save(1);
        assertThat(run.resolve("meta.json")).content().doesNotContain("micro");
        Files.writeString(file, cut);
        assertThat(resume("B=4,T=16").err())
                .startsWith("remat: as in " + run
                        + ": micro_batches is 1, 2 in the model; --micro-batches gives another number\n");
        train("B=4,T=16", "--steps", "2", "--save", run.toString(), "--overwrite");
        assertThat(resume("B=4,T=16").err()).doesNotContain("as in");
        Files.writeString(file, whole);
        CommandRun on = resume("B=4,T=16", "--save", run.toString());
        assertThat(on.exitCode()).as(on.err()).isZero();
        assertThat(on.err()).contains("micro_batches is 2, 1 in the model").doesNotContain("not as in");
        assertThat(run.resolve("meta.json")).content().contains("\"micro_batches\" : \"2\"");
    }

    /** A hyper-parameter that the train block alone reads is a setting of the training; one of the graph is not. */
    @Test
    void hyperParametersOfTheTrainingMayChange() throws IOException {
        Path file = Path.of(model);
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("drop: float = 0.25", "drop: float = 0.25, rate: float = 0.01")
                        .replace("lr = 1e-2", "lr = rate"));
        save(2);
        CommandRun on = resume("B=4,T=16,rate=0.02");
        assertThat(on.exitCode()).as(on.err()).isZero();
        assertThat(on.err()).contains("rate is 0.02, was 0.01");
        CommandRun refused = resume("B=4,T=16,depth=4", "--allow-changed", "symbols");
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err()).contains("another model: depth is 4, was 3");
    }

    private CommandRun goOn(String... more) {
        List<String> args = new ArrayList<>(
                List.of("train", model, "--text", text, "--json", "--steps", "4", "--resume", run.toString()));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(String[]::new));
    }

    @Test
    void whatTheRunWasGivenNeedNotBeRepeated() throws IOException {
        Path file = Path.of(model);
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("drop: float = 0.25", "drop: float = 0.25, rate: float = 0.01")
                        .replace("lr = 1e-2", "lr = rate"));
        String[] given = {"--precision", "bf16", "--seed", "5"};
        String symbols = "B=4,T=16,depth=2,rate=0.02";
        String whole = lastLine(train(symbols, "--steps", "4", given[0], given[1], given[2], given[3]));
        train(symbols, "--steps", "2", given[0], given[1], given[2], given[3], "--save", run.toString());
        CommandRun on = goOn();
        assertThat(on.exitCode()).as(on.err()).isZero();
        assertThat(lastLine(on)).isEqualTo(whole);
        assertThat(on.err())
                .startsWith("remat: as in " + run + ": rate is 0.02, 0.01 in the model; --set gives another value\n");
        assertThat(goOn("--set", "rate=0.02").err()).doesNotContain("as in");
        assertThat(goOn("--set", "rate=0.01").err()).contains("not as in " + run + ": rate is 0.01, was 0.02");
        assertThat(goOn("--set", "depth=3").exitCode()).isEqualTo(8);
        assertThat(goOn("--precision", "f32").err()).contains("precision is f32, was bf16");
        assertThat(goOn("--allow-changed", "precision").err()).contains("not as in ", "precision is f32, was bf16");
    }

    @Test
    void anotherSeedIsRefused() {
        save(2);
        CommandRun refused = resume("B=4,T=16", "--seed", "9");
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err()).contains("seed is 9, was 3");
        assertThat(resume("B=4,T=16", "--seed", "3").exitCode()).isZero();
    }

    @Test
    void anotherPrecisionIsRefusedUnlessAllowed() {
        save(2);
        CommandRun refused = resume("B=4,T=16", "--precision", "bf16");
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err()).contains("precision is bf16, was f32");
        assertThat(resume("B=4,T=16", "--precision", "bf16", "--allow-changed", "precision")
                        .exitCode())
                .isZero();
    }

    @Test
    void otherKernelsAreTold() throws IOException {
        save(2);
        Path meta = run.resolve("meta.json");
        Files.writeString(
                meta, Files.readString(meta).replaceFirst("\"onednn\" : \"\\w+\"", "\"onednn\" : \"Abacus\""));
        CommandRun on = resume("B=4,T=16");
        assertThat(on.exitCode()).isZero();
        assertThat(on.err()).contains("onednn is ", ", was Abacus; bits may differ from those of its run");
    }

    /** With w of 1 and a rate of 10, w becomes 21 times as large each step, and its square no number at step 16. */
    @Test
    void aLossThatIsNoNumberLeavesTheStateBeforeIt() throws IOException {
        String growing = TinyModels.write(folder, "growing.model", """
            remat 1

            model Growing {
              input x: f32[4]
              param w: f32[] = ones
              loss = mean(x * 0) - w * w
            }

            train {
              minimize loss
              optimizer sgd(lr = 10)
            }
            """);
        String[] args = {"train", growing, "--data", "synthetic", "--json", "--steps"};
        CommandRun stopped = CommandRun.of(with(args, "100", "--save", run.toString()));
        assertThat(stopped.exitCode()).isEqualTo(7);
        assertThat(stopped.err())
                .contains("stopped after step 15; this goes on from there: remat train ")
                .contains("the loss of step 16 is");
        assertThat(savedStep()).isEqualTo(15);
        assertThat(lastLine(CommandRun.of(with(args, "15", "--resume", run.toString()))))
                .isEqualTo(lastLine(CommandRun.of(with(args, "15"))));
    }

    private static String[] with(String[] args, String... more) {
        return Stream.concat(Stream.of(args), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void aBadTokenInALaterBatchLeavesTheStateBeforeIt() throws IOException {
        narrow("z".repeat(1000) + "\u00e9" + "z".repeat(999));
        CommandRun stopped = train("B=4,T=16", "--steps", "100", "--save", run.toString());
        assertThat(stopped.exitCode()).isEqualTo(8);
        long steps = stopped.out().lines().count();
        assertThat(steps).isPositive();
        assertThat(stopped.err()).contains("stopped after step " + steps + "; this goes on from there: remat train ");
        assertThat(savedStep()).isEqualTo(steps);
        assertThat(names()).hasSize(2);
    }

    @Test
    void aFailedEvaluationLeavesTheStateBeforeIt() throws IOException {
        narrow("z".repeat(1900) + "\u00e9" + "z".repeat(98));
        CommandRun stopped = train("B=4,T=16", "--steps", "9", "--eval-every", "3", "--save", run.toString());
        assertThat(stopped.exitCode()).isEqualTo(8);
        assertThat(savedStep()).isEqualTo(3);
    }

    @Test
    void aRunThatStopsBeforeItsFirstStepLeavesNothing() throws IOException {
        narrow("\u00e9".repeat(1000));
        CommandRun stopped = train("B=4,T=16", "--steps", "9", "--save", run.toString());
        assertThat(stopped.exitCode()).isEqualTo(8);
        assertThat(stopped.err()).contains("stopped after step 0; nothing was saved");
        assertThat(run).doesNotExist();
    }

    /** A model of ASCII, and a text. */
    private void narrow(String content) throws IOException {
        Path file = Path.of(model);
        Files.writeString(file, Files.readString(file).replace("256", "128"));
        text = TinyModels.write(folder, "narrow.txt", content);
    }

    @Test
    void optionsThatNeedAnother() {
        assertThat(train("B=4,T=16", "--steps", "1", "--overwrite").err()).contains("--overwrite needs --save DIR");
        assertThat(train("B=4,T=16", "--steps", "1", "--allow-changed", "data").err())
                .contains("--allow-changed needs --resume DIR");
        assertThat(train("B=4,T=16", "--steps", "1", "--save-every", "0", "--save", run.toString())
                        .err())
                .contains("'--save-every': it counts from 1, not 0");
    }
}
