package dev.remat.tests.fuzz;

import dev.remat.runtime.io.StoredType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Parameters of other types and shapes, written and evaluated, with names that are not as they should be. */
final class FuzzWeights implements FuzzKind {
    private static final List<String> SHAPES = List.of("3,4", "3,4", "3,4", "4,3", "12", "3,4,1", "12,1");
    private static final List<String> WORDS =
            List.of("w", "x", "#", "out.weight", "\n", " ", "  ", "w w", "-", "T", "[0:3]", ":");
    private static final List<String> PLACES = List.of("", "", " T", " [0:3]", " T[0:2]", " T[1:9999999999999]");
    private static final List<String> PREFIXES = List.of("", "net.", "a b", "\n", "é", "\"", "__metadata__", ".");

    @Override
    public FuzzInput make(SplittableRandom random) {
        StoredType type = Mutation.pick(List.of(StoredType.values()), random);
        byte[] data = new byte[12 * type.bytes()];
        for (int i = 0; i < data.length; i++) {
            data[i] = (byte) random.nextInt(256);
        }
        byte[] weights = FuzzSeeds.safetensors(
                "{\"w\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[0,%d]}}"
                        .formatted(type, Mutation.pick(SHAPES, random), data.length),
                data);
        String names =
                Mutation.text("# names\nw out.weight%s\n".formatted(Mutation.pick(PLACES, random)), WORDS, random);
        return FuzzInput.of(words(random).toArray(String[]::new))
                .file("m.model", FuzzSeeds.ARRAYS.getBytes(StandardCharsets.UTF_8))
                .file("w.safetensors", Mutation.once(4, random) ? FuzzKinds.changed(weights, random) : weights)
                .file("names", Mutation.encoded(names, random));
    }

    private static List<String> words(SplittableRandom random) {
        if (Mutation.once(3, random)) {
            List<String> words = new ArrayList<>(
                    List.of("eval", "@/m.model", "--init", "@/w.safetensors", "--data", "synthetic", "--batches", "2"));
            if (Mutation.once(2, random)) {
                words.addAll(List.of("--names", "@/names"));
            }
            return words;
        }
        List<String> words =
                new ArrayList<>(List.of("export", "@/m.model", "--init", "@/w.safetensors", "-o", "@/out.safetensors"));
        if (Mutation.once(2, random)) {
            words.addAll(List.of("--names", "@/names"));
        }
        if (Mutation.once(3, random)) {
            words.addAll(List.of("--prefix", Mutation.pick(PREFIXES, random)));
        }
        if (Mutation.once(3, random)) {
            words.addAll(List.of("--dtype", Mutation.pick(List.of("f32", "bf16", "f16", "f64", "i8"), random)));
        }
        return words;
    }
}
