package dev.remat.cli;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How long to search, as users write it. */
final class EffortConverter implements ITypeConverter<Effort> {
    @Override
    public Effort convert(String text) {
        for (Effort effort : Effort.values()) {
            if (effort.name().toLowerCase(Locale.ROOT).equals(text)) {
                return effort;
            }
        }
        throw new TypeConversionException("'" + text + "' is neither quick nor full");
    }
}
