package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.compiler.plan.evaluate.SequenceEvaluation;
import dev.remat.compiler.plan.evaluate.SequenceEvaluator;
import dev.remat.compiler.solve.AnswerReader;
import dev.remat.compiler.solve.ProblemReader;
import dev.remat.compiler.solve.SolveAnswer;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.plan.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SolveCommandTest {
    /**
     * A chain a b c of 10 bytes each whose backward reads them all. Kept, dc sees a, b, c and its own byte: 31. Without
     * a between its two forward reads, dc sees 21; db then needs a again, at cost 2, beside b, dc and its own byte: 22.
     */
    static final String CHAIN = """
        {"format":"remat-problem/1","name":"chain","nodes":[
        {"id":"a","cost":2,"bytes":10},
        {"id":"b","cost":3,"bytes":10,"inputs":["a"]},
        {"id":"c","cost":4,"bytes":10,"inputs":["b"]},
        {"id":"dc","cost":1,"bytes":1,"inputs":["b","c"],"phase":"backward"},
        {"id":"db","cost":1,"bytes":1,"inputs":["a","b","dc"],"phase":"backward"},
        {"id":"da","cost":1,"bytes":1,"inputs":["a","db"],"phase":"backward"}]}
        """;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void writeProblem() throws IOException {
        file = Files.writeString(folder.resolve("chain.json"), CHAIN);
    }

    private CommandRun solve(String... options) {
        String[] words = new String[options.length + 2];
        words[0] = "solve";
        words[1] = file.toString();
        System.arraycopy(options, 0, words, 2, options.length);
        return CommandRun.of(words);
    }

    private static SolveAnswer checked(RematProblem problem, String text) {
        SolveAnswer answer = AnswerReader.read(new Source("answer", text), problem);
        SequenceEvaluation evaluation = SequenceEvaluator.evaluate(problem, answer.sequence());
        assertThat(evaluation.violations()).isEmpty();
        assertThat(answer.peakBytes()).hasValue(evaluation.peakBytes());
        assertThat(answer.cost()).hasValue(evaluation.cost());
        assertThat(answer.baselineCost()).hasValue(evaluation.baselineCost());
        return answer;
    }

    @Test
    void theAnswerIsWhatItsStepsGive() throws IOException {
        Path output = folder.resolve("answer.json");
        CommandRun run = solve("--budget", "100%", "--json", "-o", output.toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(output).hasContent(run.out().strip());
        RematProblem problem = ProblemReader.read(new Source("chain.json", CHAIN));
        SolveAnswer answer = checked(problem, run.out());
        assertThat(answer.budgetBytes()).hasValue(31);
        assertThat(answer.cost()).hasValue(12);
        assertThat(answer.proven()).isTrue();
        assertThat(answer.floorBytes()).hasValue(22);
    }

    /** u adds to w in two ways; nothing reads its old content again. */
    @Test
    void aValueIsWrittenOnceHoweverOftenANodeNamesIt() throws IOException {
        String twice = """
            {"format":"remat-problem/1","name":"twice","nodes":[
            {"id":"w","cost":0,"bytes":8,"resident":true},
            {"id":"a","cost":3,"bytes":4,"inputs":["w"]},
            {"id":"u","cost":1,"results":[],"inputs":["a"],"phase":"update","writes":["w","w"]}]}
            """;
        Files.writeString(file, twice);
        CommandRun run = solve("--json");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"steps\":[\"a\",\"u\"]", "\"peakBytes\":12,\"cost\":4");
    }

    @Test
    void aTighterBudgetRecomputesAndStaysWithinIt() {
        RematProblem problem = ProblemReader.read(new Source("chain.json", CHAIN));
        CommandRun run = solve("--budget", "22", "--json");
        assertThat(run.exitCode()).isZero();
        SolveAnswer answer = checked(problem, run.out());
        assertThat(answer.peakBytes().orElseThrow()).isLessThanOrEqualTo(22);
        assertThat(answer.cost()).hasValue(14);
        // At dc, a cannot stay beside b and c, so that db needs it again; the chain allows no other order.
        assertThat(answer.proven()).isTrue();
        assertThat(answer.lowerBoundCost()).hasValue(14);
        assertThat(answer.boundScope()).hasValue("any-order");
        assertThat(solve("--budget", "22").out()).contains("no sequence is cheaper (any-order)");
    }

    @Test
    void anImpossibleBudgetIsRefusedWithFloorAndSmallest() {
        CommandRun run = solve("--budget", "21");
        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .contains("no plan fits 21 bytes; the smallest found needs 22 bytes\n")
                .contains("no plan at all needs less than 22 bytes")
                .contains("b: 10 bytes\n", "dc: 1 byte\n");
    }

    @Test
    void aStrategyThatMissesTheBudgetIsRefusedThoughOthersWouldNot() {
        assertThat(solve("--budget", "22", "--strategy", "keep-all").exitCode()).isEqualTo(4);
        CommandRun roomy = solve("--budget", "31", "--strategy", "keep-all");
        assertThat(roomy.exitCode()).isZero();
        assertThat(roomy.out())
                .contains("chain (6 nodes) by keep-all")
                .contains("0.000 % over 12")
                .contains("'db' runs with so much in memory");
    }

    @Test
    void mistakesAreDiagnosedWithTheirLocation() throws IOException {
        Files.writeString(file, CHAIN.replace("\"inputs\":[\"b\"]", "\"inputs\":[\"x\"]"));
        CommandRun run = solve();
        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err())
                .contains("chain.json:4:41: error[E0604]: unknown value 'x'", "remat help error E0604")
                .doesNotContain("\tat ");
        assertThat(CommandRun.of("solve", folder.resolve("none.json").toString())
                        .exitCode())
                .isEqualTo(3);
        CommandRun strategy = solve("--strategy", "sqr");
        assertThat(strategy.exitCode()).isEqualTo(2);
        assertThat(strategy.err()).contains("did you mean 'sqrt'?");
        assertThat(solve("--budget", "0%").exitCode()).isEqualTo(2);
    }

    @Test
    void aPlaceThatTakesNoAnswerIsRefusedBeforeAnythingIsRead() {
        Path answer = folder.resolve("no/answer.json");
        CommandRun run = CommandRun.of("solve", folder.resolve("none.json").toString(), "-o", answer.toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).isEqualTo("remat: " + folder.resolve("no") + ": no such file or directory\n");
        assertThat(run.out()).isEmpty();
        assertThat(folder.toFile().list()).containsExactly("chain.json");
    }

    @Test
    void effortMayBeLimited() {
        for (String effort : new String[] {"quick", "normal", "full"}) {
            CommandRun run = solve("--budget", "22", "--effort", effort, "--json");
            assertThat(run.exitCode()).as(run.err()).isZero();
            assertThat(run.out()).contains("\"cost\":14,");
        }
        CommandRun unknown = solve("--budget", "22", "--effort", "fast");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("'fast' is none of quick, normal and full");
    }

    @Test
    void timeMayBeLimited() {
        assertThat(solve("--budget", "22", "--time-limit", "100").exitCode()).isZero();
        assertThat(solve("--budget", "22", "--time-limit", "0").err()).contains("'0' is not above 0");
        assertThat(solve("--budget", "22", "--time-limit", "soon").err()).contains("'soon' is not a number of seconds");
        assertThat(solve("--budget", "22", "--time-limit", "-1").exitCode()).isEqualTo(2);
    }

    /**
     * At 22 bytes a costs 2 to compute again. Its 10 bytes take 1 ns there and 1 back: stored while b runs, fetched
     * beside dc, which leaves 1 byte of 22.
     */
    @Tag("slow")
    @Test
    void movesToATierWhatItMay() {
        RematProblem problem = ProblemReader.read(new Source("chain.json", CHAIN))
                .withTiers(List.of(new Tier("host", 1024, 10_000_000_000L, 20_000_000_000L, 0)));
        CommandRun run = solve("--budget", "22", "--json", "--tiers", "host:1KiB:10GB/s:20GB:0ns");
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).startsWith("{\"format\":\"remat-sequence/2\"").contains("\"transfers\":{\"storeBytes\":");
        SolveAnswer answer = checked(problem, run.out());
        assertThat(answer.cost()).hasValue(13);
        assertThat(answer.sequence().movesValues()).isTrue();
        assertThat(answer.proven()).isFalse();
        CommandRun text = solve("--budget", "22", "--tiers", "host:1KiB:10GB/s:20GB");
        assertThat(text.out())
                .contains("move a value or await it")
                .contains("exposed")
                .containsPattern("host +10 ");
    }

    /** Each of the two transfers takes 1 ns from nodes, so that computing a again is cheaper. */
    @Test
    @Tag("slow")
    void whatTransfersTakeFromNodesCounts() {
        String tier = "host:1KiB:10GB/s:20GB:0ns:100ms/GB";
        CommandRun run = solve("--budget", "22", "--json", "--tiers", tier);
        assertThat(run.out())
                .contains("\"cost\":14,")
                .contains("\"storeBytes\":0,")
                .doesNotContain("interference");
        CommandRun moved = solve("--budget", "22", "--tiers", tier, "--strategy", "offload");
        assertThat(moved.out()).containsPattern("interference +2 +ns, [0-9.]+ % of the time");
    }

    /** At a thousand times the costs the link is a thousand times as fast. */
    @Test
    void costsHaveAUnitBesideTiers() {
        CommandRun run = solve("--budget", "31", "--json", "--cost-unit", "us", "--tiers", "host:1KiB:1GB/s:1GB/s");
        assertThat(run.out()).contains("\"cost\":12000,").contains("\"baselineCost\":12000,");
        assertThat(solve("--budget", "22", "--json").out())
                .contains("remat-sequence/1")
                .doesNotContain("transfers");
    }

    @Test
    void refusesTiersThatAreNone() {
        assertRefused("'host:1KiB' is no tier: NAME:SIZE:STORE:FETCH", "--tiers", "host:1KiB");
        assertRefused("'8' is not a time such as 10us", "--tiers", "host:1KiB:1GB:1GB:8");
        assertRefused("'8us' is not a time for bytes such as 60ms/GB", "--tiers", "host:1KiB:1GB:1GB:0ns:8us");
        assertRefused("'h' is not one of ns, us, ms and s", "--tiers", "host:1KiB:1GB:1GB:8h");
        assertRefused("cannot be called 'device'", "--tiers", "device:1KiB:1GB:1GB");
        assertRefused("rates of tier 'host' must be above zero", "--tiers", "host:1KiB:0GB:1GB");
        assertRefused("two tiers 'host'", "--tiers", "host:1KiB:1GB:1GB,host:1KiB:1GB:1GB");
        assertRefused("'minutes' is not one of ns, us, ms and s", "--cost-unit", "minutes");
    }

    @Test
    void refusesATierThatIsTooSmallForWhatLivesThere() throws IOException {
        String living = """
            {"format":"remat-problem/2","name":"tiny","nodes":[
            {"id":"w","cost":0,"bytes":64,"resident":true,"home":"host"},
            {"id":"x","cost":7,"bytes":128,"inputs":["w"]}],
            "tiers":[{"name":"host","bytes":64,"storeBytesPerSecond":9,"fetchBytesPerSecond":9,"latencyNanos":0}]}
            """;
        Files.writeString(file, living);
        assertThat(solve("--budget", "192").exitCode()).isZero();
        assertRefused(
                "tier 'host' holds 63 bytes, and 64 bytes live there; --tiers can give it more",
                "--tiers",
                "host:63B:1GB:1GB");
        Files.writeString(file, living.replace("\"host\",\"bytes\":64", "\"host\",\"bytes\":1"));
        assertRefused("tier 'host' holds 1 byte, and 64 bytes live there", "--budget", "192");
        CommandRun swept = CommandRun.of("sweep", file.toString(), "--strategies", "keep-all");
        assertThat(swept.exitCode()).isEqualTo(2);
        assertThat(swept.err()).contains("tier 'host' holds 1 byte, and 64 bytes live there\n");
        CommandRun small = solve("--budget", "191", "--tiers", "host:64B:1GB:1GB");
        assertThat(small.exitCode()).isEqualTo(4);
        assertThat(small.err())
                .contains("of the host below, plans may take 64 bytes")
                .doesNotContain("--host-budget");
    }

    @Test
    void refusesAPinThatNoTierHasRoomFor() throws IOException {
        String pinned = """
            {"format":"remat-problem/2","name":"pinned","nodes":[
            {"id":"x","cost":7,"bytes":900,"pin":"offload"},
            {"id":"y","cost":7,"bytes":8,"inputs":["x"]},
            {"id":"z","cost":7,"bytes":8,"inputs":["y"]},
            {"id":"dx","cost":7,"bytes":8,"inputs":["x","z"],"phase":"backward"}],
            "tiers":[{"name":"host","bytes":900,"storeBytesPerSecond":9,"fetchBytesPerSecond":9,"latencyNanos":0}]}
            """;
        Files.writeString(file, pinned);
        assertThat(solve().exitCode()).isZero();
        assertRefused(
                "'x' is pinned to be offloaded, and no tier has room for its 900 bytes; --tiers can give it more",
                "--tiers",
                "host:899B:1GB:1GB,disk:10B:1GB:1GB");
        assertThat(solve("--tiers", "host:10B:1GB:1GB,disk:900B:1GB:1GB").exitCode())
                .isZero();
    }

    private void assertRefused(String why, String... options) {
        CommandRun run = solve(options);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(why);
    }
}
