package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.builtin.Signature;
import dev.remat.compiler.training.Average;
import dev.remat.compiler.training.ParameterPattern;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/** The averages of {@code train { average … }}. */
public final class Averages {
    private Averages() {}

    /** Signatures by name. */
    public static SequencedMap<String, Signature> table() {
        SequencedMap<String, Signature> table = new LinkedHashMap<>();
        table.put("ema", Signature.of("decay: float = 0.999, warmup: bool = false"));
        return table;
    }

    static Average read(SettingReader reader, Setting setting, ParameterPatterns patterns) {
        SettingReader.Choice choice = reader.choice(setting, table());
        Optional<Setting> parameters = setting.details()
                .flatMap(details -> SettingTable.of(reader, details, SettingTable.Kind.AVERAGE)
                        .find("parameters"));
        List<ParameterPattern> covered = parameters.map(patterns::read).orElse(List.of(ParameterPattern.ALL));
        return reader.about(
                choice,
                () -> new Average(
                        choice.arguments().real("decay"), choice.arguments().flag("warmup"), covered));
    }
}
