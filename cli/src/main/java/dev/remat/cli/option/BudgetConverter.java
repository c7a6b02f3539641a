package dev.remat.cli.option;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Excerpt;
import dev.remat.codegen.cuda.target.Card;
import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.search.Budget;
import dev.remat.runtime.memory.ProcessMemory;
import java.math.BigDecimal;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A budget as users write it: a size, a device, what is left here, or a percentage of what keeping all takes. */
public final class BudgetConverter implements ITypeConverter<Budget> {
    /** All that the limits of this process leave to an arena. */
    private static final String CONTAINER = "container";

    @Override
    public Budget convert(String text) {
        return converted(text, BudgetConverter::parse);
    }

    /** Where a percentage would be of nothing. */
    public static final class OfBytes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return converted(text, BudgetConverter::bytes);
        }
    }

    private static <T> T converted(String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    /** @throws IllegalArgumentException if the text is no size, no device, and no percentage above 0 and up to 100 */
    public static Budget parse(String text) {
        if (!text.endsWith("%")) {
            return new Budget.Bytes(bytes(text));
        }
        try {
            double share = new BigDecimal(text.substring(0, text.length() - 1).strip())
                    .movePointLeft(2)
                    .doubleValue();
            if (share > 0 && share <= 1) {
                return new Budget.Share(share);
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + Excerpt.of(text) + "' is not a percentage", e);
        } catch (ArithmeticException e) {
            // An exponent beyond what decimals hold is out of range either way.
        }
        throw new IllegalArgumentException("'" + Excerpt.of(text) + "' is not above 0 % and up to 100 %");
    }

    /**
     * A size, the memory that a device leaves to an arena, or that the limits of this process leave to one.
     *
     * @throws IllegalArgumentException if the text is none of these
     * @throws dev.remat.runtime.memory.ProcessMemoryException if they leave nothing
     */
    static long bytes(String text) {
        if (text.strip().equals(CONTAINER)) {
            return ProcessMemory.leftToArena(Runtime.getRuntime().availableProcessors());
        }
        Optional<Card> card = Card.ofLabel(text.strip().toLowerCase(Locale.ROOT));
        if (card.isPresent()) {
            return card.get().usableBytes();
        }
        if (text.isBlank()
                || Character.isDigit(text.strip().charAt(0))
                || text.strip().startsWith("-")) {
            return ByteSize.parse(text);
        }
        String nearest =
                Suggestion.note(text, Card.labels()).map(note -> "; " + note).orElse("");
        throw new IllegalArgumentException(
                "'" + Excerpt.of(text) + "' is neither a size such as 6GiB nor a known device" + nearest + " (devices: "
                        + String.join(", ", Card.labels()) + "; " + CONTAINER + " is what is left here)");
    }
}
