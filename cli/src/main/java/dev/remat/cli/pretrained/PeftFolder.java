package dev.remat.cli.pretrained;

import dev.remat.cli.console.Json;
import dev.remat.cli.console.ResultFile;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.json.JsonFields;
import dev.remat.runtime.io.SafetensorsWriter;
import dev.remat.runtime.io.StoredTensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Adapters as PEFT's {@code PeftModel.from_pretrained} takes them: {@code adapter_config.json} and {@code
 * adapter_model.safetensors}, with what is trained beside them.
 */
public final class PeftFolder {
    private static final String CONFIG = "adapter_config.json";
    private static final String WEIGHTS = "adapter_model.safetensors";

    private final Path folder;

    public PeftFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * Before any work.
     *
     * @param read files and folders that the command reads
     * @throws IOException if it is something else, or could not be written
     */
    public void check(Path... read) throws IOException {
        if (Files.isDirectory(folder)) {
            ResultFile.check(folder.resolve(CONFIG), read);
            ResultFile.check(folder.resolve(WEIGHTS), read);
        } else if (Files.exists(folder)) {
            throw new NotDirectoryException(folder.toString());
        } else {
            ResultFile.check(folder, read);
        }
    }

    /**
     * Writes both files.
     *
     * @param parameters all of the model's, by their names there
     * @return tensors that were written
     */
    public List<StoredTensor> write(ElaboratedModel model, LoraAdapters adapters, List<StoredTensor> parameters)
            throws IOException {
        List<StoredTensor> trained = parameters.stream()
                .filter(tensor -> adapters.has(tensor.name())
                        || isParameter(model, tensor.name())
                                && !model.training().isFrozen(tensor.name()))
                .toList();
        Set<String> beside = new TreeSet<>();
        for (StoredTensor tensor : trained) {
            if (!adapters.has(tensor.name())) {
                beside.add(tensor.name().replaceFirst("\\.[^.]*$", ""));
            }
        }
        List<StoredTensor> written = trained.stream()
                .map(tensor -> tensor.named(LoraAdapters.nameForPeft(tensor.name())))
                .toList();
        List<String> targets = adapters.targets(parameters.stream()
                .filter(tensor -> tensor.shape().size() == 2)
                .map(StoredTensor::name)
                .toList());
        if (!Files.isDirectory(folder)) {
            Files.createDirectory(folder);
        }
        SafetensorsWriter.write(folder.resolve(WEIGHTS), Map.of("format", "pt"), written);
        AtomicFile.write(folder.resolve(CONFIG), Json.bytes(out -> {
            out.writeNullField("base_model_name_or_path");
            out.writeStringField("bias", "none");
            out.writeBooleanField("fan_in_fan_out", adapters.maps().containsValue(true));
            out.writeBooleanField("inference_mode", true);
            out.writeBooleanField("init_lora_weights", true);
            out.writeNumberField("lora_alpha", adapters.alpha());
            out.writeNumberField("lora_dropout", 0.0);
            if (beside.isEmpty()) {
                out.writeNullField("modules_to_save");
            } else {
                JsonFields.array(out, "modules_to_save", beside, module -> out.writeString(module));
            }
            out.writeStringField("peft_type", "LORA");
            out.writeNumberField("r", rank(adapters, parameters));
            JsonFields.array(out, "target_modules", targets, target -> out.writeString(target));
            Optional<String> task = task(model);
            if (task.isPresent()) {
                out.writeStringField("task_type", task.get());
            } else {
                out.writeNullField("task_type");
            }
        }));
        return written;
    }

    private static boolean isParameter(ElaboratedModel model, String name) {
        return model.forward().inputs().stream()
                .filter(input -> input.kind() == InputKind.PARAMETER)
                .map(GraphInput::value)
                .anyMatch(value -> model.forward().value(value).name().equals(name));
    }

    private static long rank(LoraAdapters adapters, List<StoredTensor> parameters) {
        return parameters.stream()
                .filter(tensor -> adapters.has(tensor.name()) && tensor.name().endsWith("A"))
                .findFirst()
                .orElseThrow()
                .shape()
                .getFirst();
    }

    /** PEFT's name for what the model's inputs are for, if it has one. */
    private static Optional<String> task(ElaboratedModel model) {
        Map<String, Integer> ranks = new TreeMap<>();
        for (GraphInput input : model.forward().inputs()) {
            ranks.put(
                    model.forward().value(input.value()).name(),
                    model.forward().type(input.value()).rank());
        }
        if (ranks.containsKey("targets")) {
            return Optional.of("CAUSAL_LM");
        }
        return ranks.getOrDefault("labels", 0) == 1 && !ranks.containsKey("pixel_values")
                ? Optional.of("SEQ_CLS")
                : Optional.empty();
    }
}
