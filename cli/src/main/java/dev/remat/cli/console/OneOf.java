package dev.remat.cli.console;

import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.TypeConversionException;

/** Values of options that are one of a few words. */
public final class OneOf {
    private OneOf() {}

    /**
     * The choice whose text is given.
     *
     * @throws TypeConversionException naming all, if there is none
     */
    public static <T> T of(T[] choices, String text) {
        return Arrays.stream(choices)
                .filter(choice -> choice.toString().equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + Excerpt.of(text) + "' is neither "
                        + Arrays.stream(choices).map(Object::toString).collect(Collectors.joining(" nor "))));
    }
}
