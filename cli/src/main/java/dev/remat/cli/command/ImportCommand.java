package dev.remat.cli.command;

import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.onnx.OnnxReport;
import dev.remat.cli.onnx.OnnxSource;
import dev.remat.cli.onnx.SelfCheck;
import dev.remat.cli.onnx.WriteNames;
import dev.remat.cli.option.CountingNumber;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.onnx.OnnxImportOptions;
import dev.remat.cli.pretrained.ImportModel;
import dev.remat.cli.pretrained.ImportReport;
import dev.remat.cli.pretrained.ImportSettings;
import dev.remat.cli.pretrained.ImportedModel;
import dev.remat.cli.pretrained.PretrainedFolder;
import dev.remat.cli.pretrained.Task;
import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.compiler.stage.StageRunner;
import dev.remat.ir.io.AtomicFile;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StreamedTensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code remat import}. */
@Command(
        name = "import",
        description = "Make a model file, and its weights under their own names, of a Hugging Face folder, config.json"
                + " with model.safetensors or its shards, or of a model of ONNX.",
        footer = {
            "",
            "Families: bert, distilbert, gpt2, llama, mistral, qwen2, roberta, vit. What changes the computation and"
                    + " is",
            "not understood is refused by name, and nothing is written then (docs/import.md).",
            "",
            "Examples:",
            "  remat import gpt2/ -o gpt2.model",
            "  remat import bert-base-uncased/ -o spam.model --task classification=2",
            "  remat import llama/ -o llama.model --lora 16 --targets q_proj,v_proj",
            "  remat import resnet18.onnx -o resnet.model --loss cross_entropy"
        })
final class ImportCommand extends Subcommand {
    private static final String MODEL = ".model";

