package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;
import java.util.List;

/** Settings in curly brackets: those of {@code train}, of a loss, of a group of parameters. */
public record SettingBlock(List<Setting> settings, Location end) {
    public SettingBlock {
        settings = List.copyOf(settings);
    }
}
