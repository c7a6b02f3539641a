package dev.remat.compiler.trace;

import dev.remat.ir.diagnostic.Location;
import java.util.List;

/**
 * A line of the program after a pass. Values stand under their names, which passes keep, so that what a pass leaves
 * alone has the same line before and after it.
 *
 * @param form the text with a {@link #GAP} for each part; equal layers have equal forms
 * @param parts names of values, and numbers, in their order
 * @param name of the value that it is about: of a recomputation that of its original; empty for none
 * @param location of the model line that it comes from
 */
public record IrLine(String form, List<String> parts, String name, Location location) {
    /** Stands in forms where a part goes. */
    public static final char GAP = '\u0001';

    public IrLine {
        parts = List.copyOf(parts);
    }

    public String text() {
        StringBuilder text = new StringBuilder();
        int part = 0;
        for (int i = 0; i < form.length(); i++) {
            if (form.charAt(i) == GAP) {
                text.append(parts.get(part++));
            } else {
                text.append(form.charAt(i));
            }
        }
        return text.toString();
    }
}
