package dev.remat.cli.command;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Console;
import dev.remat.cli.console.DiagnosticText;
import dev.remat.cli.console.ExitCode;
import dev.remat.codegen.cuda.nvrtc.KernelCompilationException;
import dev.remat.compiler.layout.CapacityException;
import dev.remat.compiler.model.UnboundSymbolException;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.EvaluationBudgetException;
import dev.remat.compiler.search.PlaceBudgetException;
import dev.remat.ir.artifact.CorruptArtifactException;
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
import dev.remat.runtime.train.NotANumberException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** The one place that turns exceptions into messages and exit codes. */
final class FailureReport implements IExecutionExceptionHandler, IParameterExceptionHandler {
    private static final int TENSORS_NAMED = 8;

    private final RematCommand root;

    FailureReport(RematCommand root) {
        this.root = root;
    }

    @Override
    public int handleParseException(ParameterException exception, String[] args) {
        Console console = root.console();
        console.note(SettingsApart.meant(List.of(args)).orElseGet(() -> message(exception)));
        UnmatchedArgumentException.printSuggestions(
                exception, new PrintWriter(console.err(), true, console.err().charset()));
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
        boolean expectsCommand = !exception.getCommandLine().getSubcommands().isEmpty();
        if (expectsCommand
                && exception instanceof UnmatchedArgumentException unmatched
                && !unmatched.isUnknownOption()) {
            return "unknown command '" + unmatched.getUnmatched().getFirst() + "'";
        }
        String message = exception.getMessage();
        return Character.toLowerCase(message.charAt(0)) + message.substring(1);
    }

    /** Tells what went wrong and says what the process is to return. */
    ExitCode report(Throwable failure) {
        Console console = root.console();
        switch (failure) {
            case ModelException e -> {
                DiagnosticText.print(e.diagnostics(), console);
                return ExitCode.MODEL_ERROR;
            }
            case BudgetException e -> {
                printInfeasible(e);
                return ExitCode.BUDGET_INFEASIBLE;
            }
            case PlaceBudgetException e -> {
                console.note("the plan takes " + ByteSize.exactly(e.planBytes()) + " of the " + e.place() + ", and --"
                        + e.place() + "-budget has " + ByteSize.exactly(e.budgetBytes()));
                console.note("a larger --budget moves less, and so may --effort full");
                return ExitCode.BUDGET_INFEASIBLE;
            }
            case EvaluationBudgetException e -> {
                console.note(e.getMessage());
                return ExitCode.BUDGET_INFEASIBLE;
            }
            case CapacityException e -> {
                console.note(e.getMessage());
                console.note("nothing was written" + (e.isProven() ? "" : "; a longer --time-limit may settle it"));
                return ExitCode.BUDGET_INFEASIBLE;
            }
            case PlanViolationException e -> {
                console.note("the plan was found wrong before it ran: " + e.getMessage());
                console.note("this is a bug; please report it with what --debug adds (see CONTRIBUTING.md)");
                trace(failure);
                return ExitCode.PLAN_VIOLATION;
            }
            case ExcessiveTotalException e -> {
                console.note("the step is too large to be planned: its " + e.what() + " add up to more than 2^60");
                console.note("smaller extents with --set, or in a file for --costs higher rates and shorter times, may"
                        + " help");
                return ExitCode.USAGE;
            }
            case CorruptArtifactException e -> {
                console.note(e.getMessage());
                return ExitCode.BAD_FILE;
            }
            case DeviceException e -> {
                console.note(e.getMessage());
                return ExitCode.DEVICE;
            }
            case PlaceException e -> {
                console.note(e.getMessage());
                return ExitCode.DEVICE;
            }
            case DeviceMemoryException e -> {
                console.note(e.getMessage());
                console.note("--budget " + e.freeBytes() + " plans for what is free; a smaller batch takes less, too");
                return ExitCode.PLAN_VIOLATION;
            }
            case HostMemoryException e -> {
                console.note(e.getMessage());
                console.note("--host-budget " + e.freeBytes() + " plans for no more than that; a smaller batch moves"
                        + " less, too");
                return ExitCode.PLAN_VIOLATION;
            }
            case LibraryUnavailableException e -> {
                console.note(e.getMessage());
                return ExitCode.DEVICE;
            }
            case KernelCompilationException e -> {
                console.note(e.getMessage());
                console.note("this is a bug; please report it with what --debug adds (see CONTRIBUTING.md)");
                if (root.debug()) {
                    console.err().println(e.log());
                }
                trace(failure);
                return ExitCode.INTERNAL_ERROR;
            }
            case NotANumberException e -> {
                console.note(e.getMessage());
                return ExitCode.STOPPED_ON_NAN;
            }
            case CorruptPlanException e -> {
                console.note(e.getMessage());
                return ExitCode.BAD_FILE;
            }
            case CorruptFileException e -> {
                console.note(e.getMessage());
                return ExitCode.BAD_FILE;
            }
            case DataException e -> {
                console.note(e.getMessage());
                return ExitCode.BAD_FILE;
            }
            case FileSystemException e -> {
                console.note(FileProblem.withName(e));
                return ExitCode.USAGE;
            }
            case UncheckedIOException e -> {
                return report(e.getCause());
            }
            case IOException e -> {
                console.note("reading or writing failed: " + e.getMessage());
                trace(failure);
                return ExitCode.INTERNAL_ERROR;
            }
            case OutOfMemoryError e -> {
                console.note("out of memory: " + e.getMessage() + "; a smaller --budget or batch may fit");
                trace(failure);
                return ExitCode.PLAN_VIOLATION;
            }
            default -> {
                console.note("internal error: " + failure);
                if (!root.debug()) {
                    console.note("this is a bug; please report it with what --debug adds (see CONTRIBUTING.md)");
                }
                trace(failure);
                return ExitCode.INTERNAL_ERROR;
            }
        }
    }

    private void printInfeasible(BudgetException e) {
        Console console = root.console();
        console.note("no plan fits " + ByteSize.exactly(e.budgetBytes()) + "; the smallest found needs "
                + ByteSize.exactly(e.smallestFoundBytes()));
        console.note(
                "no plan at all needs less than " + ByteSize.exactly(e.floor().bytes()) + ", for "
                        + e.floor().setBy() + (e.proven() ? "" : "; whether one between these exists is open"));
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

    private void trace(Throwable failure) {
        if (root.debug()) {
            failure.printStackTrace(root.console().err());
        }
    }
}
