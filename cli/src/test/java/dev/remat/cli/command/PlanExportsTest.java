package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.remat.ir.target.CostFile;
import dev.remat.ir.target.CostFileJson;
import dev.remat.ir.target.KernelProfile;
import dev.remat.ir.target.KernelTime;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that other programs open. */
class PlanExportsTest {
    private static final Pattern NODE = Pattern.compile("  ([si]\\d+) \\[(.*)\\];");
    private static final Pattern EDGE = Pattern.compile("  ([si]\\d+) -> (s\\d+) \\[(.*)\\];");
    /** Attributes of Graphviz: names, and values that are words or quoted strings with escapes. */
    private static final Pattern ATTRIBUTES = Pattern.compile("(\\w+=(\\w+|\"([^\"\\\\]|\\\\.)*\")( |$))+");

    @TempDir
    Path folder;

    private CommandRun plan(String... more) throws IOException {
        List<String> words = new ArrayList<>(
                List.of("plan", TinyModels.text(folder), "--set", "B=4,T=16", "--strategy", "sqrt", "--json"));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private static double number(Map<String, String> event, String field) {
        return Double.parseDouble(event.get(field));
    }

    @Test
    void aTraceHasEveryKernelInItsTimeAndAllBytesThatAreLive() throws IOException {
        Path file = folder.resolve("step.trace.json");
        CommandRun run = plan("--trace", file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        Map<String, String> plan = JsonFields.of(run.out());
        List<Map<String, String>> events = TraceEvents.read(file);
        assertThat(events).extracting(event -> event.get("pid")).containsOnly("1");
        List<Map<String, String>> kernels = events.stream()
                .filter(event -> event.get("ph").equals("X") && event.get("tid").equals("1"))
                .toList();
        assertThat(kernels).hasSize(Integer.parseInt(plan.get("nodes.kernels")));
        double end = 0;
        for (Map<String, String> kernel : kernels) {
            assertThat(number(kernel, "ts")).isCloseTo(end, within(1e-6));
            end = number(kernel, "ts") + number(kernel, "dur");
            assertThat(kernel).containsKeys("args.step", "args.op", "args.phase", "args.at", "args.layer");
        }
        assertThat(end / 1e3).isCloseTo(Double.parseDouble(plan.get("compute.estimatedMillis")), within(1e-9));
        List<Map<String, String>> again = events.stream()
                .filter(event -> event.get("ph").equals("X") && event.get("tid").equals("2"))
                .toList();
        double recomputed =
                again.stream().mapToDouble(slice -> number(slice, "dur")).sum();
        double marked = kernels.stream()
                .filter(kernel -> kernel.get("cat").equals("recomputation"))
                .mapToDouble(kernel -> number(kernel, "dur"))
                .sum();
        assertThat(recomputed).isPositive().isCloseTo(marked, within(1e-6));
        double peak = events.stream()
                .filter(event -> event.get("ph").equals("C"))
                .mapToDouble(event -> event.entrySet().stream()
                        .filter(field -> field.getKey().startsWith("args."))
                        .mapToDouble(field -> Double.parseDouble(field.getValue()))
                        .sum())
                .max()
                .orElseThrow();
        assertThat(peak).isEqualTo(Double.parseDouble(plan.get("memory.peakLiveBytes")));
    }

    private static List<Map<String, String>> slices(List<Map<String, String>> events, String process, String track) {
        return events.stream()
                .filter(event -> event.get("ph").equals("X"))
                .filter(event ->
                        event.get("pid").equals(process) && event.get("tid").equals(track))
                .toList();
    }

    private static double millis(List<Map<String, String>> slices) {
        return slices.stream().mapToDouble(slice -> number(slice, "dur")).sum() / 1e3;
    }

    /** A profile that knows the products alone: the others are estimated, and no sums are by chance those of all. */
    @Test
    void aTraceShowsMeasuredTimesBesideThePredictedOnes() throws IOException {
        Path costs = folder.resolve("costs.json");
        CommandRun profile = CommandRun.of(
                "profile",
                TinyModels.text(folder),
                "--set",
                "B=4,T=16",
                "--repeat",
                "1",
                "--warm-up",
                "0",
                "-o",
                costs.toString());
        assertThat(profile.exitCode()).as(profile.err()).isZero();
        KernelProfile whole = ((CostFile.Profile) CostFileJson.read(Files.readAllBytes(costs))).profile();
        List<KernelTime> products = whole.kernels().stream()
                .filter(kernel -> kernel.family().equals("matmul"))
                .toList();
        KernelProfile partial = new KernelProfile(whole.target(), whole.device(), products);
        Files.write(costs, CostFileJson.write(new CostFile.Profile(partial)));
        Path file = folder.resolve("both.trace.json");
        CommandRun run = plan("--costs", costs.toString(), "--trace", file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        Map<String, String> plan = JsonFields.of(run.out());
        List<Map<String, String>> events = TraceEvents.read(file);
        List<Map<String, String>> predicted = slices(events, "1", "1");
        List<Map<String, String>> measured = slices(events, "2", "1");
        int kernels = Integer.parseInt(plan.get("nodes.kernels"));
        assertThat(predicted).hasSize(kernels);
        assertThat(measured).hasSize(kernels);
        assertThat(millis(measured)).isCloseTo(Double.parseDouble(plan.get("compute.estimatedMillis")), within(1e-9));
        assertThat(measured).anyMatch(slice -> slice.containsKey("args.estimated"));
        List<Map<String, String>> known = measured.stream()
                .filter(slice -> !slice.containsKey("args.estimated"))
                .toList();
        assertThat(millis(known)).isCloseTo(Double.parseDouble(plan.get("measured.measuredMillis")), within(1e-9));
        double told = known.stream()
                .mapToDouble(slice -> number(slice, "args.roofline:cpu us"))
                .sum();
        assertThat(told / 1e3).isCloseTo(Double.parseDouble(plan.get("measured.predictedMillis")), within(1e-9));
        for (int k = 0; k < kernels; k++) {
            assertThat(predicted.get(k).get("name")).isEqualTo(measured.get(k).get("name"));
            assertThat(number(predicted.get(k), "dur")).isEqualTo(number(measured.get(k), "args.roofline:cpu us"));
            assertThat(number(measured.get(k), "dur"))
                    .isEqualTo(number(predicted.get(k), "args.profile:costs.json us"));
        }
        assertThat(slices(events, "2", "2")).hasSameSizeAs(slices(events, "1", "2"));
    }

    @Test
    void aGraphHasEveryKernelAndOnlyEdgesFromEarlierOnes() throws IOException {
        Path file = folder.resolve("plan.dot");
        CommandRun run = plan("--dot", file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        List<String> lines = Files.readAllLines(file);
        assertThat(lines.getFirst()).isEqualTo("digraph plan {");
        assertThat(lines.getLast()).isEqualTo("}");
        int kernels = 0;
        int dashed = 0;
        List<String> defined = new ArrayList<>();
        List<String> used = new ArrayList<>();
        for (String line : lines.subList(3, lines.size() - 1)) {
            Matcher edge = EDGE.matcher(line);
            Matcher node = NODE.matcher(line);
            if (edge.matches()) {
                used.addAll(List.of(edge.group(1), edge.group(2)));
                assertThat(edge.group(3)).matches(ATTRIBUTES);
                if (edge.group(1).startsWith("s")) {
                    assertThat(step(edge.group(1))).as(line).isLessThan(step(edge.group(2)));
                }
            } else {
                assertThat(node.matches()).as(line).isTrue();
                assertThat(node.group(2)).matches(ATTRIBUTES);
                defined.add(node.group(1));
                kernels += node.group(1).startsWith("s") ? 1 : 0;
                dashed += line.contains("dashed") ? 1 : 0;
            }
        }
        Map<String, String> plan = JsonFields.of(run.out());
        assertThat(kernels).isEqualTo(Integer.parseInt(plan.get("nodes.kernels")));
        assertThat(dashed).isBetween(1, Integer.parseInt(plan.get("nodes.recomputed")));
        assertThat(defined).doesNotHaveDuplicates().containsAll(used);
        assertThat(String.join("\n", lines)).contains("octagon", "style=bold", "penwidth=3");
    }

    private static int step(String node) {
        return Integer.parseInt(node.substring(1));
    }

    @Test
    void filesThatCannotBeWrittenAreRefusedBeforeAnyWork() throws IOException {
        for (String option : List.of("--dot", "--trace")) {
            CommandRun run = plan(option, folder.resolve("none/x").toString());
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.out()).isEmpty();
            assertThat(plan(option, TinyModels.text(folder)).exitCode())
                    .as("the model")
                    .isEqualTo(2);
        }
    }

    @Test
    void aPageIsTheSameEveryTimeAndHasNoMorePlansThanAskedFor() throws IOException {
        Path one = folder.resolve("one.html");
        Path other = folder.resolve("other.html");
        CommandRun run = plan("--html", one.toString(), "--what-if", "3");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(plan("--html", other.toString(), "--what-if", "3").exitCode())
                .isZero();
        assertThat(other).hasSameBinaryContentAs(one);
        assertThat(plansIn(one)).isBetween(2L, 4L);
        assertThat(plan("--html", one.toString(), "--what-if", "0").exitCode()).isZero();
        assertThat(plansIn(one)).isEqualTo(1);
    }

    @Test
    void budgetsOfAPageAreAtMostTwelveAndNothingWithoutOne() throws IOException {
        String file = folder.resolve("page.html").toString();
        CommandRun many = plan("--html", file, "--what-if", "13");
        assertThat(many.exitCode()).isEqualTo(2);
        assertThat(many.err()).contains("--what-if takes 0 to 12 budgets, not 13");
        CommandRun idle = plan("--what-if", "3");
        assertThat(idle.exitCode()).isEqualTo(2);
        assertThat(idle.err()).contains("--what-if is about the page that --html writes");
        assertThat(Path.of(file)).doesNotExist();
    }

    /** Plans for other budgets are of the very step that was planned. */
    @Test
    void plansOfAPageHaveTheChunksThatWereAskedFor() throws IOException {
        Path page = folder.resolve("chunks.html");
        String model = Files.writeString(folder.resolve("chunks.model"), """
            remat 1
            model M {
              symbol B
              input x: f32[B, 8]
              input labels: i32[B]
              loss = cross_entropy(linear(x |> exp |> tanh, 2057, bias = false), labels)
            }
            train { minimize loss; optimizer sgd(lr = 0.1) }
            """).toString();
        CommandRun run = CommandRun.of(
                "plan", model, "--set", "B=1024", "--chunks", "3", "--html", page.toString(), "--what-if", "3");
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(data(page).split("\"count\":3,", -1)).hasSize(1 + (int) plansIn(page));
        assertThat(plansIn(page)).isGreaterThan(1);
    }

    private static long plansIn(Path page) throws IOException {
        return Pattern.compile("\"chosen\":(true|false)")
                .matcher(data(page))
                .results()
                .count();
    }

    private static String data(Path page) throws IOException {
        Matcher data = Pattern.compile("id=\"data\">([^<]*)<").matcher(Files.readString(page));
        assertThat(data.find()).isTrue();
        try (InputStream in =
                new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(data.group(1))))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
