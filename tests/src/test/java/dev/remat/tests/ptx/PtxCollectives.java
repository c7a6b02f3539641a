package dev.remat.tests.ptx;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;

/** Instructions that a warp's lanes carry out together. */
final class PtxCollectives {
    private static final int LANES = 32;

    private PtxCollectives() {}

    /** The lanes that an operation names, as those see it that are there. */
    static int lanes(PtxInstruction instruction, IntFunction<ToLongFunction<PtxOperand>> values, int active) {
        List<PtxOperand> operands = instruction.operands();
        PtxOperand mask = switch (instruction.opcode()) {
            case "shfl.sync.bfly.b32", "shfl.sync.up.b32", "shfl.sync.down.b32", "shfl.sync.idx.b32" -> operands.get(4);
            case "vote.sync.ballot.b32" -> operands.get(2);
            case "bar.warp.sync" -> operands.getFirst();
            default -> new PtxOperand.Immediate(-1);
        };
        int lane = Integer.numberOfTrailingZeros(active);
        return (int) values.apply(lane).applyAsLong(mask);
    }

    static void run(PtxInstruction instruction, PtxWarp warp, PtxMemory shared, int lanes) {
        List<PtxOperand> operands = instruction.operands();
        String opcode = instruction.opcode();
        if (opcode.equals("bar.warp.sync")) {
            return;
        }
        if (opcode.equals("vote.sync.ballot.b32")) {
            long votes = 0;
            for (int lane = 0; lane < LANES; lane++) {
                if ((lanes >> lane & 1) != 0 && warp.value(operands.get(1), lane) != 0) {
                    votes |= 1L << lane;
                }
            }
            for (int lane = 0; lane < LANES; lane++) {
                if ((lanes >> lane & 1) != 0) {
                    warp.put(operands.getFirst(), lane, votes);
                }
            }
        } else if (opcode.startsWith("shfl.sync.")) {
            shuffle(instruction, warp, lanes);
        } else if (lanes != -1) {
            throw new PtxException("takes a whole warp");
        } else if (opcode.startsWith("ldmatrix.")) {
            loadMatrices(instruction, warp, shared);
        } else if (opcode.startsWith("mma.")) {
            multiply(instruction, warp);
        } else if (opcode.startsWith("wgmma.mma_async.")) {
            multiplyShared(instruction, warp, shared);
        } else if (opcode.startsWith("wgmma.")) {
            expectOrdering(instruction);
        } else {
            throw PtxScalars.unknown(instruction);
        }
    }

    private static void shuffle(PtxInstruction instruction, PtxWarp warp, int lanes) {
        List<PtxOperand> operands = instruction.operands();
        long[] results = new long[LANES];
        boolean[] found = new boolean[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            if ((lanes >> lane & 1) == 0) {
                continue;
            }
            int by = (int) warp.value(operands.get(2), lane) & 31;
            int bounds = (int) warp.value(operands.get(3), lane);
            int segment = bounds >> 8 & 31;
            int most = lane & segment | bounds & 31 & ~segment;
            int source = switch (instruction.opcode()) {
                case "shfl.sync.bfly.b32" -> lane ^ by;
                case "shfl.sync.up.b32" -> lane - by;
                case "shfl.sync.down.b32" -> lane + by;
                case "shfl.sync.idx.b32" -> lane & segment | by & ~segment;
                default -> throw PtxScalars.unknown(instruction);
            };
            boolean up = instruction.opcode().equals("shfl.sync.up.b32");
            found[lane] = up ? source >= most : source <= most;
            int from = found[lane] ? source : lane;
            if ((lanes >> from & 1) == 0) {
                throw new PtxException("lane %d reads lane %d, which is not among them".formatted(lane, from));
            }
            results[lane] = warp.value(operands.get(1), from);
        }
        PtxOperand to = operands.getFirst();
        for (int lane = 0; lane < LANES; lane++) {
            if ((lanes >> lane & 1) != 0) {
                if (to instanceof PtxOperand.Group pair) {
                    warp.put(pair.members().getFirst(), lane, results[lane]);
                    warp.put(pair.members().getLast(), lane, found[lane] ? 1 : 0);
                } else {
                    warp.put(to, lane, results[lane]);
                }
            }
        }
    }

