package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.builtin.Arguments;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.SemanticError;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.training.Optimizer;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.SgdUpdate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SequencedMap;

/** The optimizers of {@code train { optimizer … }}, with PyTorch's arguments and defaults. */
public final class Optimizers {
    private static final String COMMON = ", clip_norm: float = none";
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
        table.put("adam", Signature.of(ADAM + "0.0" + COMMON));
        table.put("adamw", Signature.of(ADAM + "0.01" + COMMON));
        return table;
    }

    /** An optimizer, its learning rate before the schedule, and the largest norm of the gradients. */
    record Chosen(Optimizer optimizer, double rate, OptionalDouble clipNorm) {}

    static Chosen read(SettingReader reader, Setting setting) {
        SettingReader.Choice choice = reader.choice(setting, table());
        return reader.about(choice, () -> chosen(choice.name(), choice.arguments()));
    }

    private static Chosen chosen(String name, Arguments args) {
        double rate = args.real("lr");
        double decay = args.real("weight_decay");
        OptionalDouble clip =
                args.isGiven("clip_norm") ? OptionalDouble.of(args.real("clip_norm")) : OptionalDouble.empty();
        if (!(rate >= 0) || Double.isInfinite(rate)) {
            throw new SemanticError("E0402", "lr must be finite and not negative, and is " + rate);
        }
        if (clip.isPresent() && (!(clip.getAsDouble() > 0) || Double.isInfinite(clip.getAsDouble()))) {
            throw new SemanticError("E0402", "clip_norm must be finite and positive, and is " + clip.getAsDouble());
        }
        if (!name.equals("sgd")) {
            List<Datum> betas = args.isGiven("betas")
                    ? args.items("betas")
                    : List.of(new Datum.FloatValue(0.9), new Datum.FloatValue(0.999));
            if (betas.size() != 2 || !betas.stream().allMatch(Numbers::isNumber)) {
                throw new SemanticError("E0402", "betas are two numbers");
            }
            boolean decoupled = name.equals("adamw");
            double beta1 = Numbers.real(betas.get(0));
            double beta2 = Numbers.real(betas.get(1));
            AdamUpdate valid = new AdamUpdate(beta1, beta2, args.real("eps"), decay, decoupled, clip.isPresent());
            return new Chosen(
                    new Optimizer.Adam(valid.beta1(), valid.beta2(), valid.epsilon(), decay, decoupled), rate, clip);
        }
        SgdUpdate valid = new SgdUpdate(
                args.real("momentum"), args.real("dampening"), args.flag("nesterov"), decay, clip.isPresent());
        return new Chosen(new Optimizer.Sgd(valid.momentum(), valid.dampening(), valid.nesterov(), decay), rate, clip);
    }
}
