package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.Console;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that find what another has planned. */
@Tag("slow")
class KeptPlansTest {
    private static final String TOLD_AT_EACH_START = "(?m)^remat: .* was unpacked .*\n";

    @TempDir
    Path folder;

    private Path cache;
    private String model;

    @BeforeEach
    void writeModel() throws IOException {
        cache = folder.resolve("cache");
        model = TinyModels.text(folder);
    }

    private CommandRun run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int exitCode = RematCommand.run(new Console(out, err, false, false, Optional.of(cache)), args);
        return new CommandRun(
                exitCode,
                out.toString(StandardCharsets.UTF_8),
                err.toString(StandardCharsets.UTF_8).replaceAll(TOLD_AT_EACH_START, ""));
    }

    private static String[] words(Object... words) {
        return Arrays.stream(words)
                .flatMap(word -> word instanceof String[] several ? Arrays.stream(several) : Stream.of((String) word))
                .toArray(String[]::new);
    }

    /** The rest of a command line behind the model. */
    private static String[] within(String budget, String... more) {
        return words("--set", "B=8,T=16,width=32,depth=16", "--strategy", "peak-priority", "--budget", budget, more);
    }

    private CommandRun plan(String... more) {
        CommandRun run = run(words("plan", model, within("80%"), "--json", more));
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run;
    }

    /** What is printed of a plan, but for how long it took. */
    private static String timeless(String json) {
        return json.replaceAll("(?s)\"seconds\": \\{.*?}", "");
    }

    private List<Path> kept() throws IOException {
        if (!Files.exists(cache.resolve("plans"))) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(cache.resolve("plans"))) {
            return files.sorted().toList();
        }
    }

    private String planned() {
        CommandRun without = CommandRun.of(words("plan", model, within("80%"), "--json"));
        assertThat(without.exitCode()).as(without.err()).isZero();
        return timeless(without.out());
    }

    /** No cache, an empty one, a warm one, and one that other budgets have filled. */
    @Test
    void theSameIsPrintedWhateverIsKept() throws IOException {
        String right = planned();
        assertThat(timeless(plan("--no-cache").out())).isEqualTo(right);
        assertThat(kept()).isEmpty();
        for (String other : List.of("90%", "70%")) {
            assertThat(run(words("plan", model, within(other))).exitCode()).isZero();
        }
        assertThat(kept()).hasSize(2);
        assertThat(timeless(plan().out())).isEqualTo(right);
        assertThat(kept()).hasSize(3);
        CommandRun again = plan();
        assertThat(timeless(again.out())).isEqualTo(right);
        assertThat(again.err()).isEmpty();
        assertThat(kept()).hasSize(3);
    }

    @Test
    void whatPlanFoundTheOthersTake() throws IOException {
        plan();
        List<Path> kept = kept();
        assertThat(kept).hasSize(1);
        String[] training = words("--text", TinyModels.data(folder), "--steps", "1");
        List<String[]> lines = List.of(
                words("explain", model, "--peak", within("80%")),
                words("train", model, within("80%"), training),
                words("plan", model, within("80%"), "--verbose"),
                words(
                        "diff",
                        model + "@80%",
                        model + "@keep-all",
                        "--set",
                        "B=8,T=16,width=32,depth=16",
                        "--strategy",
                        "peak-priority"));
        for (String[] line : lines) {
            CommandRun run = run(line);
            assertThat(run.exitCode()).as(run.err()).isZero();
            CommandRun without = CommandRun.of(line);
            assertThat(lasting(run)).isEqualTo(lasting(without));
            assertThat(kept()).as(String.join(" ", line)).isEqualTo(kept);
        }
    }

    /** What is printed but for seconds and the trace of a search, which a known plan has none of. */
    private static String lasting(CommandRun run) {
        return run.out().replaceAll("[0-9.]+ m?s\\b", "").replaceAll("(?s)\nSearch: .*", "");
    }

    @Test
    void whatPlanFoundIsBuilt() throws IOException {
        plan("--target", "sm_80");
        List<Path> kept = kept();
        String built = folder.resolve("built").toString();
        CommandRun run = run(words("build", model, within("80%"), "--arch", "sm_80", "-o", built));
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(kept()).isEqualTo(kept);
        assertThat(plan("--target", "sm_90a").exitCode()).isZero();
        assertThat(kept()).hasSize(2);
    }

    @Test
    void checkTakesWhatItFoundBefore() throws IOException {
        String[] line = words("check", model, "--set", "B=2,T=4,width=4", "--strategy", "sqrt,revolve", "--steps", "1");
        CommandRun first = run(line);
        assertThat(first.exitCode()).as(first.err()).isZero();
        List<Path> kept = kept();
        assertThat(kept).isNotEmpty();
        assertThat(run(line)).isEqualTo(first);
        assertThat(CommandRun.of(line).out()).isEqualTo(first.out());
        assertThat(kept()).isEqualTo(kept);
    }

    /** Whichever of the two is asked first. */
    @Test
    void aShareAndItsBytesAreOnePlan() throws IOException {
        String right = timeless(plan().out());
        Matcher budget = Pattern.compile("\"budgetBytes\": (\\d+)").matcher(right);
        assertThat(budget.find()).isTrue();
        List<Path> kept = kept();
        assertThat(kept).hasSize(1);
        CommandRun inBytes = run(words("plan", model, within(budget.group(1)), "--json"));
        assertThat(timeless(inBytes.out())).isEqualTo(right);
        assertThat(kept()).isEqualTo(kept);
        long other = Long.parseLong(budget.group(1)) - 4096;
        assertThat(run(words("plan", model, within(Long.toString(other)))).exitCode())
                .isZero();
        assertThat(kept()).hasSize(2);
    }

    @Test
    void aKnownPlanSaysWhyItHasNoTrace() {
        String[] line = words("plan", model, within("80%"), "--verbose");
        assertThat(run(line).out()).contains("Search: what was found").doesNotContain("found before");
        assertThat(run(line).out())
                .endsWith("\nSearch: none, as the plan was found before; --no-cache searches anew\n");
        assertThat(run(words(line, "--no-cache")).out()).contains("Search: what was found");
    }

    /** Within a budget that is named, the plan is the one that a training takes. */
    @Test
    void whatCheckFoundWithinABudgetIsPlanned() throws IOException {
        String[] step = words("--set", "B=2,T=4,width=4", "--budget", "95%");
        CommandRun check = run(words("check", model, step, "--steps", "1"));
        assertThat(check.exitCode()).as(check.err()).isZero();
        List<Path> kept = kept();
        String planned = run(words("plan", model, step, "--json")).out();
        assertThat(kept()).isEqualTo(kept);
        assertThat(timeless(planned))
                .isEqualTo(timeless(
                        CommandRun.of(words("plan", model, step, "--json")).out()));
    }

    /** The second choice finds every plan that the first has made. */
    @Test
    void numbersOfMicroBatchesAreChosenFromKnownPlans() throws IOException {
        String[] line = words("plan", model, within("60%", "--micro-batches", "auto"), "--json");
        String right = timeless(CommandRun.of(line).out());
        assertThat(timeless(run(line).out())).isEqualTo(right);
        List<Path> kept = kept();
        assertThat(kept).hasSizeGreaterThan(1);
        assertThat(timeless(run(line).out())).isEqualTo(right);
        assertThat(kept()).isEqualTo(kept);
    }

    /** An answer that a clock has had a say in is for those that ask alike. */
    @Test
    void whatATimeLimitCutShortIsNotForOthers() throws IOException {
        plan("--time-limit", "600");
        List<Path> limited = kept();
        assertThat(limited).hasSize(1);
        plan("--time-limit", "600");
        assertThat(kept()).isEqualTo(limited);
        plan("--time-limit", "500");
        assertThat(kept()).hasSize(2);
        String right = planned();
        assertThat(timeless(plan().out())).isEqualTo(right);
        assertThat(kept()).hasSize(3);
        // What no clock had a say in is for all.
        plan("--time-limit", "400");
        assertThat(kept()).hasSize(3);
    }

    @Test
    void aDamagedPlanIsDroppedWithANote() throws IOException {
        String right = timeless(plan().out());
        Path file = kept().getFirst();
        byte[] whole = Files.readAllBytes(file);
        for (byte[] damaged : List.of(Arrays.copyOf(whole, whole.length / 2), new byte[0], new byte[] {1, 2})) {
            Files.write(file, damaged);
            CommandRun run = plan();
            assertThat(timeless(run.out())).isEqualTo(right);
            assertThat(run.err())
                    .isEqualTo("remat: a kept plan is dropped: " + file + ": is cut or damaged; planning anew\n");
            assertThat(file).hasBinaryContent(whole);
        }
        assertThat(plan().err()).isEmpty();
    }

    @Test
    void aCacheThatCannotBeWrittenIsToldOf() throws IOException {
        String right = planned();
        Files.createDirectories(cache);
        Files.writeString(cache.resolve("plans"), "a file");
        CommandRun run = plan();
        assertThat(timeless(run.out())).isEqualTo(right);
        assertThat(run.err())
                .startsWith("remat: plans are not kept, because their cache fails: ")
                .endsWith("; --no-cache does without\n")
                .hasLineCount(1);
        assertThat(plan("--no-cache").err()).isEmpty();
    }

    /** As on a full disk, writing fails when the plan has been found. */
    @Test
    void aPlanThatCannotBeKeptIsRightAllTheSame() throws IOException {
        String right = timeless(plan().out());
        Path file = kept().getFirst();
        Files.delete(file);
        Files.createDirectories(file.resolve("in the way"));
        CommandRun run = plan();
        assertThat(timeless(run.out())).isEqualTo(right);
        assertThat(run.err()).contains("plans are not kept, because their cache fails: ");
    }

    @Test
    void processesMayPlanAtOnce() throws Exception {
        String right = planned();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<CommandRun>> running = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                running.add(threads.submit(() -> plan()));
            }
            for (Future<CommandRun> one : running) {
                assertThat(timeless(one.get().out())).isEqualTo(right);
                assertThat(one.get().err()).isEmpty();
            }
        }
        assertThat(kept()).hasSize(1);
    }

    @Test
    void doctorSaysHowManyThereAre() {
        assertThat(run("doctor").out()).containsPattern("(?m)^ok +plans +0 plans in \\S+/cache/plans, 0 B of ");
        plan();
        assertThat(run("doctor").out())
                .containsPattern("(?m)^ok +plans +1 plan in \\S+/cache/plans, [0-9.]+ Ki?B of 64\\.0 MiB at most$");
        assertThat(CommandRun.of("doctor").out()).containsPattern("(?m)^none +plans +none are kept, ");
    }
}
