package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.AssembleArtifact;
import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.nvrtc.CompileKernels;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.ArtifactWriter;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.tests.steps.CombinedSteps;
import dev.remat.tests.steps.OpCase;
import dev.remat.tests.steps.OpCases;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Every operation in one artifact, with what the kernels make of it on the CPU, to be held against a GPU:
 * {@code RecordOps DTYPE ARCHITECTURE verified|unverified FOLDER} writes {@code FOLDER/artifact} and
 * {@code FOLDER/recording} for {@code run_step.cc}.
 */
public final class RecordOps {
    private RecordOps() {}

    public static void main(String[] args) throws IOException {
        Path folder = Files.createDirectories(Path.of(args[3]));
        run(
                DType.ofLabel(args[0]),
                Architecture.ofLabel(args[1]).orElseThrow(),
                args[2].equals("unverified"),
                folder.resolve("artifact"),
                folder.resolve("recording"));
    }

    /** Writes an artifact and what its kernels make of it on the CPU; {@code unverified} lets tensor cores be used. */
    public static void run(DType dtype, Architecture architecture, boolean unverified, Path artifact, Path recording)
            throws IOException {
        List<OpCase> cases = new ArrayList<>(OpCases.examples(dtype));
        cases.addAll(OpCases.larger(dtype));
        cases.addAll(OpCases.normalizations(dtype));
        cases.addAll(OpCases.aligned(dtype));
        run(cases, architecture, new CodegenOptions(unverified, unverified && dtype == DType.F32), artifact, recording);
    }

    /** The same of these operations alone. */
    public static void run(
            List<OpCase> cases, Architecture architecture, CodegenOptions options, Path artifact, Path recording)
            throws IOException {
        CudaTarget target = new CudaTarget(architecture);
        CombinedSteps combined = CombinedSteps.of(cases, target);
        ExecutionPlan plan = combined.plan();
        KernelProgram program = CudaCodegen.generate(plan, architecture, options);
        for (int i = 0; i < cases.size(); i++) {
            System.out.println("case." + i + "  " + cases.get(i));
        }
        build(plan, program, architecture, artifact);
        try (Arena owner = Arena.ofConfined()) {
            MemorySegment arena = owner.allocate(plan.arenaBytes(), 256);
            combined.load(arena);
            record(plan, program, arena, recording);
        }
    }

    private static void build(ExecutionPlan plan, KernelProgram program, Architecture architecture, Path folder)
            throws IOException {
        CompileKernels compiler = new CompileKernels(System.err::println);
        SequencedMap<Architecture, KernelProgram> programs = new LinkedHashMap<>(Map.of(architecture, program));
        BuildInfo info = new BuildInfo("0", compiler.compiler(), "none", List.of(), new LinkedHashMap<>());
        ArtifactWriter.write(folder, AssembleArtifact.run(info, plan, compiler.run(programs), true));
    }

    private static void record(ExecutionPlan plan, KernelProgram program, MemorySegment arena, Path file)
            throws IOException {
        SequencedMap<String, byte[]> entries = new LinkedHashMap<>();
        for (ArenaTensor input : plan.inputs()) {
            if (!input.kind().isOfStep()) {
                entries.put(
                        "initial/" + input.name(),
                        bytes(arena, input.offset(), input.type().bytes()));
            }
        }
        ShimLibrary library = ShimLibrary.of(program.kernels(), 2);
        for (Launch launch : program.launches()) {
            library.launch(
                    program.kernels().get(launch.kernel()).symbol(), launch, arena, ShimOrder.FORWARD, Poison.ONES);
        }
        entries.put("loss.1", new byte[Double.BYTES]);
        for (PlanOutput output : plan.outputs()) {
            entries.put(
                    "final/" + output.name(),
                    bytes(arena, output.offset(), output.type().bytes()));
        }
        StringBuilder header = new StringBuilder("remat-recording/1\n");
        entries.forEach((name, content) ->
                header.append(name).append(' ').append(content.length).append('\n'));
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 16)) {
            out.write((header + "\n").getBytes(StandardCharsets.UTF_8));
            for (byte[] content : entries.values()) {
                out.write(content);
            }
        }
    }

    private static byte[] bytes(MemorySegment arena, long offset, long bytes) {
        return arena.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
    }
}
