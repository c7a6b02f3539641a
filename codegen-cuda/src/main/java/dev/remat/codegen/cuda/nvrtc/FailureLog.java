package dev.remat.codegen.cuda.nvrtc;

import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.nvrtc.KernelCompilationException.Problem;
import dev.remat.ir.artifact.KernelUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Leads what NVRTC refused back to kernels. The front end names lines of the text, and for a line of a header those
 * that led to it; the assembler names lines of the intermediate code, or a symbol, or nothing at all.
 */
final class FailureLog {
    private static final Pattern FRONT_END =
            Pattern.compile("^kernels\\.cu\\((\\d+)\\): (?:catastrophic )?error(?: #\\S+)?: (.*)");
    private static final Pattern END_OF_TEXT = Pattern.compile("^At end of source: (?:catastrophic )?error.*?: (.*)");
    private static final Pattern LED_FROM = Pattern.compile("\\bat line (\\d+)");
    private static final Pattern ASSEMBLER_LINE = Pattern.compile("^ptxas .*\\bline (\\d+); error\\s*: (.*)");
    private static final Pattern ASSEMBLER = Pattern.compile("^ptxas (?:error|fatal)\\s*: (.*)");
    private static final String ASSEMBLER_SUMMARY = "Ptx assembly aborted due to errors";
    private static final Pattern QUOTED = Pattern.compile("'(\\w+)'");
    private static final Pattern ENTRY = Pattern.compile("^(?:\\.visible )?\\.(?:entry|func)\\b.*?(\\w+)\\($");
    /** What a kernel may declare without asking for more when it is launched. */
    private static final int MOST_SHARED_BYTES = 48 * 1024;

    private final KernelLines kernels;
    private final List<String> log;
    private final String[] ptx;

    private FailureLog(KernelLines kernels, Compilation failed) {
        this.kernels = kernels;
        this.log = failed.log().lines().toList();
        this.ptx = failed.ptx().split("\n", -1);
    }

    /** At least one problem; the whole log if nothing in it is understood. */
    static List<Problem> read(KernelLines kernels, Compilation failed) {
        FailureLog reader = new FailureLog(kernels, failed);
        List<Problem> problems = new ArrayList<>();
        for (int i = 0; i < reader.log.size(); i++) {
            reader.problem(i).ifPresent(problems::add);
        }
        if (problems.isEmpty()) {
            UsageLog.read(failed.log())
                    .forEach((symbol, usage) ->
                            reader.tooMuchShared(symbol, usage).ifPresent(problems::add));
        }
        if (problems.isEmpty()) {
            problems.add(new Problem("", "", "NVRTC says only: " + failed.log().strip()));
        }
        return problems;
    }

    private Optional<Problem> problem(int index) {
        String line = log.get(index);
        Matcher frontEnd = FRONT_END.matcher(line);
        if (frontEnd.find()) {
            String message = Nvrtc.FILE_NAME + ":" + frontEnd.group(1) + ": " + frontEnd.group(2);
            return Optional.of(problem(kernelOf(Integer.parseInt(frontEnd.group(1)), index), message));
        }
        Matcher end = END_OF_TEXT.matcher(line);
        if (end.find()) {
            return Optional.of(problem(Optional.empty(), "at the end of " + Nvrtc.FILE_NAME + ": " + end.group(1)));
        }
        Matcher assemblerLine = ASSEMBLER_LINE.matcher(line);
        if (assemblerLine.find()) {
            return Optional.of(problem(entryOf(Integer.parseInt(assemblerLine.group(1))), assemblerLine.group(2)));
        }
        Matcher assembler = ASSEMBLER.matcher(line);
        if (assembler.find() && !assembler.group(1).equals(ASSEMBLER_SUMMARY)) {
            Optional<KernelSource> kernel = QUOTED.matcher(assembler.group(1))
                    .results()
                    .flatMap(quoted -> kernels.named(quoted.group(1)).stream())
                    .findFirst();
            return Optional.of(problem(kernel, assembler.group(1)));
        }
        return Optional.empty();
    }

    /** The kernel of this line, or else of the first line in the message's tail that is a kernel's. */
    private Optional<KernelSource> kernelOf(int line, int index) {
        Optional<KernelSource> kernel = kernels.at(line);
        for (int i = index + 1; kernel.isEmpty() && i < log.size() && !isStart(log.get(i)); i++) {
            kernel = LED_FROM.matcher(log.get(i))
                    .results()
                    .map((MatchResult from) -> kernels.at(Integer.parseInt(from.group(1))))
                    .flatMap(Optional::stream)
                    .findFirst();
        }
        return kernel;
    }

    private static boolean isStart(String line) {
        return line.startsWith(Nvrtc.FILE_NAME + "(") || line.startsWith("ptxas ");
    }

    /** The kernel whose intermediate code holds this line. */
    private Optional<KernelSource> entryOf(int line) {
        for (int i = Math.min(line, ptx.length) - 1; i >= 0; i--) {
            Matcher entry = ENTRY.matcher(ptx[i]);
            if (entry.find()) {
                return kernels.named(entry.group(1));
            }
        }
        return Optional.empty();
    }

    private Optional<Problem> tooMuchShared(String symbol, KernelUsage usage) {
        if (usage.sharedBytes() <= MOST_SHARED_BYTES) {
            return Optional.empty();
        }
        return Optional.of(problem(
                kernels.named(symbol),
                "declares " + usage.sharedBytes() + " bytes of shared memory; " + MOST_SHARED_BYTES
                        + " is the most, beyond it is dynamic"));
    }

    private static Problem problem(Optional<KernelSource> kernel, String message) {
        return new Problem(
                kernel.map(KernelSource::symbol).orElse(""),
                kernel.map(source -> source.entry().location()).orElse(""),
                message);
    }
}
