package dev.remat.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Which model, with which values for its symbols and hyper-parameters. */
final class ModelOptions {
    @CommandLine.Spec(CommandLine.Spec.Target.MIXEE)
    private CommandLine.Model.CommandSpec command;

    @Parameters(paramLabel = "MODEL", description = "A model file.")
    private Path file;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            split = ",",
            converter = Binding.Converter.class,
            description = "Bind a symbol or override a hyper-parameter; repeat the option or separate by commas.")
    private List<Binding> bindings = new ArrayList<>();

    Path file() {
        return file;
    }

    /** In the order given. */
    Map<String, String> bindings() {
        Map<String, String> values = new LinkedHashMap<>();
        for (Binding binding : bindings) {
            if (values.put(binding.name(), binding.value()) != null) {
                throw new ParameterException(command.commandLine(), "--set gives " + binding.name() + " twice");
            }
        }
        return values;
    }
}
