package dev.remat.cli.command;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Console;
import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.codegen.cuda.nvrtc.KernelCompilationException;
import dev.remat.compiler.error.Suggestion;
import dev.remat.compiler.layout.CapacityException;
import dev.remat.compiler.model.UnboundSymbolException;
import dev.remat.compiler.pipeline.SetViolationException;
import dev.remat.compiler.pipeline.TooFewBlocksException;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.CutFloor;
import dev.remat.compiler.search.EvaluationBudgetException;
import dev.remat.compiler.search.PlaceBudgetException;
import dev.remat.ir.artifact.CorruptArtifactException;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.execution.CorruptPlanException;
import dev.remat.ir.execution.PlanViolationException;
import dev.remat.ir.io.FileProblem;
import dev.remat.ir.natives.LibraryUnavailableException;
import dev.remat.ir.plan.ExcessiveTotalException;
import dev.remat.ir.plan.Tier;
import dev.remat.runtime.cuda.DeviceException;
import dev.remat.runtime.cuda.DeviceMemoryException;
import dev.remat.runtime.cuda.HostMemoryException;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.lane.PlaceException;
import dev.remat.runtime.memory.ProcessMemoryException;
import dev.remat.runtime.process.MessagesLostException;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.ProcessStoppedException;
import dev.remat.runtime.process.RanksDifferException;
import dev.remat.runtime.process.RendezvousException;
import dev.remat.runtime.process.Stop;
import dev.remat.runtime.train.NotANumberException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The one place that turns exceptions into messages and exit codes. */
final class FailureReport implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private static final int TENSORS_NAMED = 8;
    private static final String BUG = "this is a bug; please report it with what --debug adds (see CONTRIBUTING.md)";

    private final RematCommand root;

    FailureReport(RematCommand root) {
        this.root = root;
    }

    @Override
    public int handleParseException(ParameterException exception, String[] args) {
        // Sizes such as --budget container are found out while options are read.
        if (exception.getCause() instanceof ProcessMemoryException noRoom) {
            return report(noRoom).number();
        }
        Console console = root.console();
        console.note(SettingsApart.meant(List.of(args)).orElseGet(() -> message(exception)));
        if (!(exception instanceof UnmatchedArgumentException unmatched && isUnknownCommand(unmatched))) {
            UnmatchedArgumentException.printSuggestions(
                    exception,
                    new PrintWriter(console.err(), true, console.err().charset()));
        }
        String command = exception.getCommandLine().getCommandSpec().qualifiedName();
        console.note("'" + command + " --help' shows what there is");
        return ExitCode.USAGE.number();
    }

    @Override
    public int handleExecutionException(Exception exception, CommandLine line, ParseResult parsed) {
        if (exception instanceof ParameterException usage) {
            return handleParseException(usage, new String[0]);
        }
        if (exception instanceof UnboundSymbolException unbound) {
            String wayOut = ", such as --set " + unbound.symbol() + "=16";
            return handleParseException(new ParameterException(line, unbound.getMessage() + wayOut), new String[0]);
        }
        return report(exception).number();
    }

    private static String message(ParameterException exception) {
        if (exception instanceof UnmatchedArgumentException unmatched && isUnknownCommand(unmatched)) {
            String command = unmatched.getUnmatched().getFirst();
            return "unknown command '" + command + "'"
                    + Suggestion.note(
                                    command,
                                    exception.getCommandLine().getSubcommands().keySet())
                            .map(note -> "; " + note)
                            .orElse("");
        }
        String message = exception.getMessage();
        boolean isName = message.length() > 1 && Character.isUpperCase(message.charAt(1));
        return isName ? message : Character.toLowerCase(message.charAt(0)) + message.substring(1);
    }

    private static boolean isUnknownCommand(UnmatchedArgumentException exception) {
        return !exception.getCommandLine().getSubcommands().isEmpty() && !exception.isUnknownOption();
    }

    /** Tells what went wrong and says what the process is to return. */
    ExitCode report(Throwable failure) {
        return switch (failure) {
            case ModelException e -> {
                DiagnosticText.print(e.diagnostics(), root.console());
                yield ExitCode.MODEL_ERROR;
            }
            case BudgetException e -> {
                printInfeasible(e);
                yield ExitCode.BUDGET_INFEASIBLE;
            }
            case PlaceBudgetException e ->
                told(
                        ExitCode.BUDGET_INFEASIBLE,
                        "the plan takes " + ByteSize.exactly(e.planBytes()) + " of the " + e.place() + ", and --"
                                + e.place() + "-budget has " + ByteSize.exactly(e.budgetBytes()),
                        "a larger --budget moves less, and so may --effort full");
            case EvaluationBudgetException e -> told(ExitCode.BUDGET_INFEASIBLE, e.getMessage());
            case CapacityException e ->
                told(
                        ExitCode.BUDGET_INFEASIBLE,
                        e.getMessage(),
                        "nothing was written" + (e.isProven() ? "" : "; a longer --time-limit may settle it"));
            case TooFewBlocksException e ->
                told(
                        ExitCode.USAGE,
                        "the model can be cut into " + Count.of(e.blocks(), "part") + " at most"
                                + (e.marked() ? " where it says 'stage'" : "") + ", and --stages asks for " + e.parts(),
                        "fewer stages, or fewer parts each by --schedule, do"
                                + (e.marked() ? "; so do more marks, or none" : ""));
            case SetViolationException e ->
                traced(
                        ExitCode.PLAN_VIOLATION,
                        e,
                        "error[" + e.kind().code() + "]: the stages were found not to go together before they ran: "
                                + e.getMessage(),
                        "'remat help error " + e.kind().code() + "' explains it; another --schedule may do",
                        BUG);
            case PlanViolationException e ->
                traced(ExitCode.PLAN_VIOLATION, e, "the plan was found wrong before it ran: " + e.getMessage(), BUG);
            case ExcessiveTotalException e ->
                told(
                        ExitCode.USAGE,
                        "the step is too large to be planned: its " + e.what() + " add up to more than 2^60",
                        "smaller extents with --set, or in a file for --costs higher rates and shorter times, may"
                                + " help");
            case DeviceMemoryException e ->
                told(
                        ExitCode.PLAN_VIOLATION,
                        e.getMessage(),
                        "--budget " + e.freeBytes() + " plans for what is free; a smaller batch takes less, too");
            case ProcessMemoryException e ->
                told(
                        ExitCode.PLAN_VIOLATION,
                        e.getMessage(),
                        e.arenaThatFits().isPresent()
                                ? "--budget " + e.arenaThatFits().getAsLong() + " plans for what is free; a smaller"
                                        + " batch takes less, too"
                                : "no plan fits in so little; a higher limit is needed");
            case HostMemoryException e ->
                told(
                        ExitCode.PLAN_VIOLATION,
                        e.getMessage(),
                        "--host-budget " + e.freeBytes() + " plans for no more than that; a smaller batch moves"
                                + " less, too");
            case DeviceException _, PlaceException _, LibraryUnavailableException _ ->
                told(ExitCode.DEVICE, failure.getMessage());
            case KernelCompilationException e -> {
                told(ExitCode.INTERNAL_ERROR, e.getMessage(), BUG);
                if (root.debug()) {
                    root.console().err().println(e.log());
                }
                yield traced(ExitCode.INTERNAL_ERROR, e);
            }
            case NotANumberException e -> told(ExitCode.STOPPED_ON_NAN, e.getMessage());
            case RanksDifferException _, RendezvousException _, MessagesLostException _ ->
                told(ExitCode.RANK_LOST, failure.getMessage());
            case ProcessStoppedException e -> stopped(e);
            case CorruptArtifactException _, CorruptPlanException _, CorruptFileException _, DataException _ ->
                told(ExitCode.BAD_FILE, failure.getMessage());
            case FileSystemException e -> told(ExitCode.USAGE, FileProblem.withName(e));
            case UncheckedIOException e -> report(e.getCause());
            case IOException e -> traced(ExitCode.INTERNAL_ERROR, e, "reading or writing failed: " + e.getMessage());
            case OutOfMemoryError e ->
                traced(
                        ExitCode.PLAN_VIOLATION,
                        e,
                        "out of memory: " + e.getMessage() + "; a smaller --budget or batch may fit");
            default -> {
                told(ExitCode.INTERNAL_ERROR, "internal error: " + failure);
                yield root.debug() ? traced(ExitCode.INTERNAL_ERROR, failure) : told(ExitCode.INTERNAL_ERROR, BUG);
            }
        };
    }

    /** What another rank has said of its end, or that it has ended without. */
    private ExitCode stopped(ProcessStoppedException stopped) {
        Stop why = stopped.why();
        ExitCode code = ExitCode.of(why.code()).orElse(ExitCode.INTERNAL_ERROR);
        if (code == ExitCode.RANK_LOST) {
            return told(code, why.text());
        }
        told(code, stopped.who() + " has stopped all");
        root.console().err().print(why.text());
        return code;
    }

    /**
     * What happens where something stops a rank that is a process: all stop, and the first says why. Returns the exit
     * code of any other, and of all where one is lost.
     *
     * @param console for what is said of a lost rank
     * @throws IOException what has stopped the first, or any other exception that it was
     */
    static int tell(ProcessGroup group, Console console, Throwable failure) throws IOException {
        boolean told = failure instanceof ProcessStoppedException;
        Stop why = failure instanceof ProcessStoppedException stopped ? stopped.why() : stop(group.rank(), failure);
        if (!told) {
            group.stop(why);
        }
        boolean lost = told && why.isOfLost();
        boolean speaks = group.isFirst() || lost && why.rank() == 0;
        if (lost && speaks) {
            String text = Stream.concat(
                            Stream.of(why.text()).filter(_ -> !group.isWitnessed()),
                            group.awaited().stream()
                                    .map(what -> group.grid().name(group.rank()) + " waited for " + what))
                    .collect(Collectors.joining("; "));
            if (!text.isEmpty()) {
                console.note(text);
            }
        }
        // Of who is lost a witness has spoken already.
        if (!speaks && !(lost && group.isWitnessed())) {
            group.awaitFirst();
        }
        if (lost || !speaks) {
            return why.code();
        }
        switch (failure) {
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
    }

    /** What a rank is to say of its end to the first, which says it to the user. */
    private static Stop stop(int rank, Throwable failure) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        Console console = new Console(OutputStream.nullOutputStream(), said, false, false);
        CommandLine line = RematCommand.commandLine(console, _ -> false);
        FailureReport report = new FailureReport(line.getCommand());
        int code = failure instanceof ParameterException usage
                ? report.handleParseException(usage, new String[0])
                : report.report(failure).number();
        console.flush();
        return new Stop(rank, code, said.toString(StandardCharsets.UTF_8));
    }

    private ExitCode told(ExitCode code, String... notes) {
        for (String note : notes) {
            root.console().note(note);
        }
        return code;
    }

    /** Whoever looks for a bug wants to see where it happened, too. */
    private ExitCode traced(ExitCode code, Throwable failure, String... notes) {
        told(code, notes);
        if (root.debug()) {
            failure.printStackTrace(root.console().err());
        }
        return code;
    }

    private void printInfeasible(BudgetException e) {
        Console console = root.console();
        console.note("no plan fits " + ByteSize.exactly(e.budgetBytes()) + "; the smallest found needs "
                + ByteSize.exactly(e.smallestFoundBytes()));
        console.note(
                "no plan at all needs less than " + ByteSize.exactly(e.floor().bytes()) + ", for "
                        + e.floor().setBy() + (e.proven() ? "" : "; whether one between these exists is open"));
        for (CutFloor cut : e.cut()) {
            boolean less = cut.floor().bytes() < e.floor().bytes();
            console.note("with " + cut(cut) + (less ? " it would be " : " none needs less than ")
                    + ByteSize.exactly(cut.floor().bytes()) + ", for "
                    + cut.floor().setBy() + (less ? "" : "; one that fits may be found"));
        }
        for (Tier tier : e.below()) {
            String option = "--" + tier.name() + "-budget";
            console.note("of the " + tier.name() + " below, plans may take " + ByteSize.exactly(tier.bytes())
                    + "; where that is what they lack, a larger " + (root.takes(option) ? option : "tier")
                    + " lets more leave the arena");
        }
        if (e.endedEarly()) {
            console.note("the search was ended by --time-limit; a longer one may find a smaller plan");
        }
        console.note("where the smallest found peaks, memory holds");
        e.tensors().stream()
                .limit(TENSORS_NAMED)
                .forEach(tensor ->
                        console.err().println("  " + tensor.name() + ": " + ByteSize.exactly(tensor.bytes())));
        if (e.tensors().size() > TENSORS_NAMED) {
            console.err().println("  and " + (e.tensors().size() - TENSORS_NAMED) + " more");
        }
    }

    /** {@code --micro-batches 8 --chunks 16}. */
    private static String cut(CutFloor floor) {
        String batches = floor.microBatches() > 1 ? "--micro-batches " + floor.microBatches() : "";
        String chunks = floor.chunks() > 1 ? "--chunks " + floor.chunks() : "";
        return (batches + " " + chunks).strip();
    }
}
