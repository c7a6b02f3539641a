package dev.remat.ir.op;

import static dev.remat.ir.op.Types.f32;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.BatchRole.Alike;
import dev.remat.ir.op.BatchRole.Free;
import dev.remat.ir.op.BatchRole.Mean;
import dev.remat.ir.op.BatchRole.Own;
import dev.remat.ir.op.BatchRole.Rows;
import dev.remat.ir.op.BatchRole.Sum;
import java.util.List;
import java.util.OptionalInt;

/** What an operation makes of operands: roles, or a reason against them and the operand whose mean it is about. */
record BatchCase(Op op, List<In> operands, List<BatchRole> roles, String reason, OptionalInt mean) {
    static final Dim BATCH = Dim.symbol("B");
    static final Free FREE = new Free();
    static final Mean MEAN = new Mean();
    static final Own OWN = new Own();
    static final Sum SUM = new Sum();
    static final Rows ROWS = new Rows(0, Dim.ONE);
    static final Alike ALIKE = new Alike(0);

    /** An operand. */
    record In(BatchRole role, TensorType type) {}

    BatchOperands given() {
        List<TensorType> types = operands.stream().map(In::type).toList();
        return new BatchOperands(BATCH, operands.stream().map(In::role).toList(), types, op.infer(types));
    }

    @Override
    public String toString() {
        return op.mnemonic() + op.attributes() + operands;
    }

    static In rows(Object... extents) {
        return new In(ROWS, f32(extents));
    }

    static In rows(Rows role, Object... extents) {
        return new In(role, f32(extents));
    }

    static In alike(int axis, Object... extents) {
        return new In(new Alike(axis), f32(extents));
    }

    static In free(Object... extents) {
        return new In(FREE, f32(extents));
    }

    static In mean(Object... extents) {
        return new In(MEAN, f32(extents));
    }

    static In own(Object... extents) {
        return new In(OWN, f32(extents));
    }

    static In seed() {
        return new In(FREE, TensorType.SEED);
    }

    static Rows at(int axis, String outer) {
        return new Rows(axis, Dim.parse(outer));
    }

    static List<In> on(In... operands) {
        return List.of(operands);
    }

    static BatchCase gives(Op op, List<In> operands, BatchRole... roles) {
        return new BatchCase(op, operands, List.of(roles), "", OptionalInt.empty());
    }

    static BatchCase refuses(Op op, List<In> operands, String reason) {
        return new BatchCase(op, operands, List.of(), reason, OptionalInt.empty());
    }

    static BatchCase refusesMean(Op op, List<In> operands, String reason, int mean) {
        return new BatchCase(op, operands, List.of(), reason, OptionalInt.of(mean));
    }
}