    @Parameters(
            paramLabel = "FROM",
            description = "The folder, a snapshot in the cache of downloads, or a file of ONNX.")
    private Path folder;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "NAME.model",
            description = "The model to write; its weights go to NAME.safetensors beside it.")
    private Path model;

    @Option(
            names = "--task",
            paramLabel = "TASK",
            converter = Asked.Converter.class,
            description = "causal-lm, masked-lm, classification=N for N classes, or features, which are outputs"
                    + " without a loss. Without it, what the folder's architecture is for.")
    private Asked task;

    @Option(
            names = "--lora",
            paramLabel = "RANK",
            converter = CountingNumber.OfInt.class,
            description = "Train adapters of so low a rank beside maps that are frozen, and nothing else but what is"
                    + " new.")
    private Integer lora;

    @Option(
            names = "--targets",
            paramLabel = "NAME",
            split = ",",
            description = "Last names of the maps that get adapters, such as query,value. Default: those that make"
                    + " queries and values.")
    private List<String> targets = new ArrayList<>();

    @Option(
            names = "--ignore",
            paramLabel = "KEY",
            split = ",",
            description = "Keys of config.json that are not known here and pass as changing nothing.")
    private List<String> ignored = new ArrayList<>();

    @Option(names = "--overwrite", description = "Replace the files if they are there.")
    private boolean overwrite;

    @Mixin
    private OnnxImportOptions onnx;

    @Mixin
    private OutputOptions output;

    /** @param classes of a classification */
    record Asked(Task task, OptionalInt classes) {
        /** For picocli. */
        static final class Converter implements ITypeConverter<Asked> {
            @Override
            public Asked convert(String text) {
                String[] words = text.split("=", 2);
                for (Task task : Task.values()) {
                    boolean counts = task == Task.CLASSIFICATION && words.length == 2;
                    if (task.label().equals(words[0]) && (counts || words.length == 1)) {
                        return new Asked(
                                task,
                                counts
                                        ? OptionalInt.of(new CountingNumber.OfInt().convert(words[1]))
                                        : OptionalInt.empty());
                    }
                }
                String known = Arrays.stream(Task.values()).map(Task::label).collect(Collectors.joining(", "));
                throw new TypeConversionException("'" + text + "' is no task; tasks are " + known
                        + ", and classification=N says how many classes there are");
            }
        }
    }

    @Override
    public Integer call() throws IOException {
        if (!model.toString().endsWith(MODEL) || model.getFileName().toString().equals(MODEL)) {
            throw misuse("-o names a file that ends with " + MODEL);
        }
        if (lora == null && !targets.isEmpty()) {
            throw misuse("--targets says which maps get adapters, and these come with --lora");
        }
        return Files.isRegularFile(folder) ? importFile() : importFolder();
    }

    /** Refuses what is there already. */
    private void expectFree(List<Path> results) throws IOException {
        for (Path result : results) {
            ResultFile.check(result, folder);
            if (Files.exists(result) && !overwrite) {
                throw new FileAlreadyExistsException(
                        result.toString(), null, "is there already; --overwrite replaces it");
            }
        }
    }

    private int importFile() throws IOException {
        if (task != null || lora != null || !ignored.isEmpty()) {
            throw misuse("--task, --lora and --ignore are about folders of Hugging Face, and this is a file");
        }
        Path weights = onnx.weights().orElseGet(() -> model.resolveSibling(stem() + ".safetensors"));
        List<Path> results = new ArrayList<>(List.of(model, weights));
        onnx.names().ifPresent(results::add);
        expectFree(results);
        ImportRequest request;
        try {
            request = onnx.request(name(), folder.getFileName().toString());
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        }
        try (OnnxSource source = OnnxSource.open(folder, onnx.followsLinks())) {
            StageRunner stages = new StageRunner(onnx.dumpDir());
            ImportedGraph imported = source.run(request, stages);
            List<StoredTensor> tensors = source.weights(imported);
            Optional<SelfCheck.Outcome> check = Optional.empty();
            if (!request.isPlain()) {
                ImportedGraph plain = source.run(request.plain());
                stages.dump("plain", plain::text);
                check = SelfCheck.run(imported, tensors, plain, source.weights(plain));
            }
            write(imported.text(), weights, tensors);
            if (onnx.names().isPresent()) {
                AtomicFile.write(onnx.names().get(), utf8(WriteNames.text(imported)));
            }
            OnnxReport report = new OnnxReport(folder, model, weights, request, imported, tensors, check);
            output.print(console(), report::writeTo, report::print);
        }
        return ExitCode.OK.number();
    }

    private int importFolder() throws IOException {
        if (onnx.given().isPresent()) {
            throw misuse(onnx.given().get() + " is about files of ONNX, and " + folder + " is none");
        }
        Path weights = model.resolveSibling(stem() + ".safetensors");
        expectFree(List.of(model, weights));
        ImportSettings settings = new ImportSettings(
                Optional.ofNullable(task).map(Asked::task),
                task == null ? OptionalInt.empty() : task.classes(),
                ignored,
                lora == null ? OptionalInt.empty() : OptionalInt.of(lora),
                targets);
        PretrainedFolder from = PretrainedFolder.open(folder);
        try (ImportModel importing = ImportModel.open(from, settings)) {
            ImportedModel imported = importing.run(name());
            write(imported.text(), weights, imported.tensors());
            ImportReport report = new ImportReport(folder, model, weights, imported, from.find("tokenizer.json"));
            output.print(console(), report::writeTo, report::print);
        }
        return ExitCode.OK.number();
    }

    private static AtomicFile.Content utf8(String text) {
        return AtomicFile.bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private void write(String text, Path weights, List<? extends StreamedTensor> tensors) throws IOException {
        Map<String, String> metadata = Map.of("format", "pt", "model", name());
        AtomicFile.writeBoth(
                model, utf8(text), weights, channel -> SafetensorsWriter.write(channel, metadata, tensors));
    }

    private String stem() {
        String file = model.getFileName().toString();
        return file.substring(0, file.length() - MODEL.length());
    }

    /** In the language: {@code gpt2-small} is {@code Gpt2Small}. */
    private String name() {
        String name = Arrays.stream(stem().split("[^A-Za-z0-9]+"))
                .filter(word -> !word.isEmpty())
                .map(word -> Character.toUpperCase(word.charAt(0)) + word.substring(1))
                .collect(Collectors.joining());
        return name.isEmpty() || Character.isDigit(name.charAt(0)) ? "Model" + name : name;
    }
}
