package dev.remat.tests.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** Folders to import whose configuration, weights or index of weights are not as they should be. */
final class FuzzImports implements FuzzKind {
    private static final Path FOLDERS = Path.of("../cli/src/test/resources/dev/remat/cli/pretrained");
    private static final List<String> TASKS =
            List.of("causal-lm", "masked-lm", "classification", "classification=3", "features", "=", "features=2");
    private static final List<String> KEYS = List.of(
            "model_type",
            "architectures",
            "gpt2",
            "llama",
            "bert",
            "vit",
            "n_embd",
            "n_layer",
            "hidden_size",
            "rope_scaling",
            "rope_parameters",
            "id2label",
            "weight_map",
            "metadata",
            "model-00001-of-00003.safetensors",
            "../x.safetensors",
            "wte.weight",
            "dtype",
            "shape",
            "data_offsets",
            "F32",
            "F16",
            "null",
            "true",
            "-1",
            "2147483647",
            "1e400",
            "{}",
            "[]",
            "\"\"");

    private final List<SequencedMap<String, byte[]>> folders = new ArrayList<>();

    FuzzImports() throws IOException {
        for (String name : List.of("gpt2", "gpt2-shards", "llama", "bert-classes", "roberta", "distilbert", "vit")) {
            SequencedMap<String, byte[]> files = new LinkedHashMap<>();
            try (Stream<Path> all = Files.list(FOLDERS.resolve(name))) {
                for (Path file : all.sorted().toList()) {
                    if (!file.endsWith("expected.safetensors")) {
                        files.put("d/" + file.getFileName(), Files.readAllBytes(file));
                    }
                }
            }
            folders.add(files);
        }
    }

    @Override
    public FuzzInput make(SplittableRandom random) {
        SequencedMap<String, byte[]> files = Mutation.pick(folders, random);
        List<String> words = new ArrayList<>(List.of("import", "@/d", "-o", "@/m.model"));
        if (Mutation.once(4, random)) {
            words.addAll(List.of("--task", Mutation.pick(TASKS, random)));
        }
        if (Mutation.once(4, random)) {
            words.addAll(List.of("--lora", Mutation.pick(List.of("1", "3", "99999999"), random)));
        }
        String changed = Mutation.pick(List.copyOf(files.keySet()), random);
        byte[] content = files.get(changed);
        byte[] other = changed.endsWith(".json")
                ? Mutation.encoded(Mutation.json(new String(content, StandardCharsets.UTF_8), KEYS, random), random)
                : FuzzKinds.changed(content, random);
        FuzzInput input = FuzzInput.of(words.toArray(String[]::new)).files(files);
        return Mutation.once(20, random) ? input.without(changed) : input.file(changed, other);
    }
}
