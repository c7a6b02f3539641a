package dev.remat.compiler.trace;

import java.util.List;

/**
 * The program after a pass.
 *
 * @param name as pass files name it
 */
public record IrPass(String name, List<IrLine> lines) {
    public IrPass {
        lines = List.copyOf(lines);
    }
}
