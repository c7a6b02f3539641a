package dev.remat.cli.chunk;

import dev.remat.cli.console.Excerpt;
import dev.remat.compiler.chunk.Chunks;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code off} or a number of chunks. */
public final class ChunksConverter implements ITypeConverter<Chunks> {
    @Override
    public Chunks convert(String text) {
        if (text.equals("off")) {
            return Chunks.OFF;
        }
        if (!text.matches("0*[1-9][0-9]{0,8}")) {
            throw new TypeConversionException(
                    "'" + Excerpt.of(text) + "' is neither off nor a number of chunks, from 1 to 999999999");
        }
        return new Chunks(Integer.parseInt(text));
    }
}
