package dev.remat.cli.option;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.target.TargetModel;
import dev.remat.runtime.cpu.CpuTarget;
import dev.remat.runtime.memory.ProcessMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What plans can be made for. */
public final class Target {
    private Target() {}

    static List<String> names() {
        List<String> names = new ArrayList<>(List.of("cpu"));
        names.addAll(Architecture.labels());
        return names;
    }

    public static TargetModel cpu() {
        return new CpuTarget();
    }

    /** Whether steps for it run on this machine. */
    public static boolean isCpu(TargetModel target) {
        return target.name().equals(cpu().name());
    }

    /** What the process takes beside the arena where a plan runs on this machine's processors; empty if it does not. */
    public static OptionalLong besideArena(ExecutionPlan plan) {
        return plan.target().equals(cpu().name())
                ? OptionalLong.of(ProcessMemory.besideArena(
                        plan.steps().size(), Runtime.getRuntime().availableProcessors()))
                : OptionalLong.empty();
    }

    /** For picocli. */
    static final class Converter implements ITypeConverter<TargetModel> {
        @Override
        public TargetModel convert(String name) {
            if (name.equals("cpu")) {
                return cpu();
            }
            return new CudaTarget(Architecture.ofLabel(name)
                    .orElseThrow(() -> new TypeConversionException(
                            "unknown target '" + name + "'; there are " + String.join(", ", names()))));
        }
    }
}
