package dev.remat.tests.fuzz;

import dev.remat.ir.io.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.SplittableRandom;

/**
 * Artifacts one of whose files has changed. Half of the changes are hidden behind hashes that are right, so that they
 * meet what comes after the check.
 */
final class FuzzArtifacts implements FuzzKind {
    static final String MANIFEST = "artifact/manifest.json";

    private final SequencedMap<String, byte[]> files;
    private final String always;

    /** @param always the file that changes; empty for any */
    FuzzArtifacts(FuzzSeeds seeds, String always) throws IOException {
        this.files = seeds.artifact();
        this.always = always;
    }

    @Override
    public FuzzInput make(SplittableRandom random) {
        SequencedMap<String, byte[]> changed = new LinkedHashMap<>(files);
        String name = always.isEmpty() ? Mutation.pick(List.copyOf(files.sequencedKeySet()), random) : always;
        byte[] before = files.get(name);
        byte[] after = changed(name, before, random);
        changed.put(name, after);
        if (Mutation.once(2, random) && !name.equals(MANIFEST)) {
            rehash(changed, before, after);
        }
        if (Mutation.once(30, random)) {
            changed.remove(name);
        }
        FuzzInput input = Mutation.once(3, random)
                ? FuzzInput.of("explain", FuzzInput.FOLDER + "artifact", "--peak")
                : FuzzInput.of("inspect", FuzzInput.FOLDER + "artifact");
        return input.files(changed);
    }

    private static byte[] changed(String name, byte[] before, SplittableRandom random) {
        if (!FuzzInput.isText(before)) {
            return Mutation.bytes(before, random);
        }
        String text = new String(before, StandardCharsets.UTF_8);
        return Mutation.encoded(
                name.endsWith(".json")
                        ? Mutation.json(text, FuzzKinds.KEYS, random)
                        : Mutation.text(text, FuzzKinds.KEYS, random),
                random);
    }

    private static void rehash(SequencedMap<String, byte[]> files, byte[] before, byte[] after) {
        String manifest = new String(files.get(MANIFEST), StandardCharsets.UTF_8)
                .replace(sha256(before), sha256(after))
                .replaceAll("\"bytes\"( ?: ?)" + before.length + "\\b", "\"bytes\"$1" + after.length);
        files.put(MANIFEST, manifest.getBytes(StandardCharsets.UTF_8));
    }

    static String sha256(byte[] content) {
        MessageDigest digest = Sha256.digest();
        digest.update(content);
        return Sha256.hex(digest);
    }
}
