package dev.remat.runtime.checkpoint;

import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A file with what is known of a run before it begins, which goes with what was built for it. */
public final class RunFile {
    private static final String FORMAT = "remat-run/1";

    private RunFile() {}

    /** Its content; the same facts give the same bytes. */
    public static String print(RunFacts run) {
        byte[] bytes = PlainJson.print(out -> {
            out.writeStringField("format", FORMAT);
            PlainJson.write(out, run);
        });
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Reads it back.
     *
     * @throws CorruptFileException unless it is of this format version
     */
    public static RunFacts read(Path file) throws IOException {
        PlainJson json = PlainJson.parse(file);
        String format = json.plain().getOrDefault("format", "none");
        if (!format.equals(FORMAT)) {
            throw new CorruptFileException(file, "has format " + format + ", this version of remat reads " + FORMAT);
        }
        return json.run();
    }
}
