package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.training.GradientClip;
import dev.remat.compiler.training.Optimizer;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.op.AdafactorUpdate;
import dev.remat.ir.op.AdagradUpdate;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.AdamVariantUpdate;
import dev.remat.ir.op.AdamVariantUpdate.Kind;
import dev.remat.ir.op.LionUpdate;
import dev.remat.ir.op.RmsPropUpdate;
import dev.remat.ir.op.SgdUpdate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/** The optimizers of {@code train { optimizer … }}, with PyTorch's arguments and defaults. */
public final class Optimizers {
    private static final String CLIP_NORM = "clip_norm";
    private static final String COMMON = ", " + CLIP_NORM + ": float = none";
    private static final String ADAM =
            "lr: float = 0.001, betas: list = none, eps: float = 1e-08, weight_decay: float = ";

    private Optimizers() {}

    /** Signatures by name. */
    public static SequencedMap<String, Signature> table() {
        SequencedMap<String, Signature> table = new LinkedHashMap<>();
        table.put(
                "sgd",
                Signature.of("lr: float, momentum: float = 0.0, dampening: float = 0.0, nesterov: bool = false, "
                        + "weight_decay: float = 0.0" + COMMON));
        table.put("adam", Signature.of(ADAM + "0.0, amsgrad: bool = false" + COMMON));
        table.put("adamw", Signature.of(ADAM + "0.01, amsgrad: bool = false" + COMMON));
        table.put(
                "nadam",
                Signature.of("lr: float = 0.002, betas: list = none, eps: float = 1e-08, weight_decay: float = 0.0, "
                        + "momentum_decay: float = 0.004, decoupled_weight_decay: bool = false" + COMMON));
        table.put("radam", Signature.of(ADAM + "0.0, decoupled_weight_decay: bool = false" + COMMON));
        table.put(
                "adamax",
                Signature.of("lr: float = 0.002, betas: list = none, eps: float = 1e-08, " + "weight_decay: float = 0.0"
                        + COMMON));
        table.put("lion", Signature.of("lr: float = 0.0001, betas: list = none, weight_decay: float = 0.0" + COMMON));
        table.put(
                "rmsprop",
                Signature.of("lr: float = 0.01, alpha: float = 0.99, eps: float = 1e-08, weight_decay: float = 0.0, "
                        + "momentum: float = 0.0, centered: bool = false" + COMMON));
        table.put(
                "adagrad",
                Signature.of("lr: float = 0.01, lr_decay: float = 0.0, weight_decay: float = 0.0, "
                        + "initial_accumulator_value: float = 0.0, eps: float = 1e-10" + COMMON));
        table.put(
                "adafactor",
                Signature.of("lr: float = 0.01, beta2_decay: float = -0.8, eps: list = none, d: float = 1.0, "
                        + "weight_decay: float = 0.0" + COMMON));
        return table;
    }

    /** An optimizer, its learning rate before the schedule, and what bounds the gradients. */
    record Chosen(Optimizer optimizer, double rate, Optional<GradientClip> clip) {}

    static Chosen read(SettingReader reader, Setting setting) {
        SettingReader.Choice choice = reader.choice(setting, table());
        Location clipped =
                argument(SettingReader.expression(setting), CLIP_NORM).orElse(choice.location());
        return reader.about(choice, () -> chosen(choice.name(), choice.arguments(), clipped));
    }

    private static Optional<Location> argument(Expression expression, String name) {
        return expression instanceof Expression.Call call
                ? call.arguments().stream()
                        .flatMap(argument -> argument.name().stream())
                        .filter(written -> written.text().equals(name))
                        .map(Identifier::location)
                        .findFirst()
                : Optional.empty();
    }

    /** @param clipped where {@code clip_norm} is, if it is given */
    private static Chosen chosen(String name, Arguments args, Location clipped) {
        double rate = args.real("lr");
        Optional<GradientClip> clip = args.isGiven(CLIP_NORM)
                ? Optional.of(new GradientClip(args.real(CLIP_NORM), clipped))
                : Optional.empty();
        if (!(rate >= 0) || Double.isInfinite(rate)) {
            throw new SemanticError("E0402", "lr must be finite and not negative, and is " + rate);
        }
        double norm = clip.map(GradientClip::norm).orElse(1.0);
        if (!(norm > 0) || Double.isInfinite(norm)) {
            throw new SemanticError("E0402", "clip_norm must be finite and positive, and is " + norm);
        }
        double decay = args.real("weight_decay");
        Optimizer optimizer = switch (name) {
            case "sgd" -> sgd(args, decay);
            case "adam" -> adam(args, decay, false);
            case "adamw" -> adam(args, decay, true);
            case "nadam" -> variant(Kind.NADAM, args, decay, args.flag("decoupled_weight_decay"));
            case "radam" -> variant(Kind.RADAM, args, decay, args.flag("decoupled_weight_decay"));
            case "adamax" -> variant(Kind.ADAMAX, args, decay, false);
            case "lion" -> lion(args, decay);
            case "rmsprop" -> rmsProp(args, decay);
            case "adagrad" -> adagrad(args, decay);
            case "adafactor" -> adafactor(args, decay);
            default -> throw new IllegalStateException(name);
        };
        return new Chosen(optimizer, rate, clip);
    }

