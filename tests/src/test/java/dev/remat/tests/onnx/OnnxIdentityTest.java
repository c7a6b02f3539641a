package dev.remat.tests.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.onnx.OnnxSource;
import dev.remat.compiler.CompileOptions;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.ChooseOutputs;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.model.ModelText;
import dev.remat.compiler.onnx.OnnxExport;
import dev.remat.compiler.onnx.OnnxOpset;
import dev.remat.compiler.onnx.OnnxWeight;
import dev.remat.compiler.onnx.WeightUse;
import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.op.Draw;
import dev.remat.ir.target.RooflineCost;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.SyntheticDataset;
import dev.remat.runtime.train.InputFeed;
import dev.remat.runtime.train.Trainer;
import dev.remat.tests.promises.TrialRun;
import dev.remat.tests.samples.SampleModel;
import dev.remat.tests.samples.SampleModels;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A sample that is exported and imported again is the graph that it was, names included, and trains as it did. */
@Tag("slow")
class OnnxIdentityTest {
    @TempDir
    Path folder;

    /** With the numbers of their classes, where an output is of something else. */
    private static final Map<String, String> OUTPUTS = new TreeMap<>(Map.of("vit", "logits"));

    /** What draws at random set to 0, targets that are no input of what is exported, and what is minimised. */
    record Trained(String sample, String without, String targets, String loss) {
        @Override
        public String toString() {
            return sample;
        }
    }

    static List<SampleModel> samples() {
        return SampleModels.ALL;
    }

    /** All but three that draw at random: what they draw are inputs of what is exported. */
    static List<Trained> trained() {
        String labels = "labels: i32[B]";
        String targets = "targets: i32[B, T]";
        String usual = "cross_entropy(logits, labels)";
        return List.of(
                new Trained("autoencoder", "", "", "loss"),
                new Trained("bert", ",drop=0.0", targets, "cross_entropy(logits, targets, ignore_index = -100)"),
                new Trained("densenet", ",drop=0.0", labels, usual),
                new Trained("gpt", ",drop=0.0", targets, "cross_entropy(logits, targets)"),
                new Trained("llama", "", targets, "cross_entropy(logits, targets)"),
                new Trained("lstm", "", "", "loss"),
                new Trained("mlp", ",drop=0.0", labels, usual),
                new Trained("mobilenet", ",drop=0.0", labels, usual),
                new Trained("randwire", "", labels, usual),
                new Trained("resnet", "", labels, usual),
                new Trained("resnet-cifar", "", labels, usual),
                new Trained(
                        "transformer-encdec",
                        ",drop=0.0",
                        "next: i32[B, T]",
                        "cross_entropy(logits, next, label_smoothing = 0.1, ignore_index = 0)"),
                new Trained("unet", ",drop=0.0", "labels: i32[B, 16, 16]", "cross_entropy(logits, labels)"),
                new Trained("vgg", ",drop=0.0", labels, usual),
                new Trained("vit", ",drop=0.0", labels, "cross_entropy(logits, labels, label_smoothing = 0.1)"));
    }

    private static ElaboratedModel open(SampleModel sample) throws Exception {
        String text = TrialRun.sample(sample.name());
        ElaboratedModel whole = TrialRun.session(text, sample.tiny()).whole(Purpose.EVALUATE);
        String settings = Arrays.stream(sample.tiny().split(",(?=\\w+=)"))
                .filter(setting -> !whole.symbols().contains(setting.split("=")[0]))
                .collect(Collectors.joining(","));
        ElaboratedModel open = TrialRun.session(text, settings).open(Purpose.EVALUATE);
        List<String> outputs =
                Optional.ofNullable(OUTPUTS.get(sample.name())).map(List::of).orElse(List.of());
        return ChooseOutputs.run(open, outputs, "--outputs");
    }

    private static List<String> drawn(Graph forward) {
        return forward.nodes().stream()
                .filter(node -> node.op() instanceof Draw)
                .map(node -> forward.value(node.results().getFirst()).name())
                .toList();
    }

    private static OnnxWeight zeros(String name, TensorType type) {
        List<Long> shape = new ArrayList<>();
        Arrays.stream(type.shape().toArray()).forEach(shape::add);
        return new OnnxWeight(
                name,
                type.dtype(),
                shape,
                new OnnxWeight.Inside(sink -> sink.take(ByteBuffer.allocate((int) type.bytes()))));
    }

    private static byte[] exported(ElaboratedModel model) throws Exception {
        Graph forward = model.forward();
        List<String> drawn = drawn(forward);
        OnnxExport export = new OnnxExport(
                forward,
                new OnnxOpset(18),
                forward.values().stream()
                        .filter(value -> drawn.contains(value.name()))
                        .map(value -> value.id())
                        .toList());
        List<OnnxWeight> weights = new ArrayList<>();
        export.weights().forEach((name, type) -> weights.add(zeros(name, type)));
        return OnnxRun.bytes(export.run(weights, WeightUse::whole, "test"));
    }

    private String imported(byte[] model, String name) throws Exception {
        Path file = Files.write(folder.resolve("m.onnx"), model);
        try (OnnxSource source = OnnxSource.open(file, false)) {
            return source.run(new ImportRequest(
                            name, "m.onnx", List.of(), List.of(), new LinkedHashMap<>(), false, Optional.empty()))
                    .text();
        }
    }

