package dev.remat.compiler.builtin;

import dev.remat.ir.Initializer;
import java.util.List;
import java.util.Optional;

/** Initialisers of parameters; {@code zeros} and {@code ones} are written without arguments. */
public final class Initials {
    private Initials() {}

    public static List<Builtin> table() {
        return List.of(
                Builtin.function(
                        "constant",
                        "value: float",
                        "Initialiser: every element is `value`.",
                        (args, out) -> start(new Initial.Fixed(new Initializer.Constant(args.finite("value"))))),
                Builtin.function(
                        "normal",
                        "std: float = 1.0, mean: float = 0.0",
                        "Initialiser: Gaussian.",
                        (args, out) -> start(new Initial.Fixed(
                                new Initializer.Normal(args.finite("mean"), notNegative("std", args.finite("std")))))),
                Builtin.function(
                        "uniform",
                        "low: float = 0.0, high: float = 1.0",
                        "Initialiser: uniform on [`low`, `high`).",
                        (args, out) -> uniform(args.finite("low"), args.finite("high"))),
                Builtin.function(
                        "xavier_uniform",
                        "gain: float = 1.0",
                        "Initialiser: uniform with variance `gain²·2/(fan_in + fan_out)` (Glorot and Bengio, 2010).",
                        (args, out) -> start(new Initial.Scaled(args.finite("gain"), Initial.Fan.BOTH, true))),
                Builtin.function(
                        "xavier_normal",
                        "gain: float = 1.0",
                        "Initialiser: Gaussian with variance `gain²·2/(fan_in + fan_out)`.",
                        (args, out) -> start(new Initial.Scaled(args.finite("gain"), Initial.Fan.BOTH, false))),
                Builtin.function(
                        "kaiming_uniform",
                        "gain: float = 1.4142135623730951, mode: string = \"fan_in\"",
                        "Initialiser: uniform with variance `gain²/fan` (He et al., 2015); `mode` is `\"fan_in\"` or "
                                + "`\"fan_out\"`.",
                        (args, out) -> start(new Initial.Scaled(args.finite("gain"), fan(args.text("mode")), true))),
                Builtin.function(
                        "kaiming_normal",
                        "gain: float = 1.4142135623730951, mode: string = \"fan_in\"",
                        "Initialiser: Gaussian with variance `gain²/fan`.",
                        (args, out) -> start(new Initial.Scaled(args.finite("gain"), fan(args.text("mode")), false))));
    }

    /** PyTorch's default for weights of linear and convolution layers: uniform on ±1/√fan_in. */
    public static Initial weight() {
        return new Initial.Scaled(1 / Math.sqrt(3), Initial.Fan.IN, true);
    }

    /** Uniform on ±{@code bound}. */
    public static Initial within(double bound) {
        return new Initial.Fixed(new Initializer.Uniform(-bound, bound));
    }

    /** The functions {@code zeros} and {@code ones} where an initialiser is wanted. */
    static Optional<Initial> ofName(Datum datum) {
        return switch (datum) {
            case Datum.Function f when f.name().equals("zeros") -> Optional.of(Initial.ZEROS);
            case Datum.Function f when f.name().equals("ones") -> Optional.of(Initial.ONES);
            case Datum other -> Optional.empty();
        };
    }

    private static Datum start(Initial initial) {
        return new Datum.InitializerValue(initial);
    }

    private static Datum uniform(double low, double high) {
        if (low > high) {
            throw new SemanticError("E0306", "uniform from " + low + " to " + high + " is empty");
        }
        return start(new Initial.Fixed(new Initializer.Uniform(low, high)));
    }

    private static double notNegative(String name, double value) {
        if (value < 0) {
            throw new SemanticError("E0306", "'" + name + "' is negative: " + value);
        }
        return value;
    }

    private static Initial.Fan fan(String mode) {
        return switch (mode) {
            case "fan_in" -> Initial.Fan.IN;
            case "fan_out" -> Initial.Fan.OUT;
            default -> throw new SemanticError("E0306", "mode \"" + mode + "\" is neither \"fan_in\" nor \"fan_out\"");
        };
    }
}
