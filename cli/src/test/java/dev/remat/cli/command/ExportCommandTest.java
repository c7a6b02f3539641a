package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.IOException;
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

class ExportCommandTest {
    @TempDir
    Path folder;

    private String model;
    private String run;
    private Path result;

    @BeforeEach
    void train() throws IOException {
        model = TinyModels.normalizing(folder);
        run = folder.resolve("run").toString();
        result = folder.resolve("small.safetensors");
        CommandRun trained =
                CommandRun.of("train", model, "--set", "B=4", "--data", "synthetic", "--steps", "3", "--save", run);
        assertThat(trained.exitCode()).as(trained.err()).isZero();
    }

    private CommandRun export(String... more) {
        List<String> words = new ArrayList<>(List.of("export", model, "-o", result.toString()));
        words.addAll(List.of(more));
        if (!words.contains("--init")) {
            words.addAll(List.of("--resume", run));
        }
        return CommandRun.of(words.toArray(String[]::new));
    }

    private List<String> written() throws IOException {
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            return file.tensors().stream().map(StoredTensor::name).sorted().toList();
        }
    }

    /** The names of a module with conv2d {@code stem}, BatchNorm2d {@code norm} and Linear {@code head}. */
    @Test
    void writesTheStateOfAPyTorchModule() throws IOException {
        CommandRun exported = export();
        assertThat(exported.exitCode()).as(exported.err()).isZero();
        assertThat(exported.out()).startsWith("9 tensors of Small in ");
        assertThat(written())
                .containsExactly(
                        "head.bias",
                        "head.weight",
                        "norm.bias",
                        "norm.num_batches_tracked",
                        "norm.running_mean",
                        "norm.running_var",
                        "norm.weight",
                        "stem.bias",
                        "stem.weight");
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            StoredTensor steps = file.find("norm.num_batches_tracked").orElseThrow();
            assertThat(steps.type()).isEqualTo(StoredType.I64);
            assertThat(steps.shape()).isEmpty();
            assertThat(steps.data().get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(3);
            assertThat(file.find("stem.weight").orElseThrow().shape()).containsExactly(2L, 3L, 3L, 3L);
            assertThat(file.metadata()).containsEntry("format", "pt");
        }
    }

    @Test
    void whatWasExportedIsWhatWasTrained() {
        String[] evaluation = {"--set", "B=4", "--data", "synthetic", "--json"};
        export();
        String direct = loss(evaluation, "--resume", run);
        assertThat(loss(evaluation, "--init", result.toString())).isEqualTo(direct);
        export("--dtype", "bf16");
        assertThat(loss(evaluation, "--init", result.toString())).isNotEqualTo(direct);
    }

    private String loss(String[] evaluation, String... source) {
        List<String> words = new ArrayList<>(List.of("eval", model));
        words.addAll(List.of(evaluation));
        words.addAll(List.of(source));
        CommandRun evaluated = CommandRun.of(words.toArray(String[]::new));
        assertThat(evaluated.exitCode()).as(evaluated.err()).isZero();
        return evaluated
                .out()
                .lines()
                .filter(line -> line.contains("\"loss\""))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void roundsToADtype() throws IOException {
        export("--dtype", "f16");
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            assertThat(file.find("head.weight").orElseThrow().type()).isEqualTo(StoredType.F16);
            assertThat(file.find("norm.num_batches_tracked").orElseThrow().type())
                    .isEqualTo(StoredType.I64);
        }
        assertThat(export("--dtype", "f8").exitCode()).isEqualTo(2);
        CommandRun precision = export("--precision", "bf16");
        assertThat(precision.exitCode()).isEqualTo(2);
        assertThat(precision.err()).contains("--precision says nothing here; --dtype rounds what is written");
    }

    @Test
    void renamesAndTies() throws IOException {
        String names = TinyModels.write(
                folder, "names.txt", "# tied\nhead.weight  out.weight\nhead.weight  in.weight\n\nhead.bias out.bias\n");
        assertThat(export("--names", names, "--prefix", "net.").exitCode()).isZero();
        assertThat(written())
                .hasSize(10)
                .contains("net.out.weight", "net.in.weight", "net.out.bias", "net.stem.weight")
                .doesNotContain("net.head.weight", "stem.weight");
        String unknown = TinyModels.write(folder, "unknown.txt", "head.weight a\nhead.wait b\n");
        CommandRun refused = export("--names", unknown);
        assertThat(refused.exitCode()).isEqualTo(8);
        assertThat(refused.err()).contains("unknown.txt: line 2: the model has no tensor head.wait");
        String twice = TinyModels.write(folder, "twice.txt", "head.weight head.bias\n");
        assertThat(export("--names", twice).err()).contains("gives two tensors the name head.bias");
        String words = TinyModels.write(folder, "words.txt", "head.weight\n");
        assertThat(export("--names", words).err()).contains("line 1 is not two names");
    }

    @Test
    void readsNamesFromUtf8TextOnly() throws IOException {
        Path names = Files.write(folder.resolve("latin1.txt"), new byte[] {'a', ' ', (byte) 0xe9, '\n'});
        CommandRun latin = export("--names", names.toString());
        assertThat(latin.exitCode()).isEqualTo(8);
        assertThat(latin.err()).contains("latin1.txt: is not UTF-8 text");
        CommandRun place = export("--names", run);
        assertThat(place.exitCode()).isEqualTo(2);
        assertThat(place.err()).contains("is a folder, not a file");
        String marked = TinyModels.write(folder, "marked.txt", "\uFEFFhead.weight  tête\n");
        CommandRun read = export("--names", marked);
        assertThat(read.exitCode()).as(read.err()).isZero();
        assertThat(written()).contains("tête").doesNotContain("head.weight");
    }

    /** A file with the model's tensors, of which one is replaced. */
    private String withHeadBias(StoredType type, long... shape) throws IOException {
        export();
        Path file = folder.resolve("other.safetensors");
        List<StoredTensor> tensors = new ArrayList<>();
        try (SafetensorsFile trained = SafetensorsFile.open(result)) {
            for (StoredTensor tensor : trained.tensors()) {
                List<Long> extents = Arrays.stream(shape).boxed().toList();
                byte[] bytes =
                        new byte[(int) (type.bytes() * Arrays.stream(shape).reduce(1, (a, b) -> a * b))];
                bytes[0] = 3;
                tensors.add(
                        tensor.name().equals("head.bias")
                                ? new StoredTensor("head.bias", type, extents, MemorySegment.ofArray(bytes))
                                : tensor);
            }
            SafetensorsWriter.write(file, Map.of(), tensors);
        }
        return file.toString();
    }

    @Test
    void checksTypesAndShapes() throws IOException {
        for (String[] more : new String[][] {{}, {"--dtype", "bf16"}}) {
            for (StoredType type : List.of(StoredType.F8_E4M3, StoredType.F8_E5M2)) {
                refuses(withHeadBias(type, 5), type + "[5]", more);
            }
            refuses(withHeadBias(StoredType.F32, 4), "F32[4]", more);
            refuses(withHeadBias(StoredType.F32, 5, 1), "F32[5, 1]", more);
        }
        for (StoredType type : List.of(StoredType.U8, StoredType.I16, StoredType.I64)) {
            CommandRun exported = export("--init", withHeadBias(type, 5));
            assertThat(exported.exitCode()).as(exported.err()).isZero();
            try (SafetensorsFile file = SafetensorsFile.open(result)) {
                StoredTensor bias = file.find("head.bias").orElseThrow();
                assertThat(bias.type()).isEqualTo(StoredType.F32);
                assertThat(bias.data().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0)).isEqualTo(3);
            }
        }
    }

    private void refuses(String file, String found, String... more) {
        List<String> words = new ArrayList<>(List.of("--init", file));
        words.addAll(List.of(more));
        CommandRun refused = export(words.toArray(String[]::new));
        assertThat(refused.exitCode()).as(found).isEqualTo(8);
        assertThat(refused.err()).contains("the file has head.bias: " + found + ", the model needs f32[5]");
    }

    @Test
    void averagesStandForTheirParameters() throws IOException {
        model = TinyModels.write(
                folder,
                "averaged.model",
                TinyModels.NORMALIZING.replace("train {", "train {\n  average ema(decay = 0.5)"));
        run = folder.resolve("averaged").toString();
        CommandRun.of("train", model, "--set", "B=4", "--data", "synthetic", "--steps", "4", "--save", run);
        String[] evaluation = {"--set", "B=4", "--data", "synthetic", "--json"};
        export();
        String averaged = loss(evaluation, "--resume", run);
        assertThat(loss(evaluation, "--init", result.toString())).isEqualTo(averaged);
        assertThat(written()).hasSize(9).noneMatch(name -> name.startsWith("ema."));
        export("--weights", "trained");
        String trained = loss(evaluation, "--resume", run, "--weights", "trained");
        assertThat(loss(evaluation, "--init", result.toString()))
                .isEqualTo(trained)
                .isNotEqualTo(averaged);
    }

    @Test
    void aCheckpointNeedsNoSettings() throws IOException {
        model = TinyModels.write(
                folder,
                "wide.model",
                TinyModels.NORMALIZING
                        .replace("Small {", "Small(classes: int = 5) {")
                        .replace(", 5) as head", ", classes) as head"));
        run = folder.resolve("wide").toString();
        CommandRun.of("train", model, "--set", "B=4,classes=7", "--data", "synthetic", "--steps", "1", "--save", run);
        CommandRun bare = export();
        assertThat(bare.exitCode()).as(bare.err()).isZero();
        try (SafetensorsFile file = SafetensorsFile.open(result)) {
            assertThat(file.find("head.bias").orElseThrow().shape()).containsExactly(7L);
        }
        assertThat(export("--set", "classes=7").exitCode()).isZero();
        CommandRun other = export("--set", "classes=5");
        assertThat(other.exitCode()).isEqualTo(8);
        assertThat(other.err()).contains("another model: classes is 5, was 7");
    }

    @Test
    void needsAllTensors() throws IOException {
        export();
        String other = TinyModels.write(folder, "other.model", TinyModels.NORMALIZING.replace("as stem", "as root"));
        CommandRun lacking = CommandRun.of(
                "export",
                other,
                "--init",
                result.toString(),
                "-o",
                folder.resolve("o").toString());
        assertThat(lacking.exitCode()).isEqualTo(8);
        assertThat(lacking.err()).contains("lacks root.");
        assertThat(folder.resolve("o")).doesNotExist();
    }
}
