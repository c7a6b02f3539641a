package dev.remat.cli.chunk;

import dev.remat.cli.console.Excerpt;
import dev.remat.compiler.chunk.Chunks;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code auto}, {@code off} or a number of chunks. */
public final class ChunksConverter implements ITypeConverter<Chunks> {
    @Override
    public Chunks convert(String text) {
        if (text.equals("auto") || text.equals("off")) {
            return text.equals("auto") ? Chunks.AUTO : Chunks.OFF;
        }
        if (!text.matches("0*[1-9][0-9]{0,8}")) {
            throw new TypeConversionException("'" + Excerpt.of(text) + "' is neither auto, off nor a number of chunks");
        }
        return Chunks.of(Integer.parseInt(text));
    }
}
