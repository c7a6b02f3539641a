package dev.remat.tests.cuda;

import dev.remat.codegen.cuda.CudaCodegen;
import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.codegen.cuda.target.CodegenOptions;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.tests.steps.CombinedSteps;
import dev.remat.tests.steps.OpCase;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Many operations in one artifact, with what the kernels of each architecture make of them on the CPU, to be held
 * against a GPU.
 */
public final class RecordOps {
    private final List<Architecture> architectures;
    private final CodegenOptions options;
    private final CombinedSteps combined;
    private final ExecutionPlan plan;
    private final SequencedMap<Architecture, KernelProgram> programs = new LinkedHashMap<>();

    public RecordOps(List<OpCase> cases, List<Architecture> architectures, CodegenOptions options) {
        this.architectures = List.copyOf(architectures);
        this.options = options;
        this.combined = CombinedSteps.of(cases, new CudaTarget(architectures));
        this.plan = combined.plan();
        architectures.forEach(
                architecture -> programs.put(architecture, CudaCodegen.generate(plan, architecture, options)));
    }

    /** The symbols of all kernels. */
    public Set<String> kernels() {
        Set<String> symbols = new TreeSet<>();
        programs.values().forEach(program -> program.kernels().forEach(kernel -> symbols.add(kernel.symbol())));
        return symbols;
    }

    /** Writes the artifact. */
    public void write(Path artifact, Consumer<String> progress) throws IOException {
        SequencedMap<Path, ExecutionPlan> one = new LinkedHashMap<>();
        one.put(artifact, plan);
        new WriteArtifacts(architectures, options, progress).run(one, new LinkedHashMap<>());
    }

    /**
     * What the kernels of each architecture make of the operands: bytes of every input that stays as {@code
     * initial/NAME}, of every result as {@code final/NAME}.
     */
    public SequencedMap<Architecture, SequencedMap<String, byte[]>> run() {
        List<KernelSource> all = programs.values().stream()
                .flatMap(program -> program.kernels().stream())
                .toList();
        ShimLibrary library = ShimLibrary.of(all, 2, KernelBuild.PLAIN);
        SequencedMap<Architecture, SequencedMap<String, byte[]>> entries = new LinkedHashMap<>();
        programs.forEach((architecture, program) -> entries.put(architecture, run(program, library)));
        return entries;
    }

    private SequencedMap<String, byte[]> run(KernelProgram program, ShimLibrary library) {
        SequencedMap<String, byte[]> entries = new LinkedHashMap<>();
        try (Arena owner = Arena.ofConfined()) {
            MemorySegment arena = owner.allocate(plan.arenaBytes(), 256);
            combined.load(arena);
            for (ArenaTensor input : plan.inputs()) {
                if (!input.kind().isOfStep()) {
                    entries.put(
                            "initial/" + input.name(),
                            bytes(arena, input.offset(), input.type().bytes()));
                }
            }
            for (Launch launch : program.launches()) {
                library.launch(
                        program.kernels().get(launch.kernel()).symbol(), launch, arena, ShimOrder.FORWARD, Poison.ONES);
            }
            for (PlanOutput output : plan.outputs()) {
                entries.put(
                        "final/" + output.name(),
                        bytes(arena, output.offset(), output.type().bytes()));
            }
        }
        return entries;
    }

    private static byte[] bytes(MemorySegment arena, long offset, long bytes) {
        return arena.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
    }
}
