package dev.remat.cli.command;

import static dev.remat.cli.report.Table.Side.LEFT;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Json;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.plans.PlanFolder;
import dev.remat.cli.ranks.GlooJars;
import dev.remat.cli.ranks.StartProcesses;
import dev.remat.cli.report.Table;
import dev.remat.codegen.cuda.nvrtc.Nvrtc;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.io.FileProblem;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.natives.CacheFolder;
import dev.remat.ir.natives.KeptFiles;
import dev.remat.ir.natives.LibraryUnavailableException;
import dev.remat.ir.natives.NativeLibraries;
import dev.remat.ir.natives.NativeLibraries.Loaded;
import dev.remat.ir.natives.Platform;
import dev.remat.runtime.cpu.CpuExecutable;
import dev.remat.runtime.cuda.CudaDriver;
import dev.remat.runtime.cuda.DeviceException;
import dev.remat.runtime.cuda.Gpu;
import dev.remat.runtime.lane.DiskPlace;
import dev.remat.runtime.lane.PlaceException;
import dev.remat.runtime.memory.MemoryLimits;
import dev.remat.runtime.memory.ProcessMemory;
import dev.remat.runtime.mpi.MpiMessages;
import dev.remat.runtime.profile.MeasurePlace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code remat doctor}. */
@Command(
        name = "doctor",
        description = "Say what this machine has of what remat can use.",
        footer = {"", "Examples:", "  remat doctor", "  remat doctor --disk /scratch"})
final class DoctorCommand extends Subcommand {
    @Mixin
    private OutputOptions output;

    @Option(
            names = "--disk",
            paramLabel = "DIR",
            description = "Measure how fast tensors could be moved to a file in this folder and back.")
    private Optional<Path> disk = Optional.empty();

    private static final long NANOS_PER_MICRO = 1000;

    /** @param found whether the thing is there and usable */
    private record Finding(String part, boolean found, String detail) {}

    @Override
    public Integer call() throws IOException {
        List<Finding> findings = new ArrayList<>();
        findings.add(new Finding("JDK", true, Runtime.version() + " at " + System.getProperty("java.home")));
        findings.add(new Finding("system", true, Platform.name()));
        int processors = Runtime.getRuntime().availableProcessors();
        long beside = ProcessMemory.besideArena(0, processors);
        findings.add(new Finding("processors", true, processors + " available"));
        findings.add(new Finding(
                "Java heap", true, ByteSize.format(Runtime.getRuntime().maxMemory()) + " at most"));
        findings.add(new Finding(
                "process",
                true,
                ByteSize.format(beside) + " beside the arena, and "
                        + ByteSize.format(ProcessMemory.besideArena(1000, processors) - beside)
                        + " more with 1000 kernels"));
        MemoryLimits.ofProcess()
                .read()
                .forEach(limit -> findings.add(new Finding(
                        "memory",
                        true,
                        limit.of() + " has " + ByteSize.format(limit.freeBytes()) + " free of "
                                + ByteSize.format(limit.bytes()))));
        addCuda(findings);
        addLibraries(findings);
        findings.add(mpi());
        findings.add(gloo());
        findings.add(plans());
        disk.ifPresent(folder -> findings.add(disk(folder)));
        if (output.json()) {
            printJson(findings);
        } else {
            Table table = new Table("", LEFT, LEFT, LEFT);
            findings.forEach(finding -> table.row(finding.found() ? "ok" : "none", finding.part(), finding.detail()));
            table.print(console().out());
        }
        return ExitCode.OK.number();
    }

    private static void addCuda(List<Finding> findings) {
        try {
            CudaDriver driver = CudaDriver.load();
            Optional<String> obstacle = driver.obstacle(Nvrtc.exactVersion());
            findings.add(new Finding(
                    "CUDA driver", obstacle.isEmpty(), obstacle.orElse("supports CUDA " + driver.version())));
            driver.gpus().forEach(gpu -> findings.add(finding(driver, gpu)));
        } catch (DeviceException | LibraryUnavailableException e) {
            findings.add(new Finding("CUDA driver", false, e.getMessage()));
        }
    }

    private static Finding finding(CudaDriver driver, Gpu gpu) {
        String what = gpu.name() + ", " + gpu.architecture() + ", ";
        Optional<String> kernels = gpu.best(Architecture.labels());
        if (kernels.isEmpty()) {
            return new Finding("GPU", false, what + "for which remat makes no kernels");
        }
        String memory = ByteSize.format(driver.freeBytes(gpu)) + " of " + ByteSize.format(gpu.memoryBytes()) + " free";
        return new Finding("GPU", true, what + memory + "; runs kernels for " + kernels.get());
    }

