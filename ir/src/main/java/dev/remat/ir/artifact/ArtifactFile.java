package dev.remat.ir.artifact;

import java.util.regex.Pattern;

/**
 * A file beside the manifest, with what its content must be.
 *
 * @param name a plain name without any path
 * @param sha256 64 lower-case hexadecimal digits
 */
public record ArtifactFile(String name, long bytes, String sha256) {
    public static final String MANIFEST = "manifest.json";
    public static final String PLAN = "plan.json";
    public static final String SOURCE = "kernels.cu";
    /** What checkpoints of its training tell of the run. */
    public static final String RUN = "run.json";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}");

    public ArtifactFile {
        if (!NAME.matcher(name).matches() || name.equals(MANIFEST)) {
            throw new IllegalArgumentException("\"" + name + "\" cannot be a file of an artifact");
        }
        if (bytes < 0) {
            throw new IllegalArgumentException("file " + name + " has " + bytes + " bytes");
        }
        ContentHash.require(sha256);
    }

    static ArtifactFile of(String name, byte[] content) {
        return new ArtifactFile(name, content.length, ContentHash.of(content));
    }

    /** The table of launches for an architecture. */
    public static String launches(String architecture) {
        return "launches." + architecture + ".json";
    }

    /** Machine code of all kernels for an architecture, an ELF file. */
    public static String cubin(String architecture) {
        return "kernels." + architecture + ".cubin";
    }
}
