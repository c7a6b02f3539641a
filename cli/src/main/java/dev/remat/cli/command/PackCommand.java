package dev.remat.cli.command;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.ExitCode;
import dev.remat.cli.console.Progress;
import dev.remat.cli.console.ResultFile;
import dev.remat.cli.option.OutputOptions;
import dev.remat.cli.option.TimeLimit;
import dev.remat.cli.report.PackReport;
import dev.remat.compiler.layout.BuffersReader;
import dev.remat.compiler.layout.BuffersWriter;
import dev.remat.compiler.layout.CapacityException;
import dev.remat.compiler.layout.FoundLayout;
import dev.remat.compiler.layout.LayoutLimits;
import dev.remat.compiler.layout.LowestLayout;
import dev.remat.compiler.layout.PackProblem;
import dev.remat.ir.io.AtomicFile;
import dev.remat.ir.io.SourceFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code remat pack}. */
@Command(
        name = "pack",
        description = "Lay out buffers, given by when they are live and their sizes, so that no two overlap.",
        footer = {
            "",
            "Examples:",
            "  remat pack buffers.csv -o layout.csv",
            "  remat pack buffers.csv --capacity 6GiB --time-limit 60 -o layout.csv",
            "",
            "docs/packing.md tells the files' format and how layouts are searched for."
        })
final class PackCommand extends Subcommand {
    /** Bytes that a file of buffers has at most. */
    private static final int LARGEST = 1 << 27;
    /** Comparisons that a search without a time limit may take: about a quarter of a minute. */
    private static final long MOST_WORK = 3_000_000_000L;

    @Parameters(paramLabel = "BUFFERS", description = "A table id,lower,upper,size as comma-separated values.")
    private Path file;

    @Option(
            names = "--capacity",
            paramLabel = "SIZE",
            converter = Capacity.class,
            description = "Height that a layout may have, in the sizes' unit, or such as 6GiB where that is bytes."
                    + " Without it, the lowest layout.")
    private Long capacity;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write the table with a column 'offset'; only if there is a layout.")
    private Path output;

    @CommandLine.Mixin
    private TimeLimit timeLimit;

    @CommandLine.Mixin
    private OutputOptions format;

    @Override
    public Integer call() throws IOException {
        ResultFile.check(output, file);
        PackProblem problem = timeLimit.rehearse(() -> BuffersReader.read(SourceFiles.read(file, LARGEST)));
        long begin = System.nanoTime();
        FoundLayout layout = layout(problem);
        double seconds = Math.round((System.nanoTime() - begin) / 1e6) / 1e3;
        if (capacity != null && layout.height() > capacity) {
            throw new CapacityException(capacity, layout.lowerBound(), layout.height());
        }
        if (output != null) {
            String table = BuffersWriter.write(problem, layout.offsets());
            AtomicFile.write(output, table.getBytes(StandardCharsets.UTF_8));
        }
        PackReport report = new PackReport(
                file, problem, layout, capacity == null ? OptionalLong.empty() : OptionalLong.of(capacity), seconds);
        format.print(console(), report::writeTo, report::print);
        return ExitCode.OK.number();
    }

    private FoundLayout layout(PackProblem problem) {
        try (Progress progress = new Progress(console())) {
            long work = timeLimit.isGiven() ? Long.MAX_VALUE : MOST_WORK;
            return LowestLayout.find(
                    problem.buffers(),
                    new LayoutLimits(capacity == null ? 0 : capacity, work, timeLimit.from(progress)));
        }
    }

    /** For picocli. */
    static final class Capacity implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            try {
                long capacity = ByteSize.parse(text);
                if (capacity > 0) {
                    return capacity;
                }
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
            throw new TypeConversionException("a capacity is above 0");
        }
    }
}
