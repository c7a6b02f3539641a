package dev.remat.codegen.cuda.predict;

import dev.remat.codegen.cuda.sass.ControlFlow;
import dev.remat.codegen.cuda.sass.ExecutedPath;
import dev.remat.codegen.cuda.sass.Instruction;
import dev.remat.codegen.cuda.sass.Loop;
import dev.remat.codegen.cuda.sass.Opcode;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.artifact.Launch;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A kernel with its machine code, and what a multiprocessor of sm_90 has room for. */
final class CompiledKernel {
    private static final int REGISTERS = 65_536;
    /** Registers are handed to warps in pieces of so many a thread. */
    private static final int REGISTER_UNIT = 8;

    private static final int WARPS = 64;
    private static final int BLOCKS = 32;
    private static final int SHARED_BYTES = 228 << 10;
    /** Of each block, for the driver. */
    private static final int RESERVED_BYTES = 1 << 10;

    private final KernelEntry entry;
    private final KernelUsage usage;
    private final ControlFlow flow;
    /** Innermost loops that load from global memory. */
    private final List<Loop> loading;

    private final Map<Loop, ExecutedPath> longestRounds = new LinkedHashMap<>();
    private final Map<Loop, ExecutedPath> shortestRounds = new LinkedHashMap<>();
    private final Map<Double, ExecutedPath> paths = new LinkedHashMap<>();

    CompiledKernel(KernelEntry entry, KernelUsage usage, ControlFlow flow) {
        this.entry = entry;
        this.usage = usage;
        this.flow = flow;
        this.loading = flow.innermost(Opcode.LDG);
    }

    KernelEntry entry() {
        return entry;
    }

    ControlFlow flow() {
        return flow;
    }

    List<Loop> loading() {
        return loading;
    }

    static long warps(Launch launch) {
        return Math.ceilDiv(launch.block().count(), (long) SassModel.WARP);
    }

    /** Blocks that run on a multiprocessor at once. */
    long resident(Launch launch) {
        long warps = warps(launch);
        long perThread = Math.max(1, Math.ceilDiv(usage.registers(), (long) REGISTER_UNIT)) * REGISTER_UNIT;
        long byRegisters = REGISTERS / (perThread * SassModel.WARP * warps);
        long byShared = SHARED_BYTES / ((long) usage.sharedBytes() + launch.sharedBytes() + RESERVED_BYTES);
        return Math.max(1, Math.min(Math.min(byRegisters, byShared), Math.min(WARPS / warps, BLOCKS)));
    }

    List<Instruction> code(Loop loop) {
        return flow.code().subList(loop.first(), loop.end());
    }

    long count(Loop loop, Opcode opcode) {
        return code(loop).stream().filter(i -> i.opcode() == opcode).count();
    }

    /** Bytes that each thread moves by instructions of one kind in a round of the loop. */
    long bytes(Loop loop, Opcode opcode) {
        return code(loop).stream()
                .filter(i -> i.opcode() == opcode)
                .mapToLong(Instruction::bytes)
                .sum();
    }

    /** The innermost loop with most instructions of a kind; empty where no loop has any. */
    Optional<Loop> loopOf(Opcode opcode) {
        Loop most = null;
        for (Loop loop : flow.innermost(opcode)) {
            if (count(loop, opcode) > (most == null ? 0 : count(most, opcode))) {
                most = loop;
            }
        }
        return Optional.ofNullable(most);
    }

    /** The loop with most products of tensor cores, else of threads, if there is any. */
    Optional<Loop> multiplying() {
        return loopOf(Opcode.HGMMA)
                .or(() -> loopOf(Opcode.HMMA))
                .or(() -> loopOf(Opcode.FFMA))
                .or(() -> loopOf(Opcode.DFMA));
    }

    /** Multiplications with an addition in one round of {@link #multiplying} by all threads of a block. */
    double products(Loop loop, Launch launch) {
        Opcode opcode = Stream.of(Opcode.HGMMA, Opcode.HMMA, Opcode.FFMA)
                .filter(each -> count(loop, each) > 0)
                .findFirst()
                .orElse(Opcode.DFMA);
        double each = count(loop, opcode) * opcode.flops() / 2.0;
        return each * (opcode.isOfWarp() ? warps(launch) : launch.block().count());
    }

    /** What a warp executes at most in a round of a loop; in loops inside, one round. */
    ExecutedPath longestRound(Loop loop) {
        return longestRounds.computeIfAbsent(loop, _ -> ExecutedPath.longest(flow, loop, _ -> 1));
    }

    /** What a warp executes at least. */
    ExecutedPath shortestRound(Loop loop) {
        return shortestRounds.computeIfAbsent(loop, _ -> ExecutedPath.shortest(flow, loop));
    }

    /** What a warp executes at most in the whole kernel, with so many rounds of loops that load and one of others. */
    ExecutedPath path(double rounds) {
        return paths.computeIfAbsent(
                rounds, _ -> ExecutedPath.longest(flow, loop -> loading.contains(loop) ? rounds : 1));
    }
}
