package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    /** Events of a trace: scalar fields by path. */
    private static List<Map<String, String>> events(Path trace) throws IOException {
        List<Map<String, String>> events = new ArrayList<>();
        try (JsonParser json = new JsonFactory().createParser(Files.readString(trace))) {
            Map<String, String> event = new LinkedHashMap<>();
            int depth = 0;
            while (json.nextToken() != null) {
                JsonToken token = json.currentToken();
                depth += token == JsonToken.START_OBJECT ? 1 : token == JsonToken.END_OBJECT ? -1 : 0;
                if (token.isScalarValue() && depth >= 2) {
                    event.put((depth == 3 ? "args." : "") + json.currentName(), json.getText());
                }
                if (token == JsonToken.END_OBJECT && depth == 1) {
                    events.add(event);
                    event = new LinkedHashMap<>();
                }
            }
        }
        return events;
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
        List<Map<String, String>> events = events(file);
        assertThat(events).allSatisfy(event -> assertThat(event).containsKeys("ph", "name", "pid"));
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
}
