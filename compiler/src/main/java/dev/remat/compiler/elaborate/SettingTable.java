package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.ast.SettingBlock;
import dev.remat.compiler.error.Suggestion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The settings of one block by name. */
final class SettingTable {
    /** What a block may hold. */
    enum Kind {
        TRAIN(
                List.of(
                        "minimize",
                        "optimizer",
                        "schedule",
                        "group",
                        "freeze",
                        "average",
                        "precision",
                        "loss_scale",
                        "micro_batches",
                        "sums",
                        "gradients",
                        "seed"),
                List.of("minimize", "group", "freeze")),
        LOSS(List.of("parameters", "optimizer", "schedule", "group"), List.of("group")),
        AVERAGE(List.of("parameters"), List.of()),
        GROUP(List.of("optimizer", "schedule"), List.of());

        private final List<String> names;
        private final List<String> repeated;

        Kind(List<String> names, List<String> repeated) {
            this.names = names;
            this.repeated = repeated;
        }

        /** All that any of them may hold, each once. */
        static List<String> names() {
            return Arrays.stream(values())
                    .flatMap(kind -> kind.names.stream())
                    .distinct()
                    .toList();
        }
    }

    private static final List<String> WITH_DETAILS = List.of("minimize", "group", "average");

    private final Map<String, List<Setting>> settings = new LinkedHashMap<>();

    private SettingTable() {}

    static SettingTable empty() {
        return new SettingTable();
    }

    /** Reports settings that are unknown, there twice or without their value, and leaves them out. */
    static SettingTable of(SettingReader reader, SettingBlock block, Kind kind) {
        SettingTable table = new SettingTable();
        for (Setting setting : block.settings()) {
            reader.attempt(() -> table.add(reader, setting, kind));
        }
        return table;
    }

    private Setting add(SettingReader reader, Setting setting, Kind kind) {
        Identifier name = setting.name();
        if (!kind.names.contains(name.text())) {
            throw reader.failure(
                    name,
                    "unknown setting '" + name + "'",
                    Suggestion.note(name.text(), kind.names).orElse("there are " + String.join(", ", kind.names)));
        }
        if (settings.containsKey(name.text()) && !kind.repeated.contains(name.text())) {
            throw reader.failure(name, "'" + name + "' is set twice");
        }
        if (setting.value().isEmpty()) {
            throw reader.failure(name, "'" + name + "' misses its value");
        }
        if (setting.details().isPresent() && !WITH_DETAILS.contains(name.text())) {
            throw reader.failure(name, "'" + name + "' has no settings of its own");
        }
        settings.computeIfAbsent(name.text(), key -> new ArrayList<>()).add(setting);
        return setting;
    }

    Optional<Setting> find(String name) {
        return all(name).stream().findFirst();
    }

    /** Those of a setting that may be repeated, in their order. */
    List<Setting> all(String name) {
        return settings.getOrDefault(name, List.of());
    }
}