    /** The text of a model that was exported. */
    private String imported(ElaboratedModel model) throws Exception {
        return imported(exported(model), model.forward().name());
    }

    private static ModelSession session(String text, ModelSettings settings) {
        return ModelSession.of(ModelText.of(new Source("m.model", text), IncludeResolver.NONE), settings);
    }

    @ParameterizedTest
    @MethodSource("samples")
    void comesBackAsTheSameGraph(SampleModel sample) throws Exception {
        ElaboratedModel model = open(sample);
        String text = imported(model);
        ElaboratedModel again = session(text, ModelSettings.NONE).open(Purpose.EVALUATE);
        assertThat(ForwardForm.of(again, List.of())).isEqualTo(ForwardForm.of(model, drawn(model.forward())));
    }

    @ParameterizedTest
    @MethodSource("samples")
    void isExportedAsTheSameBytes(SampleModel sample) throws Exception {
        ElaboratedModel model = open(sample);
        byte[] first = exported(model);
        byte[] second = exported(session(imported(first, model.forward().name()), ModelSettings.NONE)
                .open(Purpose.EVALUATE));
        assertThat(EraseNames.run(second)).as("but for names").isEqualTo(EraseNames.run(first));
        assertThat(second).isEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt", "bert"})
    void writesTwelveLayersAsALoopWhateverTheyAreCalled(String name) throws Exception {
        SampleModel sample = SampleModels.of(name);
        ElaboratedModel model = open(new SampleModel(name, sample.tiny().replace("depth=2", "depth=12")));
        String named = imported(model);
        assertThat(named).contains("depth: int = 12");
        assertThat(named.lines()).hasSizeLessThanOrEqualTo(150);
        String erased = imported(EraseNames.run(exported(model)), "M");
        assertThat(erased).contains("depth: int = 12").doesNotContain("wte", "attention.");
        assertThat(erased.lines()).hasSizeLessThanOrEqualTo(200);
        assertThat(ForwardForm.unnamed(session(erased, ModelSettings.NONE).open(Purpose.EVALUATE)))
                .isEqualTo(ForwardForm.unnamed(model));
    }

    @ParameterizedTest
    @MethodSource("trained")
    void trainsToTheSameState(Trained trained) throws Exception {
        SampleModel sample = SampleModels.of(trained.sample());
        String text = TrialRun.sample(trained.sample());
        String optimizer = text.substring(text.indexOf("\ntrain {"));
        ElaboratedModel model = open(sample);
        String without = imported(model).replaceFirst("  output \\w+\n", "");
        String again = trained.targets().isEmpty()
                ? without + optimizer
                : without.replaceFirst("(?s)(.*\n  input [^\n]*\n)", "$1  input " + trained.targets() + "\n")
                                .replaceFirst("}\n$", "  loss = " + trained.loss() + "\n}\n")
                        + optimizer;
        String settings = sample.tiny().replaceFirst(",drop=[^,]*", "") + trained.without();
        ExecutionPlan first = plan(TrialRun.session(text, settings));
        String symbols = Arrays.stream(settings.split(",(?=\\w+=)"))
                .filter(setting -> model.open().contains(setting.split("=")[0]))
                .collect(Collectors.joining(","));
        ExecutionPlan second = plan(session(again, ModelSettings.of(Bindings.parse(List.of(symbols)))));
        assertThat(after(second, model)).isEqualTo(after(first, model));
    }

    private static ExecutionPlan plan(ModelSession session) {
        CpuTarget target = new CpuTarget();
        return new Compiler(target, new RooflineCost(target.device()))
                .compile(session.open(Purpose.TRAIN), CompileOptions.defaults())
                .plan();
    }

    /** The hash of all parameters and states after ten steps from weights that are drawn by their names. */
    private static String after(ExecutionPlan plan, ElaboratedModel model) {
        List<String> names = model.forward().inputs().stream()
                .filter(input -> input.kind().isPersistent())
                .map(input -> model.forward().value(input.value()).name())
                .toList();
        try (CpuExecutable executable = new CpuExecutable(plan, new CpuExecutable.Options(1, false));
                SyntheticDataset data = new SyntheticDataset()) {
            Trainer trainer = new Trainer(executable, data.training(InputFeed.specs(plan), plan.seed()));
            List<StoredTensor> drawn = trainer.state().tensors().stream()
                    .filter(tensor -> names.contains(tensor.name()))
                    .map(OnnxIdentityTest::drawn)
                    .toList();
            assertThat(drawn).hasSameSizeAs(names);
            trainer.state().load(drawn);
            for (int step = 0; step < 10; step++) {
                trainer.step();
            }
            return trainer.state().hash();
        }
    }

    private static StoredTensor drawn(StoredTensor tensor) {
        MemorySegment copy = Arena.ofAuto().allocate(tensor.byteSize(), Long.BYTES);
        Random random = new Random(tensor.name().hashCode());
        for (long i = 0; i < tensor.elements(); i++) {
            float value = 0.1f * (float) random.nextGaussian();
            copy.setAtIndex(ValueLayout.JAVA_FLOAT, i, tensor.name().endsWith("var") ? 1 + Math.abs(value) : value);
        }
        return new StoredTensor(tensor.name(), tensor.type(), tensor.shape(), copy);
    }
}
