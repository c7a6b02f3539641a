package dev.remat.codegen.cuda.cabi;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import dev.remat.ir.artifact.ArtifactFile;
import dev.remat.ir.artifact.ArtifactKernel;
import dev.remat.ir.artifact.BuildInfo;
import dev.remat.ir.artifact.ContentHash;
import dev.remat.ir.artifact.CudaVersion;
import dev.remat.ir.artifact.DeviceCode;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.execution.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** An artifact as static arrays of C++, for the types in {@code program.cc}. */
final class StepTables {
    private final BuildInfo build;
    private final ExecutionPlan plan;
    private final List<ArtifactKernel> kernels;
    private final List<DeviceCode> devices;
    /** Those of the plan, one of them in two where the losses are known in its middle. */
    private final List<Section> sections;

    private final int toLosses;
    private final TransferTables transfers;
    private final MessageTables messages;
    private final TableText text = new TableText();

    StepTables(BuildInfo build, ExecutionPlan plan, List<ArtifactKernel> kernels, List<DeviceCode> devices) {
        this.build = build;
        this.plan = plan;
        this.kernels = kernels;
        this.devices = devices;
        this.toLosses = hasLoss() ? plan.stepsToLosses() : plan.steps().size();
        this.sections = plan.sections().stream()
                .flatMap(section -> section.cut(toLosses).stream())
                .toList();
        this.messages = new MessageTables(plan);
        this.transfers = new TransferTables(plan);
    }

    /** What launches share: the fields of {@code Shape}. */
    private record LaunchShape(int kernel, Extent3 grid, Extent3 block, int sharedBytes) {
        String text() {
            return "{" + kernel + ", " + text(grid) + ", " + text(block) + ", " + sharedBytes + "}";
        }

        private static String text(Extent3 extent) {
            return "{" + extent.x() + ", " + extent.y() + ", " + extent.z() + "}";
        }
    }

    String text() {
        text.line("const char MODEL[] = " + TableText.quoted(plan.model()) + ";");
        text.line("constexpr uint64_t ARENA_BYTES = " + plan.arenaBytes() + "ULL;");
        text.line("constexpr int64_t SEED = " + TableText.number(plan.seed()) + ";");
        int version =
                CudaVersion.ofCompiler(build.nvrtc()).map(CudaVersion::number).orElse(0);
        text.line("constexpr int CUDA_VERSION = " + version + ";");
        sections();
        transfers.write(text);
        messages.write(text);
        tensors();
        text.line("constexpr size_t KERNEL_COUNT = " + kernels.size() + ";");
        text.array(
                "Kernel KERNELS[]",
                kernels,
                kernel -> "{" + TableText.quoted(kernel.entry().symbol()) + ", \""
                        + parameters(kernel.entry().parameters()) + "\", "
                        + TableText.quoted(kernel.entry().location()) + "}");
        devices.forEach(this::device);
        text.array("Program PROGRAMS[]", devices, this::program);
        return text.toString();
    }

    private void sections() {
        long toLoss =
                sections.stream().filter(section -> section.to() <= toLosses).count();
        long passes = sections.stream().filter(section -> section.times() > 1).count();
        text.line("constexpr int MICRO_BATCHES = " + plan.microBatches() + ", PASSES = " + Math.max(1, passes) + ";");
        text.line("constexpr size_t SECTION_COUNT = " + sections.size() + ", SECTIONS_TO_LOSS = " + toLoss + ";");
    }

    private void tensors() {
        List<Long> extents = new ArrayList<>();
        List<String> tensors = new ArrayList<>();
        for (ArenaTensor input : plan.inputs()) {
            String kind = input.kind().label();
            tensors.add(tensor(input.name(), kind, input.type(), input.offset(), input.place(), extents));
        }
        for (PlanOutput output : plan.outputs()) {
            tensors.add(tensor(output.name(), "output", output.type(), output.offset(), ArenaTensor.ARENA, extents));
        }
        text.array("int64_t EXTENTS[]", extents, String::valueOf);
        text.array("remat_tensor TENSORS[]", tensors, Function.identity());
        if (hasLoss()) {
            int loss = plan.inputs().size() + plan.outputs().indexOf(plan.output(ExecutionPlan.LOSS));
            text.line("const remat_tensor& LOSS = TENSORS[" + loss + "];");
        }
    }

