package dev.remat.cli.ranks;

import dev.remat.runtime.cpu.InstructionSet;
import dev.remat.runtime.process.ProcessGroup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Has ranks on unlike processors compute by the same kernels of libraries: those that all have. */
final class CommonKernels {
    private CommonKernels() {}

    /**
     * Imposes them, where any rank asks for that; before libraries are loaded.
     *
     * @param asked whether this one does
     */
    static void impose(ProcessGroup group, boolean asked) throws IOException {
        InstructionSet own = InstructionSet.ofThisMachine();
        List<byte[]> all = group.all(own.name().getBytes(StandardCharsets.US_ASCII));
        if (group.any(asked)) {
            InstructionSet.common(all.stream()
                            .map(name -> InstructionSet.valueOf(new String(name, StandardCharsets.US_ASCII)))
                            .toList())
                    .impose();
        }
    }
}
