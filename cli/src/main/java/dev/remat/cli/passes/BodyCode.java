package dev.remat.cli.passes;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.section.WholeStep;
import dev.remat.compiler.trace.IrLine;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.graph.Graph;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Bodies of a plan's kernels: what a CPU runs from buffer to buffer, an instruction a line. */
final class BodyCode {
    private BodyCode() {}

    static StepCode of(ExecutionPlan plan, WholeStep whole) {
        Map<String, Integer> texts = new LinkedHashMap<>();
        List<List<StepCode.Launched>> launches = new ArrayList<>();
        Graph graph = whole.kernels().graph();
        for (int k = 0; k < plan.steps().size(); k++) {
            FusionGroup group = whole.kernels().kernels().get(k);
            KernelStep step = plan.steps().get(k);
            String text = text(step.body(), step.workspace().bytes());
            List<String> parts = new ArrayList<>();
            for (KernelBody.Read read : step.body().reads()) {
                parts.add(graph.value(group.reads().get(read.buffer())).name());
            }
            step.body().writes().forEach(write -> parts.add(write.name()));
            texts.putIfAbsent(text, texts.size());
            launches.add(List.of(new StepCode.Launched(texts.get(text), "on the CPU", parts)));
        }
        return new StepCode("kernel body", List.copyOf(texts.keySet()), launches);
    }

    /** With gaps for the names of what it reads, then of what it writes. */
    private static String text(KernelBody body, long workspace) {
        StringBuilder out = new StringBuilder();
        out.append("kernel ")
                .append(body.form().name().toLowerCase(Locale.ROOT))
                .append(" {\n");
        for (int r = 0; r < body.reads().size(); r++) {
            KernelBody.Read read = body.reads().get(r);
            out.append("  @%d = read %s %s%s\n"
                    .formatted(
                            r,
                            IrLine.GAP,
                            read.type(),
                            read.view().isContiguous()
                                    ? ""
                                    : " by strides " + read.view().strides()));
        }
        for (int i = 0; i < body.instructions().size(); i++) {
            Instruction instruction = body.instructions().get(i);
            String operands = instruction.operands().stream()
                    .map(operand -> operand(operand))
                    .collect(Collectors.joining(", "));
            out.append("  %%%d = %s%s(%s) %s\n"
                    .formatted(
                            i,
                            instruction.op().mnemonic(),
                            instruction.op().attributes(),
                            operands,
                            instruction.types().stream().map(Object::toString).collect(Collectors.joining(", "))));
        }
        for (KernelBody.Write write : body.writes()) {
            out.append("  write %s = %%%d%s\n"
                    .formatted(IrLine.GAP, write.instruction(), write.result() == 0 ? "" : "." + write.result()));
        }
        if (workspace > 0) {
            out.append("  workspace %d bytes\n".formatted(workspace));
        }
        return out.append("}\n").toString();
    }

    private static String operand(Operand operand) {
        return switch (operand) {
            case Operand.FromMemory(int index) -> "@" + index;
            case Operand.FromInstruction(int instruction, int result) ->
                "%" + instruction + (result == 0 ? "" : "." + result);
            case Operand.FromSeed(int ordinal) -> "seed " + ordinal;
        };
    }
}
