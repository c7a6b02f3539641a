package dev.remat.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** One {@code NAME=VALUE} of {@code --set}. */
record Binding(String name, String value) {
    /** For picocli. */
    static final class Converter implements ITypeConverter<Binding> {
        @Override
        public Binding convert(String text) {
            int equals = text.indexOf('=');
            if (equals < 1 || equals == text.length() - 1) {
                throw new TypeConversionException("'" + text + "' is not of the form NAME=VALUE");
            }
            return new Binding(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
        }
    }
}
