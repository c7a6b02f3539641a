package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.builtin.Datum;
import dev.remat.compiler.builtin.Numbers;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.training.LossScaling;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** The scales of {@code train { loss_scale … }}, with the arguments and defaults of PyTorch's GradScaler. */
public final class LossScales {
    private LossScales() {}

    /** Signatures by name. */
    public static SequencedMap<String, Signature> table() {
        SequencedMap<String, Signature> table = new LinkedHashMap<>();
        table.put(
                "dynamic",
                Signature.of("init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5, "
                        + "growth_interval: int = 2000"));
        return table;
    }

    static LossScaling read(SettingReader reader, Setting setting) {
        Expression expression = SettingReader.expression(setting);
        Expression head = expression instanceof Expression.Call call ? call.callee() : expression;
        if (head instanceof Expression.Name name && table().containsKey(name.text())) {
            SettingReader.Choice choice = reader.choice(setting, table());
            return reader.about(
                    choice,
                    () -> new LossScaling.Dynamic(
                            choice.arguments().real("init_scale"),
                            choice.arguments().real("growth_factor"),
                            choice.arguments().real("backoff_factor"),
                            choice.arguments().integer("growth_interval")));
        }
        Datum value = reader.value(setting);
        if (Numbers.isNumber(value)) {
            return reader.about(expression, () -> new LossScaling.Static(Numbers.real(value)));
        }
        if (value instanceof Datum.None) {
            return new LossScaling.None();
        }
        throw reader.failure(expression, "loss_scale is dynamic, a number or none");
    }
}