    /** Of several stages one has it. */
    private boolean hasLoss() {
        return plan.findOutput(ExecutionPlan.LOSS).isPresent();
    }

    /** @param extents those of earlier tensors; this one's are added */
    private String tensor(String name, String kind, TensorType type, long offset, int place, List<Long> extents) {
        int first = type.shape().rank() == 0 ? 0 : extents.size();
        for (Dim dim : type.shape().dims()) {
            extents.add(dim.value());
        }
        return "{%s, \"%s\", \"%s\", %d, EXTENTS + %d, %dULL, %dULL%s}"
                .formatted(
                        TableText.quoted(name),
                        kind,
                        type.dtype().label(),
                        type.shape().rank(),
                        first,
                        offset,
                        type.bytes(),
                        transfers.ofTensor(place));
    }

    private void device(DeviceCode device) {
        text.line("namespace " + device.architecture() + " {");
        Map<LaunchShape, Integer> shapes = new LinkedHashMap<>();
        List<Integer> ofLaunch = new ArrayList<>();
        for (Launch launch : device.launches()) {
            LaunchShape shape = new LaunchShape(launch.kernel(), launch.grid(), launch.block(), launch.sharedBytes());
            ofLaunch.add(shapes.computeIfAbsent(shape, fresh -> shapes.size()));
        }
        text.array("Shape SHAPES[]", List.copyOf(shapes.keySet()), LaunchShape::text);
        text.array(
                "Section SECTIONS[]",
                sections,
                section -> "{" + launchesBefore(section.from(), device) + ", " + launchesBefore(section.to(), device)
                        + ", " + section.times() + transfers.ofSection(section) + "}");
        transfers.writeMeetings(text, step -> launchesBefore(step, device));
        messages.writeStops(text, step -> launchesBefore(step, device));
        text.array("uint32_t SHAPE_OF_LAUNCH[]", ofLaunch, String::valueOf);
        text.array(
                "int64_t ARGUMENTS[]",
                device.launches(),
                launch -> launch.arguments().stream().map(TableText::number).collect(Collectors.joining(", ")));
        text.line("}");
    }

    private String program(DeviceCode device) {
        String name = device.architecture();
        String digits = name.replaceAll("\\D", "");
        byte[] cubin = new byte[device.cubin().remaining()];
        device.cubin().get(cubin);
        long arguments = device.launches().stream()
                .mapToLong(launch -> launch.arguments().size())
                .sum();
        return "{\"%s\", %s, %b, \"%s\", %dULL,\n    \"%s\",\n"
                        .formatted(
                                name,
                                digits,
                                !name.endsWith(digits),
                                ArtifactFile.cubin(name),
                                cubin.length,
                                ContentHash.of(cubin))
                + "    %1$s::SHAPES, %1$s::SHAPE_OF_LAUNCH, %2$d, %1$s::SECTIONS, %4$s%5$s%1$s::ARGUMENTS, %3$d}"
                        .formatted(
                                name,
                                device.launches().size(),
                                arguments,
                                transfers.ofProgram(name),
                                messages.ofProgram(name));
    }

    private static long launchesBefore(int step, DeviceCode device) {
        return device.launches().stream()
                .takeWhile(launch -> launch.step() < step)
                .count();
    }

    private static String parameters(List<ParameterType> parameters) {
        return parameters.stream()
                .map(type -> type == ParameterType.POINTER ? "p" : "-")
                .collect(Collectors.joining());
    }
}
