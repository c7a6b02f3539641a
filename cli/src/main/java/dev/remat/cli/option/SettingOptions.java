package dev.remat.cli.option;

import dev.remat.compiler.elaborate.Bindings;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Values for a model's symbols and hyper-parameters, and its precision. */
public final class SettingOptions {
    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "Bind a symbol or override a hyper-parameter; repeat the option or separate by commas.")
    private List<String> settings = new ArrayList<>();

    @Option(
            names = "--precision",
            paramLabel = "DTYPE",
            converter = PrecisionConverter.class,
            description = "Dtype of activations instead of the model's: f32, bf16 or f16, with parameters in f32;"
                    + " or f64 for everything.")
    private DType precision;

    /** @throws dev.remat.ir.diagnostic.ModelException if a setting is malformed or stands there twice */
    public ModelSettings settings() {
        ModelSettings set = ModelSettings.of(Bindings.parse(settings));
        return precision().map(set::withPrecision).orElse(set);
    }

    /** Empty: the model's own. */
    Optional<DType> precision() {
        return Optional.ofNullable(precision);
    }
}
