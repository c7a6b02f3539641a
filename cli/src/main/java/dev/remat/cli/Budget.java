package dev.remat.cli;

import java.math.BigDecimal;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Bytes that the arena may take, or a share of what it takes when everything is kept. */
sealed interface Budget {
    record Bytes(long bytes) implements Budget {}

    /** @param share above 0, at most 1 */
    record Share(double share) implements Budget {}

    /** @throws IllegalArgumentException if the text is neither a size nor a percentage above 0 and up to 100 */
    static Budget parse(String text) {
        if (!text.endsWith("%")) {
            return new Bytes(ByteSize.parse(text));
        }
        try {
            double share = new BigDecimal(text.substring(0, text.length() - 1).strip()).movePointLeft(2).doubleValue();
            if (share > 0 && share <= 1) {
                return new Share(share);
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not a percentage", e);
        }
        throw new IllegalArgumentException("'" + text + "' is not above 0 % and up to 100 %");
    }

    /** For picocli. */
    final class Converter implements ITypeConverter<Budget> {
        @Override
        public Budget convert(String text) {
            try {
                return parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
