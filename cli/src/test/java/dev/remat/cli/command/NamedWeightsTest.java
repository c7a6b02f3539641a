package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Weights under other names and in other layouts, as GPT-2's are: {@code [in, out]}, queries and keys packed. */
class NamedWeightsTest {
    private static final String MODEL = """
        remat 1

        model Packed {
          symbol B
          input x: f32[B, 3]

          q = linear(x, 2) as query
          k = linear(x, 2) as key
          h = linear(x, 2) as dense
          output q, k, h
          loss = mean(q * k + h)
        }

        train {
          minimize loss
          optimizer sgd(lr = 0.0)
        }
        """;
    private static final String NAMES = """
        # q and k are columns
        query.weight  c_attn.weight  T[0:2]
        key.weight    c_attn.weight  T[2:4]
        key.bias      c_attn.bias    [2:4]
        query.bias    c_attn.bias    [0:2]
        dense.weight  c_proj.weight  T
        dense.bias    c_proj.bias
        """;

    @TempDir
    Path folder;

    private String model;
    private String data;
    private String weights;

    @BeforeEach
    void write() throws IOException {
        model = TinyModels.write(folder, "packed.model", MODEL);
        data = file("data", tensor("x", new long[] {2, 3}, 1, 0, 2, 0, 1, 0));
        weights = file("weights", packed());
    }

    private static StoredTensor[] packed() {
        return new StoredTensor[] {
            tensor("c_attn.weight", new long[] {3, 4}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
            tensor("c_proj.weight", new long[] {3, 2}, 1, -1, 2, -2, 3, -3),
            tensor("c_attn.bias", new long[] {4}, 100, 200, 300, 400),
            tensor("c_proj.bias", new long[] {2}, 0.5f, 0.25f)
        };
    }

    private static StoredTensor tensor(String name, long[] shape, float... values) {
        List<Long> extents = Arrays.stream(shape).boxed().toList();
        MemorySegment data = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_FLOAT, values);
        return new StoredTensor(name, StoredType.F32, extents, data);
    }

    private String file(String name, StoredTensor... tensors) throws IOException {
        Path file = folder.resolve(name + ".safetensors");
        SafetensorsWriter.write(file, Map.of("format", "pt", "model", "Packed"), List.of(tensors));
        return file.toString();
    }

    private CommandRun run(String command, String... more) {
        List<String> words = new ArrayList<>(List.of(command, model));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private String names(String text) throws IOException {
        return TinyModels.write(folder, "names.txt", text);
    }

    private CommandRun eval(String names, String... more) {
        String result = folder.resolve("out").toString();
        List<String> words =
                new ArrayList<>(List.of("--init", weights, "--names", names, "--data", data, "--all", "-o", result));
        words.addAll(List.of("--set", "B=2"));
        words.addAll(List.of(more));
        return run("eval", words.toArray(String[]::new));
    }

    private CommandRun train(String... more) {
        List<String> words = new ArrayList<>(List.of("--set", "B=2", "--data", data, "--steps", "1"));
        words.addAll(List.of(more));
        return run("train", words.toArray(String[]::new));
    }

    private void expectOutputs() throws IOException {
        try (SafetensorsFile out = SafetensorsFile.open(folder.resolve("out"))) {
            // x @ weight of the columns + bias, by hand.
            assertThat(floats(out, "q")).containsExactly(119, 222, 105, 206);
            assertThat(floats(out, "k")).containsExactly(325, 428, 307, 408);
            assertThat(floats(out, "h")).containsExactly(7.5f, -6.75f, 2.5f, -1.75f);
        }
    }

    private static float[] floats(SafetensorsFile file, String name) {
        return file.find(name).orElseThrow().data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
    }

    @Test
    void partsOfPackedTensorsAreTaken() throws IOException {
        CommandRun evaluated = eval(names(NAMES));
        assertThat(evaluated.exitCode()).as(evaluated.err()).isZero();
        expectOutputs();
    }

    @Test
    void aPrefixStandsBeforeTheNamesOfTheFile() throws IOException {
        List<StoredTensor> prefixed = new ArrayList<>();
        for (StoredTensor tensor : packed()) {
            prefixed.add(tensor.named("net." + tensor.name()));
        }
        weights = file("weights", prefixed.toArray(StoredTensor[]::new));
        CommandRun evaluated = eval(names(NAMES), "--prefix", "net.");
        assertThat(evaluated.exitCode()).as(evaluated.err()).isZero();
        expectOutputs();
    }

    @Test
    void whatIsTakenAndExportedIsTheSameFile() throws IOException {
        String names = names(NAMES);
        String run = folder.resolve("run").toString();
        CommandRun trained = train("--init", weights, "--names", names, "--save", run);
        assertThat(trained.exitCode()).as(trained.err()).isZero();
        assertThat(trained.err()).doesNotContain("lacks");
        Path again = folder.resolve("again");
        CommandRun exported = run("export", "--resume", run, "--names", names, "-o", again.toString());
        assertThat(exported.exitCode()).as(exported.err()).isZero();
        assertThat(again).hasSameBinaryContentAs(Path.of(weights));
    }

    @Test
    void aTiedWeightIsReadUnderEitherName() throws IOException {
        String names = names(NAMES + "dense.bias other.bias\n");
        assertThat(eval(names).exitCode()).isZero();
        expectOutputs();
        StoredTensor[] both = Arrays.copyOf(packed(), 5);
        both[4] = tensor("other.bias", new long[] {2}, 0.5f, 0.25f);
        weights = file("weights", both);
        assertThat(eval(names).exitCode()).isZero();
        both[4] = tensor("other.bias", new long[] {2}, 0.5f, 0.75f);
        weights = file("weights", both);
        CommandRun refused = eval(names);
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err())
                .contains("has two values for dense.bias: c_proj.bias and other.bias; leave one of the names out");
    }

