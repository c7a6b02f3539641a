package dev.remat.ir.io;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Reads what people write, such as model files: UTF-8, with or without a byte order mark, of bounded size. */
public final class SourceFiles {
    /** Bytes that a model file has at most. */
    public static final int LARGEST = 1 << 20;

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private SourceFiles() {}

    /** A model file of at most {@link #LARGEST} bytes, as {@link #read(Path, int)} reads it. */
    public static Source read(Path file) {
        return read(file, LARGEST);
    }

    /**
     * @param largest bytes that the file may have
     * @throws ModelException if the file cannot be read (E0109), is too large (E0108) or is not UTF-8 (E0104)
     */
    public static Source read(Path file, int largest) {
        byte[] bytes;
        try {
            ReadableFile.checkStream(file);
            try (InputStream in = Files.newInputStream(file)) {
                bytes = in.readNBytes(largest + 1);
            }
        } catch (NoSuchFileException e) {
            throw failure(file, "E0109", "there is no file " + file);
        } catch (IOException e) {
            throw failure(file, "E0109", "cannot read " + file + ": " + FileProblem.of(e));
        }
        if (bytes.length > largest) {
            throw failure(file, "E0108", "the file is larger than " + largest + " bytes");
        }
        return new Source(
                file.toString(), decode(bytes).orElseThrow(() -> failure(file, "E0104", "the file is not UTF-8 text")));
    }

    /** The text without its byte order mark; empty if the bytes are not UTF-8. */
    public static Optional<String> decode(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            boolean marked = text.startsWith(BYTE_ORDER_MARK);
            return Optional.of(marked ? text.substring(BYTE_ORDER_MARK.length()) : text);
        } catch (CharacterCodingException _) {
            return Optional.empty();
        }
    }

    private static ModelException failure(Path file, String code, String message) {
        return new ModelException(List.of(Diagnostic.error(code, new Location(file.toString(), 1, 1), message)));
    }
}
