package dev.remat.tests.fuzz;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/** Checkpoints one of whose files has changed, and all that reads them. */
final class FuzzCheckpoints implements FuzzKind {
    static final String META = "trained/meta.json";
    private static final String FOLDER = "trained/";
    private static final List<String> WORDS = List.of(
            "step",
            "seed",
            "f32",
            "bf16",
            "B",
            "T",
            "adamw",
            "text",
            "synthetic",
            "averaged",
            "state",
            "sha256",
            "0",
            "");

    private final SequencedMap<String, byte[]> files;
    private final String always;

    /** @param always the file that changes; empty for any */
    FuzzCheckpoints(FuzzSeeds seeds, String always) throws IOException {
        this.files = seeds.trained();
        this.always = always;
    }

    @Override
    public FuzzInput make(SplittableRandom random) {
        SequencedMap<String, byte[]> changed = new LinkedHashMap<>(files);
        String name = always.isEmpty() ? Mutation.pick(List.copyOf(files.sequencedKeySet()), random) : always;
        byte[] before = files.get(name);
        byte[] after = name.endsWith(".json")
                ? Mutation.encoded(Mutation.json(string(before), WORDS, random), random)
                : FuzzKinds.changed(before, random);
        changed.put(name, after);
        if (Mutation.once(2, random) && name.endsWith(".safetensors")) {
            String renamed = name.replace(
                    FuzzArtifacts.sha256(before).substring(0, 8),
                    FuzzArtifacts.sha256(after).substring(0, 8));
            changed.remove(name);
            changed.put(renamed, after);
            String meta = string(files.get(META))
                    .replace(FuzzArtifacts.sha256(before), FuzzArtifacts.sha256(after))
                    .replaceAll(Pattern.quote(name.substring(FOLDER.length())), renamed.substring(FOLDER.length()));
            changed.put(META, meta.getBytes(StandardCharsets.UTF_8));
        }
        return reading(random)
                .file("m.model", FuzzSeeds.READER.getBytes(StandardCharsets.UTF_8))
                .file("text", FuzzSeeds.text())
                .files(changed);
    }

    private static FuzzInput reading(SplittableRandom random) {
        String run = FuzzInput.FOLDER + "trained";
        return switch (random.nextInt(8)) {
            case 0 -> FuzzInput.of("eval", "@/m.model", "--resume", run, "--text", "@/text");
            case 1 -> FuzzInput.of("generate", "@/m.model", "--resume", run, "--prompt", "ab", "--tokens", "2");
            case 2 -> FuzzInput.of("export", "@/m.model", "--resume", run, "-o", "@/out.safetensors");
            case 3 ->
                FuzzInput.of(
                        "train", "@/m.model", "--set", "B=2,T=3", "--text", "@/text", "--steps", "1", "--init", run);
            default ->
                FuzzInput.of(
                        "train", "@/m.model", "--set", "B=2,T=3", "--text", "@/text", "--steps", "2", "--resume", run);
        };
    }

    private static String string(byte[] text) {
        return new String(text, StandardCharsets.UTF_8);
    }
}
