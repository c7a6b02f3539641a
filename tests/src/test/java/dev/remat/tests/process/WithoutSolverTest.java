package dev.remat.tests.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans within a budget where OR-Tools is not there, as in a bundle for a machine with a GPU. */
@Tag("slow")
class WithoutSolverTest {
    private static final int DEVICE = 5;
    private static final String BUDGET = "60%";
    private static final String NOTE = "remat: OR-Tools is not on the class path: libz.so.1 is missing; add"
        + " com.google.ortools:ortools-linux-x86-64; without it, plans are searched for and bounds proven by all other"
        + " means";

    /** Too large for a search among all sequences; widths differ from layer to layer. */
    private static final String MODEL = """
        remat 1
        model Uneven {
          symbol B
          input x: f32[B, 64]
          h = x
          repeat 3 {
            h = tanh(linear(h, 96)) |> sigmoid
            h = tanh(linear(h, 33)) |> exp
            h = tanh(linear(h, 80)) |> sigmoid
          }
          loss = mean(h * h)
        }
        train { minimize loss; optimizer sgd(lr = 0.1) }
        """;

    @TempDir
    Path folder;

    @BeforeEach
    void writeModel() throws IOException {
        Files.writeString(folder.resolve("uneven.model"), MODEL);
    }

    private Result plan(RematProcess remat, String... more) throws IOException, InterruptedException {
        String[] words = {"plan", "uneven.model", "--set", "B=64", "--budget", BUDGET};
        return remat.run(Stream.concat(Stream.of(words), Stream.of(more)).toArray(String[]::new));
    }

    private RematProcess withIt() {
        return new RematProcess(folder);
    }

    private RematProcess withoutIt() {
        return new RematProcess(folder).withoutJar("ortools-linux-x86-64");
    }

    @Test
    void plansAndSaysThatBoundsLackTheSolver() throws IOException, InterruptedException {
        Result run = plan(withoutIt());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err().strip()).isEqualTo(NOTE);
        assertThat(run.out()).containsPattern("(?m)^ +without +OR-Tools +which may have found");

        Result other = plan(withIt(), "--effort", "quick");
        assertThat(other.exitCode()).as(other.err()).isZero();
        assertThat(other.err()).isEmpty();
        assertThat(other.out()).contains("for any plan within the budget").doesNotContain("OR-Tools");
    }

    /** What the solver would have found or proven is not there the next time either. */
    @Test
    void findsTheSameEachTimeAndKeepsNothing() throws IOException, InterruptedException {
        String first = json(plan(withoutIt(), "--effort", "quick", "--json"));
        String again = json(plan(withoutIt(), "--effort", "quick", "--json"));
        assertThat(again).isEqualTo(first).contains("\"searchedWithout\":\"OR-Tools\"");
        String whole = json(plan(withIt(), "--effort", "quick", "--json"));
        String uncached = json(plan(withIt(), "--effort", "quick", "--json", "--no-cache"));
        assertThat(whole).isEqualTo(uncached).doesNotContain("searchedWithout");
        double bound = number(first, "lowerBoundOverhead");
        assertThat(bound).isLessThan(number(whole, "lowerBoundOverhead"));
        assertThat(bound).isLessThanOrEqualTo(number(whole, "overhead"));
        assertThat(number(whole, "overhead")).isLessThanOrEqualTo(number(first, "overhead"));
        assertThat(number(first, "arenaBytes")).isLessThanOrEqualTo(0.6 * number(first, "keepAllArenaBytes"));
    }

    @Test
    void refusesTheStrategyThatIsTheSolver() throws IOException, InterruptedException {
        Result run = plan(withoutIt(), "--strategy", "interval-cp");
        assertThat(run.exitCode()).isEqualTo(DEVICE);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .startsWith("remat: OR-Tools is not on the class path")
                .doesNotContain("without it, plans");
        Result other = plan(withIt(), "--strategy", "interval-cp", "--effort", "quick");
        assertThat(other.exitCode()).as(other.err()).isZero();
    }

    private static String json(Result run) {
        assertThat(run.exitCode()).as(run.err()).isZero();
        return run.out().replaceAll("\\s", "").replaceAll("\"seconds\":\\{[^}]*}", "");
    }

    private static double number(String json, String field) {
        Matcher found = Pattern.compile("\"" + field + "\":([^,}]+)").matcher(json);
        assertThat(found.find()).as(field).isTrue();
        return Double.parseDouble(found.group(1));
    }
}
