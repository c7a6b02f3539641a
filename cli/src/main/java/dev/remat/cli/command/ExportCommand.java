package dev.remat.cli.command;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.option.AdapterOptions;
import dev.remat.cli.option.OnnxOptions;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.PrecisionConverter;
import dev.remat.cli.option.TensorNames;
import dev.remat.cli.option.TrainedOptions;
import dev.remat.cli.option.WeightsOption;
import dev.remat.cli.pretrained.LoraAdapters;
import dev.remat.cli.pretrained.PeftFolder;
import dev.remat.cli.trained.NamesMap;
import dev.remat.cli.trained.OnnxFile;
import dev.remat.cli.trained.OpenSymbols;
import dev.remat.cli.trained.PlaceTensors;
import dev.remat.cli.trained.TrainedTensors;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.forward.ChooseOutputs;
import dev.remat.compiler.forward.ForwardValues;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.onnx.OnnxExport;
import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import dev.remat.runtime.train.BatchCounters;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat export}. */
@Command(
        name = "export",
        description = "Write trained parameters and running statistics as PyTorch's load_state_dict takes them, or the"
                + " forward pass as ONNX.",
        footer = {
            "",
            "Examples:",
            "  remat export samples/gpt.model --resume run -o gpt.safetensors",
            "  remat export samples/gpt.model --resume run -o gpt.safetensors --names torch-names.txt --dtype bf16",
            "  remat export llama.model --resume run --adapters -o llama-adapters",
            "  remat export samples/gpt.model --resume run --format onnx -o gpt.onnx --external gpt.safetensors"
        })
final class ExportCommand extends ModelCommand {
    @ArgGroup(multiplicity = "1")
    private TrainedOptions source;

