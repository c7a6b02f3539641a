package dev.remat.ir.artifact;

import java.nio.file.Path;

/** An artifact that is damaged, of another format version, or built for another architecture. */
public final class CorruptArtifactException extends RuntimeException {
    /** @param problem what is wrong and the way out; without the name of {@code folder} */
    public CorruptArtifactException(Path folder, String problem) {
        super(folder + ": " + problem);
    }
}
