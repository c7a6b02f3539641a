package dev.remat.cli.command;

import static dev.remat.cli.report.Table.Side.LEFT;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.report.Table;
import dev.remat.codegen.cuda.nvrtc.Nvrtc;
import dev.remat.codegen.cuda.nvrtc.NvrtcUnavailableException;
import dev.remat.codegen.cuda.nvrtc.PrivateFolder;
import dev.remat.runtime.cuda.CudaDriver;
import dev.remat.runtime.cuda.Gpu;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code remat doctor}. */
@Command(
        name = "doctor",
        description = "Say what this machine has of what remat can use.",
        footer = {"", "Example:", "  remat doctor"})
final class DoctorCommand implements Callable<Integer> {
    @CommandLine.ParentCommand
    private RematCommand root;

    @Mixin
    private OutputOptions output;

    /** @param found whether the thing is there and usable */
    private record Finding(String part, boolean found, String detail) {}

    @Override
    public Integer call() throws IOException {
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding("JDK", true, Runtime.version() + " at " + System.getProperty("java.home")));
        findings.add(
                new Finding("system", true, System.getProperty("os.name") + " on " + System.getProperty("os.arch")));
        findings.add(new Finding("processors", true, Runtime.getRuntime().availableProcessors() + " available"));
        findings.add(new Finding(
                "Java heap", true, ByteSize.format(Runtime.getRuntime().maxMemory()) + " at most"));
        addCuda(findings);
        findings.add(nvrtc());
        if (output.json()) {
            printJson(findings);
        } else {
            Table table = new Table("", LEFT, LEFT, LEFT);
            findings.forEach(finding -> table.row(finding.found() ? "ok" : "none", finding.part(), finding.detail()));
            table.print(root.console().out());
        }
        return ExitCode.OK.number();
    }

    private static void addCuda(List<Finding> findings) {
        Optional<CudaDriver> driver = CudaDriver.find();
        if (driver.isEmpty()) {
            findings.add(new Finding("CUDA driver", false, "no libcuda; training runs on the CPU"));
            return;
        }
        boolean usable = driver.get().problem().isEmpty();
        findings.add(new Finding(
                "CUDA driver",
                usable,
                usable
                        ? "supports CUDA " + driver.get().version()
                        : driver.get().problem()));
        for (Gpu gpu : driver.get().gpus()) {
            findings.add(new Finding(
                    "GPU", true, gpu.name() + ", " + gpu.architecture() + ", " + ByteSize.format(gpu.memoryBytes())));
        }
    }

    private static Finding nvrtc() {
        Path cache = PrivateFolder.cache();
        try {
            return new Finding("NVRTC", true, Nvrtc.load(cache).version() + ", unpacked below " + cache);
        } catch (NvrtcUnavailableException e) {
            return new Finding("NVRTC", false, e.getMessage());
        }
    }

    private void printJson(List<Finding> findings) throws IOException {
        Json.print(root.console(), out -> {
            out.writeStringField("schema", "remat-doctor/1");
            out.writeArrayFieldStart("findings");
            for (Finding finding : findings) {
                out.writeStartObject();
                out.writeStringField("part", finding.part());
                out.writeBooleanField("found", finding.found());
                out.writeStringField("detail", finding.detail());
                out.writeEndObject();
            }
            out.writeEndArray();
        });
    }
}
