package dev.remat.tests.ptx;

import java.util.List;
import java.util.SequencedMap;

/**
 * A kernel.
 *
 * @param parameters their names and types, in order
 * @param registers of each lane
 * @param shared where static arrays begin, by name; the dynamic one lies behind them
 * @param staticBytes of shared memory
 */
public record PtxKernel(
        String name,
        SequencedMap<String, PtxType> parameters,
        int registers,
        SequencedMap<String, Integer> shared,
        int staticBytes,
        List<PtxInstruction> instructions) {
    public PtxKernel {
        instructions = List.copyOf(instructions);
    }
}
