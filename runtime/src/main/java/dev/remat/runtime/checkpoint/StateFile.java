package dev.remat.runtime.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The file of a checkpoint that holds its tensors: its name and what it contains. */
record StateFile(String name, HashedFile content) {
    private static final int HASH_DIGITS = 12;
    private static final Pattern NAME = Pattern.compile("state-[0-9]+-([0-9a-f]{12})\\.safetensors");

    StateFile {
        if (!isName(name)) {
            throw new IllegalArgumentException("not the name of a state file: " + name);
        }
    }

    static StateFile of(long step, HashedFile content) {
        return new StateFile(
                "state-" + step + "-" + content.sha256().substring(0, HASH_DIGITS) + ".safetensors", content);
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Removes the file unless it is missing or something else has taken its name. */
    void deleteFrom(Path directory) throws IOException {
        Path file = directory.resolve(name);
        if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                && HashedFile.read(file, content.blockBytes()).equals(content)) {
            Files.deleteIfExists(file);
        }
    }

    /** Removes a state file of which the name alone is known, unless its content is not what the name says. */
    static void deleteNamed(Path directory, String name) throws IOException {
        Path file = directory.resolve(name);
        Matcher matcher = NAME.matcher(name);
        if (matcher.matches() && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && isOf(file, matcher.group(1))) {
            Files.deleteIfExists(file);
        }
    }

    private static boolean isOf(Path file, String digits) throws IOException {
        return HashedFile.read(file, HashedFile.BLOCK_BYTES).sha256().startsWith(digits)
                || HashedFile.read(file, HashedFile.UNCUT).sha256().startsWith(digits);
    }
}
