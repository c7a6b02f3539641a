package dev.remat.tests.promises;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.Main;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A test of the tests: mistakes put into what cuts and computes losses in chunks change what a small step in chunks
 * comes to, which without them are the bits of whole losses ({@link ChunksTest}).
 */
@Tag("slow")
class PlantedChunkBugsTest {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
    private static final String CLASS_PATH = System.getProperty("java.class.path");
    private static final String CUT_LOSS = "compiler/src/main/java/dev/remat/compiler/chunk/CutLoss.java";
    private static final String CUT_CHUNKS = "compiler/src/main/java/dev/remat/compiler/chunk/CutChunks.java";
    private static final String GEMM = "runtime/src/main/java/dev/remat/runtime/cpu/gemm/Gemm.java";

    /** Five runs of 256 rows, the last of 76. */
    private static final String SIZE = "B=1100";

    private static final int CHUNKS = 3;
    private static final String WIDE = head("", "linear(h, 2057, bias = false)");
    /** Of so few classes some targets are ignored. */
    private static final String HEAD = head("", "linear(h, 300, bias = false)");

    private static final String NARROW = head("precision bf16", "linear(h, 300, bias = false)");

    private static final String TIED = """
        remat 1
        model Tied {
          symbol B
          input ids: i32[B]
          input labels: i32[B]
          h = embedding(ids, 300, 24) as table |> gelu
          loss = cross_entropy(linear(h, 300, weight = table.weight, bias = false), labels)
        }
        train { minimize loss; optimizer sgd(lr = 0.5) }
        """;

    /** What stands in a file, and what takes its place. */
    record Change(String right, String wrong) {}

    /**
     * A mistake.
     *
     * @param model that shows it
     */
    record Bug(String name, String file, String model, List<Change> broken) {
        @Override
        public String toString() {
            return name;
        }
    }

    static final List<Bug> BUGS = List.of(
            bug("a chunk takes tiles of its own", GEMM, WIDE, "Math.toIntExact(wholeRows)", "0"),
            bug(
                    "a chunk ends within a run of rows",
                    CUT_CHUNKS,
                    HEAD,
                    "long runs = Math.ceilDiv(rows, run);",
                    "run = 1; long runs = rows;"),
            bug(
                    "a sum begins anew",
                    CUT_LOSS,
                    HEAD,
                    "Optional.ofNullable(sums.get(result)).stream())",
                    "Optional.<ValueId>empty().stream())"),
            new Bug(
                    "sums are added from the last chunk",
                    CUT_LOSS,
                    WIDE,
                    List.of(
                            new Change(
                                    "for (int k = 0; k + 1 < ends.size(); k++) {",
                                    "for (int k = ends.size() - 2; k >= 0; k--) {"),
                            new Change("new ArrayList<>()).add(piece)", "new ArrayList<>()).addFirst(piece)"))),
            bug(
                    "a sum of 16 bits is narrowed between chunks",
                    CUT_LOSS,
                    NARROW,
                    "sums.put(result, sum);",
                    "sums.put(result, builder.cast(builder.cast(sum, dev.remat.ir.DType.BF16), type.dtype()));"),
            bug("ignored targets count", CUT_LOSS, HEAD, "new MeanLoss(op.ignoreIndex())", "new MeanLoss(-1)"),
            bug(
                    "a gradient counts the targets of its chunk",
                    CUT_LOSS,
                    HEAD,
                    "operands.add(rewriter.map(node.operands().get(2)));",
                    "operands.add(row(node.operands().get(2)));"),
            bug("a sum begins with what memory held", GEMM, HEAD, "goesOn && !apart ? 1 : 0", "apart ? 0 : 1"),
            bug(
                    "what a head gave its table is forgotten",
                    "runtime/src/main/java/dev/remat/runtime/cpu/index/EmbeddingRows.java",
                    TIED,
                    "in.operandTypes().size() == 3 ? in.dense(2) : Elements.NONE",
                    "Elements.NONE"),
            bug(
                    "each chunk has the first rows",
                    CUT_LOSS,
                    HEAD,
                    "starts.set(0, Dim.of(from));",
                    "starts.set(0, Dim.ZERO);"));

    @TempDir
    Path folder;

    private static String head(String setting, String logits) {
        return """
            remat 1
            model Head {
              symbol B
              input x: f32[B, 24]
              input labels: i32[B]
              h = x |> linear(40) |> gelu
              loss = cross_entropy(%s, labels, ignore_index = 7)
            }
            train { minimize loss; optimizer sgd(lr = 0.5); %s }
            """.formatted(logits, setting);
    }

    private static Bug bug(String name, String file, String model, String right, String wrong) {
        return new Bug(name, file, model, List.of(new Change(right, wrong)));
    }

    @ParameterizedTest
    @FieldSource("BUGS")
    void showsInAStepInChunks(Bug bug) throws IOException {
        assertThat(computed(bug)).isNotEmpty().isNotEqualTo(ChunkBits.of(bug.model(), SIZE, CHUNKS));
    }

    @Test
    void nothingShowsWhereNothingIsBroken() throws IOException {
        Bug none = new Bug("none", CUT_LOSS, HEAD, List.of());
        assertThat(computed(none)).isEqualTo(ChunkBits.of(HEAD, SIZE, CHUNKS));
    }

    /** A plan with chunks off is that of a compiler that cannot cut, which one that may cut would not have found. */
    @Test
    void offIsAsIfNothingCouldBeCut() throws IOException {
        List<String> asked = List.of(
                Main.class.getName(),
                "plan",
                ROOT + "/samples/gpt.model",
                "--set",
                "B=8,T=128,vocab=8192",
                "--budget",
                "75%",
                "--strategy",
                "peak-priority",
                "--no-cache",
                "--json");
        List<String> off =
                Stream.concat(asked.stream(), Stream.of("--chunks", "off")).toList();

        String whole = planHash(off);
        assertThat(planHash(asked)).isNotEqualTo(whole);

        compile(bug("none", CUT_CHUNKS, HEAD, "count < 2 ? Optional", "true ? Optional"));
        assertThat(List.of(planHash(asked), planHash(off))).containsOnly(whole);
    }

    private String planHash(List<String> plan) throws IOException {
        return said(plan)
                .lines()
                .filter(line -> line.contains("\"planHash\""))
                .findFirst()
                .orElseThrow();
    }

    private String computed(Bug bug) throws IOException {
        compile(bug);
        return said(List.of(ChunkBits.class.getName(), bug.model(), SIZE, String.valueOf(CHUNKS)));
    }

    /** What a process says that has the broken class before all else that the tests run with. */
    private String said(List<String> main) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                folder + File.pathSeparator + CLASS_PATH));
        command.addAll(main);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (InputStream said = process.getInputStream()) {
            return new String(said.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    private void compile(Bug bug) throws IOException {
        String text = Files.readString(ROOT.resolve(bug.file()));
        for (Change change : bug.broken()) {
            assertThat(text).containsOnlyOnce(change.right());
            text = text.replace(change.right(), change.wrong());
        }
        Path source = Files.writeString(folder.resolve(Path.of(bug.file()).getFileName()), text);
        List<String> options = List.of("-proc:none", "-implicit:none", "-nowarn", "-d", folder.toString());
        String[] words = Stream.concat(options.stream(), Stream.of("-cp", CLASS_PATH, source.toString()))
                .toArray(String[]::new);
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, words))
                .isZero();
    }
}
