package dev.remat.cli.option;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.portfolio.Strategies;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A strategy by its name. */
public final class StrategyConverter implements ITypeConverter<Planner> {
    @Override
    public Planner convert(String name) {
        try {
            return Strategies.named(name);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