    private static Optimizer sgd(Arguments args, double decay) {
        SgdUpdate valid =
                new SgdUpdate(args.real("momentum"), args.real("dampening"), args.flag("nesterov"), decay, false);
        return new Optimizer.Sgd(valid.momentum(), valid.dampening(), valid.nesterov(), decay);
    }

    private static Optimizer adam(Arguments args, double decay, boolean decoupled) {
        if (args.flag("amsgrad")) {
            return variant(Kind.AMSGRAD, args, decay, decoupled);
        }
        double[] betas = betas(args, 0.9, 0.999);
        AdamUpdate valid = new AdamUpdate(betas[0], betas[1], args.real("eps"), decay, decoupled, false);
        return new Optimizer.Adam(valid.beta1(), valid.beta2(), valid.epsilon(), decay, decoupled);
    }

    private static Optimizer variant(Kind kind, Arguments args, double decay, boolean decoupled) {
        double[] betas = betas(args, 0.9, 0.999);
        AdamVariantUpdate valid =
                new AdamVariantUpdate(kind, betas[0], betas[1], args.real("eps"), decay, decoupled, false);
        double momentumDecay = kind == Kind.NADAM ? args.real("momentum_decay") : 0;
        require(
                momentumDecay >= 0 && momentumDecay < Double.POSITIVE_INFINITY,
                "momentum_decay must be finite and not negative, and is " + momentumDecay);
        return new Optimizer.AdamVariant(
                kind, valid.beta1(), valid.beta2(), valid.epsilon(), decay, decoupled, momentumDecay);
    }

    private static Optimizer lion(Arguments args, double decay) {
        double[] betas = betas(args, 0.9, 0.99);
        LionUpdate valid = new LionUpdate(betas[0], betas[1], decay, false);
        return new Optimizer.Lion(valid.beta1(), valid.beta2(), decay);
    }

    private static Optimizer rmsProp(Arguments args, double decay) {
        RmsPropUpdate valid = new RmsPropUpdate(
                args.real("alpha"), args.real("eps"), decay, args.real("momentum"), args.flag("centered"), false);
        return new Optimizer.RmsProp(valid.alpha(), valid.epsilon(), decay, valid.momentum(), valid.centered());
    }

    private static Optimizer adagrad(Arguments args, double decay) {
        AdagradUpdate valid = new AdagradUpdate(args.real("lr_decay"), args.real("eps"), decay, false);
        double initial = args.real("initial_accumulator_value");
        if (!(initial >= 0) || Double.isInfinite(initial)) {
            throw new SemanticError(
                    "E0402", "initial_accumulator_value must be finite and not negative, and is " + initial);
        }
        return new Optimizer.Adagrad(valid.rateDecay(), decay, initial, valid.epsilon());
    }

    private static Optimizer adafactor(Arguments args, double decay) {
        List<Datum> eps =
                args.isGiven("eps") ? args.items("eps") : List.of(new Datum.None(), new Datum.FloatValue(1e-3));
        boolean pair = eps.size() == 2
                && (eps.get(0) instanceof Datum.None || Numbers.isNumber(eps.get(0)))
                && Numbers.isNumber(eps.get(1));
        require(pair, "eps are two numbers, or none and a number");
        OptionalDouble epsilon =
                eps.get(0) instanceof Datum.None ? OptionalDouble.empty() : OptionalDouble.of(Numbers.real(eps.get(0)));
        double leastSize = Numbers.real(eps.get(1));
        double power = args.real("beta2_decay");
        double threshold = args.real("d");
        require(
                power <= 0 && power > Double.NEGATIVE_INFINITY,
                "beta2_decay must be finite and not positive, and is " + power);
        require(leastSize >= 0 && leastSize < Double.POSITIVE_INFINITY, "eps must be finite and not negative");
        require(
                threshold >= 1 && threshold < Double.POSITIVE_INFINITY,
                "d must be finite and 1 or more, and is " + threshold);
        AdafactorUpdate valid = new AdafactorUpdate(epsilon.orElse(0), decay, true, false);
        return new Optimizer.Adafactor(power, epsilon, leastSize, threshold, valid.weightDecay());
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new SemanticError("E0402", message);
        }
    }

    private static double[] betas(Arguments args, double first, double second) {
        if (!args.isGiven("betas")) {
            return new double[] {first, second};
        }
        List<Datum> betas = args.items("betas");
        if (betas.size() != 2 || !betas.stream().allMatch(Numbers::isNumber)) {
            throw new SemanticError("E0402", "betas are two numbers");
        }
        return new double[] {Numbers.real(betas.get(0)), Numbers.real(betas.get(1))};
    }
}
