package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStepBuilder;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.Constant;
import java.util.List;

/**
 * A training step of two kernels written by hand: the loss is the inner product of x and w, then the rate times the
 * step's number times x is taken off w. Parameters of every type are among the kernels'.
 */
final class TinyProgram {
    private static final int ELEMENTS = 64;
    private static final long W = 0;
    private static final long X = 256;
    private static final long NUMBER = 512;
    private static final long LOSS = 768;

    private static final KernelSource INNER = kernel(
            "inner_1",
            """
            extern "C" __global__ void inner_1(const float* w, const float* x, double* loss, u32 n, const float* none) {
                __shared__ double products[64];
                u32 i = threadIdx.x;
                products[i] = none == nullptr && i < n ? double(w[i]) * x[i] : 0;
                __syncthreads();
                if (i == 0) {
                    double sum = 0;
                    for (u32 j = 0; j < 64; ++j) {
                        sum += products[j];
                    }
                    *loss = sum;
                }
            }
            """,
            ParameterType.POINTER,
            ParameterType.POINTER,
            ParameterType.POINTER,
            ParameterType.U32,
            ParameterType.POINTER);
    private static final KernelSource DESCEND = kernel(
            "descend_2",
            """
            extern "C" __global__ void descend_2(float* w, const float* x, const i64* number, float rate, double scale,
                                                 i64 zero, u64 n, i32 minus) {
                REMAT_SHARED(raw);
                float* copy = reinterpret_cast<float*>(raw);
                u32 i = blockIdx.x * blockDim.x + threadIdx.x;
                if (i < n) {
                    copy[threadIdx.x] = x[i];
                    w[i] += float(minus) * rate * float(*number) * copy[threadIdx.x] * float(scale) + float(zero);
                }
            }
            """,
            ParameterType.POINTER,
            ParameterType.POINTER,
            ParameterType.POINTER,
            ParameterType.F32,
            ParameterType.F64,
            ParameterType.I64,
            ParameterType.U64,
            ParameterType.I32);

    static final ExecutionPlan PLAN = new ExecutionPlan(
            "Tiny \"β\"",
            "ab12",
            "sm_80",
            5,
            1024,
            List.of(
                    input(0, "w", TensorType.of(DType.F32, ELEMENTS), InputKind.PARAMETER, W),
                    input(1, "x.β", TensorType.of(DType.F32, ELEMENTS), InputKind.DATA, X),
                    input(2, "step", TensorType.scalar(DType.I64), InputKind.STEP, NUMBER)),
            List.of(step("loss", Role.FORWARD), step("w'", Role.UPDATE)),
            List.of(new PlanOutput("loss", 3, TensorType.scalar(DType.F64), LOSS, 0)));

    static final KernelProgram PROGRAM = new KernelProgram(
            List.of(INNER, DESCEND),
            List.of(
                    new Launch(0, 0, Extent3.of(1), Extent3.of(64), 0, List.of(W, X, LOSS, 64L, ParameterType.NULL)),
                    new Launch(
                            1,
                            1,
                            Extent3.of(2),
                            Extent3.of(32),
                            128,
                            List.of(
                                    W,
                                    X,
                                    NUMBER,
                                    Integer.toUnsignedLong(Float.floatToRawIntBits(0.125f)),
                                    Double.doubleToRawLongBits(0.5),
                                    0L,
                                    64L,
                                    0xffff_ffffL))));

    private TinyProgram() {}

    private static KernelSource kernel(String symbol, String text, ParameterType... parameters) {
        return new KernelSource(
                new KernelEntry(symbol, "test", List.of(parameters), 64, true, ""),
                List.of("types.cuh", "ptx.cuh"),
                "namespace remat {\n" + text + "}\n");
    }

    private static ArenaTensor input(int value, String name, TensorType type, InputKind kind, long offset) {
        return new ArenaTensor(value, name, type, kind, new Initializer.Normal(0, 1), offset, Location.NONE);
    }

    /** What it computes is written by hand above; what looks for messages reads its first instruction. */
    private static KernelStep step(String name, Role role) {
        TensorType number = TensorType.scalar(DType.F64);
        KernelStepBuilder step = new KernelStepBuilder(name, role, Location.NONE);
        step.add(new Constant(1, number), List.of(number), List.of());
        return step.build();
    }
}
