package dev.remat.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Whole numbers of options that count from 1, for picocli. */
public final class CountingNumber {
    private CountingNumber() {}

    /** For fields of {@code long}. */
    public static final class OfLong implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            long number = WholeNumber.parse(text);
            if (number < 1) {
                throw new TypeConversionException("it counts from 1, not " + number);
            }
            return number;
        }
    }

    /** For fields of {@code int}. */
    public static final class OfInt implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            int number = WholeNumber.parseInt(text);
            if (number < 1) {
                throw new TypeConversionException("it counts from 1, not " + number);
            }
            return number;
        }
    }
}
