package dev.remat.cli.option;

import dev.remat.compiler.plan.PlannerOptions.Effort;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How long to search for a plan. */
public final class EffortOption {
    @Option(
            names = "--effort",
            paramLabel = "quick|normal|full",
            converter = Converter.class,
            description = "How much work the search for a plan may take: quick for questions that are asked many times,"
                    + " normal for some seconds at a thousand nodes, full for about half a minute, which also proves"
                    + " more. Default: ${DEFAULT-VALUE}.")
    private Effort effort;

    /** @param effort where the user asks for none */
    public EffortOption(Effort effort) {
        this.effort = effort;
    }

    public Effort effort() {
        return effort;
    }

    /** For picocli. */
    static final class Converter implements ITypeConverter<Effort> {
        @Override
        public Effort convert(String text) {
            for (Effort effort : Effort.values()) {
                if (effort.toString().equals(text)) {
                    return effort;
                }
            }
            throw new TypeConversionException("'" + text + "' is none of quick, normal and full");
        }
    }
}