    @Test
    void whatTheModelDoesWithoutIsNamedOrRefused() throws IOException {
        StoredTensor[] more = Arrays.copyOf(packed(), 5);
        more[4] = tensor("attn.mask", new long[] {1}, 1);
        weights = file("weights", more);
        CommandRun refused = train("--init", weights, "--names", names(NAMES));
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err()).contains("the file has a tensor attn.mask, which the model does not have");
        CommandRun taken = train("--init", weights, "--names", names(NAMES + "- attn.mask\n"));
        assertThat(taken.exitCode()).as(taken.err()).isZero();
        more[4] = tensor("query.bias", new long[] {2}, 1, 1);
        weights = file("weights", more);
        CommandRun twice = train("--init", weights, "--names", names(NAMES));
        assertThat(twice.exitCode()).isEqualTo(8);
        assertThat(twice.err())
                .contains("has query.bias, and by the names given no tensor of the model is called so; a line"
                        + " '- query.bias' passes over it");
    }

    @Test
    void namesNeedAFileThatHasThem() throws IOException {
        CommandRun trained = train("--names", names(NAMES));
        assertThat(trained.exitCode()).isEqualTo(2);
        assertThat(trained.err()).contains("--names says what tensors are called in the file of --init");
        CommandRun evaluated = run("eval", "--resume", "run", "--prefix", "net.", "--data", data);
        assertThat(evaluated.exitCode()).isEqualTo(2);
        assertThat(evaluated.err()).contains("--prefix says what tensors are called in the file of --init");
    }

    @Test
    void linesThatDoNotSuitTheFileAreRefused() throws IOException {
        refusesToRead("querry.weight c_attn.weight\n", "line 1: the model has no tensor querry.weight");
        refusesToRead("query.weight\n", "line 1 is not two names, with T, [0:768] or T[0:768] behind them at most");
        for (String place : List.of("t", "[2:2]", "[3:2]", "[-1:2]", "[0:2]T", "[:2]", "[0:99999999999999999999]")) {
            refusesToRead("\nquery.weight c_attn.weight " + place, "line 2: " + place + " is not T, for a transposed");
        }
        refusesToRead("key.bias c_attn.bias [2:5]\n", "line 1: [2:5] is beyond the end of c_attn.bias: F32[4]");
        refusesToRead(
                "key.weight c_attn.weight T[3:5]\n",
                "line 1: [3:5] is beyond the end of c_attn.weight: F32[3, 4], transposed");
        refusesToRead(
                "key.bias c_attn.bias T\n",
                "line 1: T exchanges rows and columns of a matrix, and the file has c_attn.bias: F32[4]");
        refusesToRead(
                NAMES.replace("T[0:2]", "T[0:3]"), "the file has query.weight: F32[3, 3], the model needs f32[2, 3]");
    }

    private void refusesToRead(String names, String problem) throws IOException {
        CommandRun refused = eval(names(names));
        assertThat(refused.exitCode()).as(names).isEqualTo(8);
        assertThat(refused.err()).contains(problem);
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @Test
    void linesThatDoNotSuitTheModelAreRefused() throws IOException {
        String run = folder.resolve("run").toString();
        CommandRun trained = train("--save", run);
        assertThat(trained.exitCode()).as(trained.err()).isZero();
        refusesToWrite(
                run,
                NAMES.replace("[2:4]\nquery.b", "[1:3]\nquery.b"),
                "line 4: [1:3] of c_attn.bias overlaps what another line puts there, up to row 2");
        refusesToWrite(
                run,
                NAMES.replace("[2:4]\nquery.b", "[3:5]\nquery.b"),
                "line 4: no line says what rows [2:3] of c_attn.bias are");
        refusesToWrite(run, NAMES.replace("    [0:2]", ""), "line 5: gives two tensors the name c_attn.bias");
        refusesToWrite(
                run,
                NAMES.replace("T[2:4]", "[2:4]"),
                "line 3: c_attn.weight is transposed in one line and not in another");
        refusesToWrite(
                run,
                NAMES.replace("T[0:2]", "T[0:3]"),
                "line 2: [0:3] is 3 rows, and the model has query.weight: F32[2, 3]");
        refusesToWrite(
                run,
                "query.weight c [0:2]\nquery.bias c [2:4]\n",
                "line 2: rows of query.bias: F32[2] and of query.weight: F32[2, 3] are no one tensor");
        refusesToWrite(
                run,
                "query.bias c T\n",
                "line 1: T exchanges rows and columns of a matrix, and the model has query.bias: F32[2]");
    }

    private void refusesToWrite(String run, String names, String problem) throws IOException {
        Path result = folder.resolve("exported");
        CommandRun refused = run("export", "--resume", run, "--names", names(names), "-o", result.toString());
        assertThat(refused.exitCode()).as(names).isEqualTo(8);
        assertThat(refused.err()).contains(problem);
        assertThat(Files.exists(result)).isFalse();
    }
}