    /** Loads what is not loaded yet; that it can be is what a user wants to know. */
    private static void addLibraries(List<Finding> findings) {
        findings.add(cacheFolder());
        for (NativeLibraries libraries : CpuExecutable.libraries()) {
            findings.add(finding(libraries));
        }
        findings.add(finding(Strategies.libraries()));
        findings.add(finding(Nvrtc.libraries()));
    }

    /** What joins ranks that are processes. */
    private static Finding mpi() {
        List<String> libraries = MpiMessages.libraries();
        if (libraries.isEmpty()) {
            return new Finding(
                    "MPI", false, "neither MPICH nor Open MPI is installed; ranks are threads of one process");
        }
        return new Finding(
                "MPI",
                true,
                String.join(" and ", libraries)
                        + StartProcesses.launcher()
                                .map(launcher -> "; --processes starts ranks by " + launcher)
                                .orElse("; --processes finds no mpirun"));
    }

    private static Finding gloo() {
        if (GlooJars.find().isEmpty()) {
            return new Finding("Gloo", false, "not built; ranks are joined by MPI, or are threads of one process");
        }
        try {
            return new Finding("Gloo", true, GlooJars.describe() + "; joins what torchrun or --rank starts");
        } catch (LibraryUnavailableException e) {
            return new Finding("Gloo", false, e.getMessage());
        }
    }

    private static Finding disk(Path folder) {
        try {
            MeasurePlace.Rates rates = MeasurePlace.disk(folder);
            String detail = folder + " is moved to and from in blocks of " + DiskPlace.BLOCK + " bytes: stores "
                    + rate(rates.store()) + ", fetches " + rate(rates.fetch()) + "; at once "
                    + rate(rates.storeBeside())
                    + " and " + rate(rates.fetchBeside()) + "; " + rates.latencyNanos() / NANOS_PER_MICRO
                    + " µs for one block; kernels lose "
                    + rates.interferenceNanosPerMegabyte() / NANOS_PER_MICRO + " µs to a MB beside them";
            return new Finding("disk", true, detail);
        } catch (PlaceException e) {
            return new Finding("disk", false, e.getMessage());
        }
    }

    private static String rate(double bytesPerSecond) {
        return ByteSize.format((long) bytesPerSecond) + "/s";
    }

    private static Finding cacheFolder() {
        String part = "cache folder";
        try {
            CacheFolder folder = CacheFolder.ofProcess();
            String origin = folder.isChosen() ? ", as " + CacheFolder.SETTING + " says" : "";
            return folder.path()
                    .map(path -> new Finding(part, true, path + origin))
                    .orElse(new Finding(
                            part, false, "there is no home directory; " + CacheFolder.SETTING + " names one"));
        } catch (LibraryUnavailableException e) {
            return new Finding(part, false, e.getMessage());
        }
    }

    private Finding plans() {
        String part = "plans";
        try {
            Optional<Path> folder = console().cache().map(PlanFolder::in);
            if (folder.isEmpty()) {
                return new Finding(part, false, "none are kept, since there is no cache folder");
            }
            KeptFiles.Total kept = KeptFiles.total(folder.get());
            String most = ByteSize.format(PlanFolder.MOST_BYTES);
            return new Finding(
                    part,
                    true,
                    Count.of(kept.files(), "plan") + " in " + folder.get() + ", " + ByteSize.format(kept.bytes())
                            + " of " + most + " at most");
        } catch (IOException e) {
            return new Finding(part, false, FileProblem.withName(e));
        }
    }

    private static Finding finding(NativeLibraries libraries) {
        try {
            Loaded loaded = libraries.load();
            String version = libraries.equals(Nvrtc.libraries()) ? Nvrtc.load().version() + ", " : "";
            String place = loaded.isTemporary() ? "loaded from a temporary folder" : "verified in " + loaded.folder();
            return new Finding(libraries.name(), true, version + place);
        } catch (LibraryUnavailableException e) {
            return new Finding(libraries.name(), false, e.getMessage());
        }
    }

    private void printJson(List<Finding> findings) throws IOException {
        Json.print(console(), out -> {
            out.writeStringField("schema", "remat-doctor/1");
            JsonFields.objects(out, "findings", findings, finding -> {
                out.writeStringField("part", finding.part());
                out.writeBooleanField("found", finding.found());
                out.writeStringField("detail", finding.detail());
            });
        });
    }
}