    private static void loadMatrices(PtxInstruction instruction, PtxWarp warp, PtxMemory shared) {
        if (!instruction.opcode().matches("ldmatrix\\.sync\\.aligned\\.m8n8\\.x[24](\\.trans)?\\.shared\\.b16")) {
            throw PtxScalars.unknown(instruction);
        }
        List<PtxOperand> to = ((PtxOperand.Group) instruction.operands().getFirst()).members();
        long[][] fragments = new long[to.size()][];
        for (int matrix = 0; matrix < to.size(); matrix++) {
            long[] rows = new long[8];
            for (int row = 0; row < 8; row++) {
                rows[row] = shared.at(warp.value(instruction.operands().get(1), 8 * matrix + row), 16);
            }
            fragments[matrix] = PtxMatrices.fragment(shared, rows, instruction.has("trans"));
        }
        for (int matrix = 0; matrix < to.size(); matrix++) {
            put(warp, to.get(matrix), fragments[matrix]);
        }
    }

    private static void multiply(PtxInstruction instruction, PtxWarp warp) {
        long[][] a = registers(warp, instruction.operands().get(1));
        long[][] b = registers(warp, instruction.operands().get(2));
        long[][] d = registers(warp, instruction.operands().get(3));
        switch (instruction.opcode()) {
            case "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" -> PtxMatrices.multiply16(a, b, d, true);
            case "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" -> PtxMatrices.multiply16(a, b, d, false);
            case "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" -> PtxMatrices.multiplyTf32(a, b, d);
            default -> throw PtxScalars.unknown(instruction);
        }
        List<PtxOperand> to = ((PtxOperand.Group) instruction.operands().getFirst()).members();
        for (int i = 0; i < to.size(); i++) {
            put(warp, to.get(i), d[i]);
        }
    }

    /** Products are there at once, which whoever waits for them as the manual asks cannot tell. */
    private static void expectOrdering(PtxInstruction instruction) {
        if (!List.of("wgmma.fence.sync.aligned", "wgmma.commit_group.sync.aligned", "wgmma.wait_group.sync.aligned")
                .contains(instruction.opcode())) {
            throw PtxScalars.unknown(instruction);
        }
    }

    private static void multiplyShared(PtxInstruction instruction, PtxWarp warp, PtxMemory shared) {
        boolean isBf16 = switch (instruction.opcode()) {
            case "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16" -> true;
            case "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16" -> false;
            default -> throw PtxScalars.unknown(instruction);
        };
        List<PtxOperand> operands = instruction.operands();
        long[] numbers =
                operands.stream().skip(1).mapToLong(of -> warp.value(of, 0)).toArray();
        if (numbers[2] == 0 || numbers[3] != 1 || numbers[4] != 1) {
            throw PtxScalars.unknown(instruction);
        }
        PtxPanels a = new PtxPanels(shared, numbers[0], numbers[5] != 0, isBf16);
        PtxPanels b = new PtxPanels(shared, numbers[1], numbers[6] != 0, isBf16);
        List<PtxOperand> sums = ((PtxOperand.Group) operands.getFirst()).members();
        int firstRow = 16 * warp.withinGroup();
        for (int i = 0; i < sums.size(); i++) {
            long[] results = new long[LANES];
            for (int lane = 0; lane < LANES; lane++) {
                int row = firstRow + lane / 4 + i / 2 % 2 * 8;
                int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
                double sum = Float.intBitsToFloat((int) warp.value(sums.get(i), lane));
                for (int k = 0; k < 16; k++) {
                    sum += a.term(row, k) * b.term(column, k);
                }
                results[lane] = PtxConversions.bits((float) sum);
            }
            put(warp, sums.get(i), results);
        }
    }

    private static long[][] registers(PtxWarp warp, PtxOperand group) {
        List<PtxOperand> members = ((PtxOperand.Group) group).members();
        long[][] values = new long[members.size()][LANES];
        for (int i = 0; i < members.size(); i++) {
            for (int lane = 0; lane < LANES; lane++) {
                values[i][lane] = warp.value(members.get(i), lane);
            }
        }
        return values;
    }

    private static void put(PtxWarp warp, PtxOperand to, long[] values) {
        for (int lane = 0; lane < LANES; lane++) {
            warp.put(to, lane, values[lane]);
        }
    }
}
