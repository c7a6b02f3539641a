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
import java.nio.charset.StandardCharsets;
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

    private final StringBuilder text = new StringBuilder();

    StepTables(BuildInfo build, ExecutionPlan plan, List<ArtifactKernel> kernels, List<DeviceCode> devices) {
        this.build = build;
        this.plan = plan;
        this.kernels = kernels;
        this.devices = devices;
        this.sections = plan.sections().stream()
                .flatMap(section -> section.cut(plan.stepsToLosses()).stream())
                .toList();
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
        text.append("const char MODEL[] = ").append(quoted(plan.model())).append(";\n");
        text.append("constexpr uint64_t ARENA_BYTES = ")
                .append(plan.arenaBytes())
                .append("ULL;\n");
        text.append("constexpr int64_t SEED = ").append(number(plan.seed())).append(";\n");
        text.append("constexpr int CUDA_VERSION = ")
                .append(CudaVersion.ofCompiler(build.nvrtc())
                        .map(CudaVersion::number)
                        .orElse(0))
                .append(";\n");
        sections();
        tensors();
        text.append("constexpr size_t KERNEL_COUNT = ").append(kernels.size()).append(";\n");
        array(
                "Kernel KERNELS[]",
                kernels,
                kernel -> "{" + quoted(kernel.entry().symbol()) + ", \""
                        + parameters(kernel.entry().parameters()) + "\", "
                        + quoted(kernel.entry().location()) + "}");
        devices.forEach(this::device);
        array("Program PROGRAMS[]", devices, this::program);
        return text.toString();
    }

    private void sections() {
        int toLoss = (int) sections.stream()
                .filter(section -> section.to() <= plan.stepsToLosses())
                .count();
        long passes = sections.stream().filter(section -> section.times() > 1).count();
        text.append("constexpr int MICRO_BATCHES = ")
                .append(plan.microBatches())
                .append(", PASSES = ")
                .append(Math.max(1, passes))
                .append(";\n");
        text.append("constexpr size_t SECTION_COUNT = ")
                .append(sections.size())
                .append(", SECTIONS_TO_LOSS = ")
                .append(toLoss)
                .append(";\n");
    }

    private void tensors() {
        List<Long> extents = new ArrayList<>();
        List<String> tensors = new ArrayList<>();
        for (ArenaTensor input : plan.inputs()) {
            tensors.add(tensor(input.name(), input.kind().label(), input.type(), input.offset(), extents));
        }
        for (PlanOutput output : plan.outputs()) {
            tensors.add(tensor(output.name(), "output", output.type(), output.offset(), extents));
        }
        array("int64_t EXTENTS[]", extents, String::valueOf);
        array("remat_tensor TENSORS[]", tensors, Function.identity());
        int loss = plan.inputs().size() + plan.outputs().indexOf(plan.output(ExecutionPlan.LOSS));
        text.append("const remat_tensor& LOSS = TENSORS[").append(loss).append("];\n");
    }

    /** @param extents those of earlier tensors; this one's are added */
    private static String tensor(String name, String kind, TensorType type, long offset, List<Long> extents) {
        int first = type.shape().rank() == 0 ? 0 : extents.size();
        for (Dim dim : type.shape().dims()) {
            extents.add(dim.value());
        }
        return "{%s, \"%s\", \"%s\", %d, EXTENTS + %d, %dULL, %dULL}"
                .formatted(
                        quoted(name), kind, type.dtype().label(), type.shape().rank(), first, offset, type.bytes());
    }

    private void device(DeviceCode device) {
        text.append("namespace ").append(device.architecture()).append(" {\n");
        Map<LaunchShape, Integer> shapes = new LinkedHashMap<>();
        List<Integer> ofLaunch = new ArrayList<>();
        for (Launch launch : device.launches()) {
            LaunchShape shape = new LaunchShape(launch.kernel(), launch.grid(), launch.block(), launch.sharedBytes());
            ofLaunch.add(shapes.computeIfAbsent(shape, fresh -> shapes.size()));
        }
        array("Shape SHAPES[]", List.copyOf(shapes.keySet()), LaunchShape::text);
        array(
                "Section SECTIONS[]",
                sections,
                section -> "{" + launchesBefore(section.from(), device) + ", " + launchesBefore(section.to(), device)
                        + ", " + section.times() + "}");
        array("uint32_t SHAPE_OF_LAUNCH[]", ofLaunch, String::valueOf);
        array(
                "int64_t ARGUMENTS[]",
                device.launches(),
                launch -> launch.arguments().stream().map(StepTables::number).collect(Collectors.joining(", ")));
        text.append("}\n");
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
                + "    %1$s::SHAPES, %1$s::SHAPE_OF_LAUNCH, %2$d, %1$s::SECTIONS, %1$s::ARGUMENTS, %3$d}"
                        .formatted(name, device.launches().size(), arguments);
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

    /** An array with an entry a line; C++ has no empty one, so none becomes a single zero. */
    private <T> void array(String declaration, List<T> entries, Function<T, String> entry) {
        text.append("const ").append(declaration).append(" = {");
        boolean any = false;
        for (T each : entries) {
            String line = entry.apply(each);
            if (!line.isEmpty()) {
                text.append(any ? ",\n" : "\n").append(line);
                any = true;
            }
        }
        text.append(any ? "};\n" : "{}};\n");
    }

    /** The smallest number has no literal of its own in C++. */
    private static String number(long value) {
        return value == Long.MIN_VALUE ? "INT64_MIN" : String.valueOf(value);
    }

    /** A string literal; whatever is no plain ASCII stands as its bytes in octal. */
    private static String quoted(String value) {
        StringBuilder literal = new StringBuilder("\"");
        for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = b >= ' ' && b < 127 && b != '"' && b != '\\' && b != '?';
            literal.append(plain ? String.valueOf((char) b) : "\\%03o".formatted(b & 0xff));
        }
        return literal.append('"').toString();
    }
}
