package dev.remat.cli.option.tier;

import dev.remat.cli.console.ByteSize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A number of bytes above zero, such as {@code 64GiB}. */
final class SizeConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        try {
            long bytes = ByteSize.parse(text);
            if (bytes == 0) {
                throw new IllegalArgumentException("a size above zero is expected");
            }
            return bytes;
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