    @Mixin
    private WeightsOption weights;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            description = "Safetensors or ONNX to write; with --adapters a folder.")
    private Path result;

    @Mixin
    private AdapterOptions adapting;

    @Mixin
    private TensorNames names;

    @Option(
            names = "--dtype",
            paramLabel = "DTYPE",
            converter = PrecisionConverter.class,
            description = "What floating-point tensors are rounded to: f32, bf16, f16 or f64. Without it they stay as"
                    + " they were trained.")
    private DType dtype;

    @Mixin
    private OutputOptions output;

    @Mixin
    private OnnxOptions onnx;

    @Override
    public Integer call() throws IOException {
        model().refusePrecision("--dtype rounds what is written");
        onnx.check(spec().commandLine());
        if (onnx.isAsked() && adapting.isGiven()) {
            throw misuse(
                    "--adapters and --merge are for --format safetensors; merge first, and export what that wrote");
        }
        OnnxFile file = new OnnxFile(result, onnx.external());
        if (!file.findsExternal()) {
            throw misuse("--external is another file than -o names, in the same folder or below it");
        }
        if (adapting.alone()) {
            names.given().ifPresent(option -> {
                throw misuse("--adapters writes PEFT's names; leave out " + option);
            });
            new PeftFolder(result).check(model().file(), source.place());
        } else {
            ResultFile.check(result, model().file(), source.place(), names.file());
            ResultFile.check(onnx.external().orElse(null), model().file(), source.place(), names.file());
        }
        try (TrainedTensors trained = source.open(weights);
                Arena arena = Arena.ofShared()) {
            ModelSession session = trained.of(model().session());
            ElaboratedModel elaborated = session.open(Purpose.EVALUATE);
            trained.check(elaborated);
            LoraAdapters adapters = LoraAdapters.of(elaborated);
            if (adapting.isGiven() && adapters.isEmpty()) {
                throw misuse(model().file() + " has no adapters; 'remat import --lora' makes models that have");
            }
            List<StoredTensor> tensors = tensors(elaborated, trained, adapters, arena);
            if (adapting.alone()) {
                report(elaborated, new PeftFolder(result).write(elaborated, adapters, tensors), Optional.empty());
                return ExitCode.OK.number();
            }
            NamesMap map = names.read();
            List<StoredTensor> placed = PlaceTensors.run(tensors, map);
            Map<String, String> metadata = Map.of("format", "pt", "model", elaborated.name());
            if (onnx.isAsked()) {
                OnnxExport export = export(OpenSymbols.of(model().session(), session));
                write(file, file.model(export, placed, map, metadata), placed, metadata);
                report(elaborated, placed, Optional.of(export));
            } else {
                SafetensorsWriter.write(result, metadata, placed);
                report(elaborated, placed, Optional.empty());
            }
        }
        return ExitCode.OK.number();
    }

    private void write(OnnxFile file, ProtoMessage message, List<StoredTensor> weights, Map<String, String> metadata)
            throws IOException {
        if (message.size() > OnnxFile.MOST_BYTES) {
            throw misuse("a file of ONNX holds 2 GiB at most, and this one would have " + Count.bytes(message.size())
                    + "; --external leaves the parameters in a file beside it");
        }
        file.write(message, weights, metadata);
    }

    private OnnxExport export(ElaboratedModel model) {
        Graph forward = ChooseOutputs.run(model, onnx.outputs(), "--outputs").forward();
        List<ValueId> given = onnx.inputs().stream()
                .map(name -> ForwardValues.find(forward, name, "--inputs").id())
                .toList();
        return new OnnxExport(forward, onnx.opset(), given);
    }

    /** Everything that the forward pass reads and that outlives a step, in the order of the model. */
    private List<StoredTensor> tensors(
            ElaboratedModel elaborated, TrainedTensors trained, LoraAdapters adapters, Arena arena) {
        List<StoredTensor> tensors = new ArrayList<>();
        for (GraphInput input : elaborated.forward().inputs()) {
            if (input.kind().isPersistent()) {
                String name = elaborated.forward().value(input.value()).name();
                StoredTensor stored =
                        trained.find(name).orElseThrow(() -> new DataException(source.place() + " lacks " + name));
                TensorType needed = elaborated.forward().type(input.value());
                stored.require(needed);
                if (adapting.merged()) {
                    if (adapters.has(name)) {
                        continue;
                    }
                    stored = adapters.merged(name, stored, trained::find, arena);
                }
                tensors.add(
                        needed.dtype().isFloat()
                                ? ElementConversion.convert(stored, name, written(stored, needed), arena)
                                : onnx.isAsked()
                                        ? ElementConversion.convert(stored, name, needed.dtype(), arena)
                                        : stored.named(name));
                long steps = trained.meta().map(meta -> meta.step()).orElse(0L);
                BatchCounters.beside(name)
                        .map(counter -> new StoredTensor(
                                counter, StoredType.I64, List.of(), arena.allocateFrom(ValueLayout.JAVA_LONG, steps)))
                        .ifPresent(tensors::add);
            }
        }
        return tensors;
    }

    /** What was stored as integers becomes what the model has. */
    private DType written(StoredTensor stored, TensorType needed) {
        return dtype != null
                ? dtype
                : stored.type().dtype().filter(DType::isFloat).orElse(needed.dtype());
    }

    private void report(ElaboratedModel elaborated, List<StoredTensor> tensors, Optional<OnnxExport> export)
            throws IOException {
        long bytes =
                tensors.stream().mapToLong(tensor -> tensor.data().byteSize()).sum();
        if (!output.json()) {
            Path holder = onnx.external().orElse(result);
            console().out().println(Count.of(tensors.size(), "tensor") + " of " + elaborated.name() + " in " + holder);
            export.ifPresent(written -> console()
                    .out()
                    .println(result + ": opset " + onnx.opset().version() + ", from " + list(written.inputs()) + " to "
                            + list(written.outputs())));
            return;
        }
        Json.print(console(), out -> {
            out.writeStringField("schema", "remat-export/1");
            out.writeStringField("model", elaborated.name());
            out.writeStringField("modelHash", elaborated.hash());
            out.writeStringField("file", result.toString());
            out.writeNumberField("tensors", tensors.size());
            out.writeNumberField("bytes", bytes);
            if (export.isPresent()) {
                out.writeNumberField("opset", onnx.opset().version());
                writeTypes(out, "inputs", export.get().inputs());
                writeTypes(out, "outputs", export.get().outputs());
            }
        });
    }

    private static String list(Map<String, TensorType> tensors) {
        return tensors.isEmpty()
                ? "nothing"
                : tensors.entrySet().stream()
                        .map(each -> each.getKey() + ": " + each.getValue())
                        .collect(Collectors.joining(", "));
    }

    private static void writeTypes(JsonGenerator out, String field, Map<String, TensorType> tensors)
            throws IOException {
        out.writeObjectFieldStart(field);
        for (Map.Entry<String, TensorType> each : tensors.entrySet()) {
            out.writeStringField(each.getKey(), each.getValue().toString());
        }
        out.writeEndObject();
    }
}
