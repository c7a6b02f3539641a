package dev.remat.runtime.checkpoint;

import dev.remat.ir.json.JsonFields;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** {@code meta.json} of a checkpoint. */
record CheckpointMetaJson(CheckpointMeta meta, StateFile state) {
    static final String FILE = "meta.json";

    static final String FORMAT = "remat-checkpoint/3";
    /** In which a state is one block. */
    private static final String UNCUT = "remat-checkpoint/2";
    /** What the formats of all versions begin with. */
    private static final String FORMATS = "remat-checkpoint/";

    private static final String BLOCK_BYTES = "stateBlockBytes";
    private static final String SHA256 = "stateSha256";

    static byte[] print(CheckpointMetaJson json) {
        return PlainJson.print(out -> {
            out.writeStringField("format", FORMAT);
            out.writeNumberField("step", json.meta.step());
            PlainJson.write(out, json.meta.run());
            out.writeStringField("stateFile", json.state.name());
            out.writeNumberField("stateBytes", json.state.content().bytes());
            out.writeNumberField(BLOCK_BYTES, json.state.content().blockBytes());
            JsonFields.array(out, SHA256, json.state.content().blocks(), out::writeString);
        });
    }

    /** @throws CorruptFileException unless it is of this format version and complete */
    static CheckpointMetaJson read(Path file) throws IOException {
        PlainJson fields = PlainJson.parse(file);
        String format = fields.plain().getOrDefault("format", "none");
        if (!format.equals(FORMAT) && !format.equals(UNCUT)) {
            throw new CorruptFileException(
                    file,
                    "has format " + format + ", this version of remat reads " + UNCUT + " and " + FORMAT
                            + (format.startsWith(FORMATS) ? "; tensors of its state can be taken with --init" : ""));
        }
        try {
            return new CheckpointMetaJson(new CheckpointMeta(fields.run(), fields.requireWhole("step")), state(fields));
        } catch (IllegalArgumentException e) {
            throw new CorruptFileException(file, "has an impossible value: " + e.getMessage(), e);
        }
    }

    /** The state of a checkpoint of whatever version; empty if the file describes no checkpoint. */
    static Optional<StateFile> findState(Path file) throws IOException {
        try {
            PlainJson fields = PlainJson.parse(file);
            boolean ours = fields.plain().getOrDefault("format", "").startsWith(FORMATS);
            return ours ? Optional.of(state(fields)) : Optional.empty();
        } catch (CorruptFileException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static StateFile state(PlainJson fields) {
        boolean cut = fields.lists().containsKey(SHA256);
        HashedFile content = new HashedFile(
                fields.requireWhole("stateBytes"),
                cut ? fields.requireWhole(BLOCK_BYTES) : HashedFile.UNCUT,
                cut ? fields.lists().get(SHA256) : List.of(fields.require(SHA256)));
        return new StateFile(fields.require("stateFile"), content);
    }
}
