package dev.remat.cli.option.data;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.io.FloatRange;
import dev.remat.runtime.io.SyntheticDataset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** What synthetic data is like. */
public final class RangeOptions extends CheckedOptions {
    @Option(
            names = "--range",
            paramLabel = "NAME=LOW..HIGH",
            split = ",",
            converter = Converter.class,
            description = "Where synthetic floats of an input lie, such as x=-1..1, instead of around 0 with variance"
                    + " 1; repeat the option or separate by commas.")
    private List<Named> ranges = new ArrayList<>();

    record Named(String input, FloatRange range) {}

    /** @throws ParameterException if there is a range */
    void refuse() {
        if (!ranges.isEmpty()) {
            throw misuse("--range is for --data synthetic");
        }
    }

    /** @throws ParameterException if there is a range of what is no input of floats */
    public void check(ElaboratedModel model) {
        Graph forward = model.forward();
        List<String> floats = forward.inputs().stream()
                .filter(input -> input.kind() == InputKind.DATA
                        && forward.type(input.value()).dtype().isFloat())
                .map(input -> forward.value(input.value()).name())
                .toList();
        for (Named each : ranges) {
            if (!floats.contains(each.input())) {
                throw misuse("--range names " + each.input() + ", which is no input of floats (there are: "
                        + (floats.isEmpty() ? "none" : String.join(", ", floats)) + ")");
            }
        }
    }

    public SyntheticDataset dataset() {
        Map<String, FloatRange> byInput = new LinkedHashMap<>();
        ranges.forEach(each -> byInput.put(each.input(), each.range()));
        return new SyntheticDataset(byInput);
    }

    /** For picocli. */
    static final class Converter implements ITypeConverter<Named> {
        @Override
        public Named convert(String text) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new TypeConversionException("'" + text + "' is not of the form NAME=LOW..HIGH");
            }
            try {
                return new Named(text.substring(0, equals).strip(), FloatRange.parse(text.substring(equals + 1)));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
