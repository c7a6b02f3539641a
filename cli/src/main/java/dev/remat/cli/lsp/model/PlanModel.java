package dev.remat.cli.lsp.model;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.Console;
import dev.remat.cli.option.AskedStep;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.layout.CapacityException;
import dev.remat.compiler.model.UnboundSymbolException;
import dev.remat.compiler.plan.ForwardingListener;
import dev.remat.compiler.plan.SearchListener;
import dev.remat.compiler.search.BudgetException;
import dev.remat.compiler.search.PlaceBudgetException;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.plan.ExcessiveTotalException;
import dev.remat.runtime.memory.ProcessMemoryException;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import picocli.CommandLine.ParameterException;

/** Plans a step as its settings ask, soon by a quick search and then by the one that was asked for. */
final class PlanModel {
    private final Analysis analysis;
    private final Console console;
    private final BooleanSupplier superseded;
    private final Consumer<ModelPlan> told;

    private PlanModel(Analysis analysis, Console console, BooleanSupplier superseded, Consumer<ModelPlan> told) {
        this.analysis = analysis;
        this.console = console;
        this.superseded = superseded;
        this.told = told;
    }

    /**
     * Searches until there is a plan, a reason why there is none, or nobody wants to know any more.
     *
     * @param before what was known of the model
     * @param told of each plan, and of why there is none
     * @throws CancellationException if nobody wants to know
     */
    static void run(
            Analysis analysis,
            ModelPlan before,
            Console console,
            BooleanSupplier superseded,
            Consumer<ModelPlan> told) {
        new PlanModel(analysis, console, superseded, told).run(before);
    }

    private void run(ModelPlan before) {
        ModelPlan latest = before.behind(analysis.document(), true);
        Analysis.Asked asked = analysis.step().orElseThrow();
        try {
            if (asked.options().quickFirst()) {
                latest = latest.with(notes(PlanAsked.quick(analysis.words().words())), true);
                told.accept(latest);
            }
            told.accept(latest.with(notes(asked.options()), false));
        } catch (ModelException e) {
            told.accept(latest.failed(e.diagnostics()));
        } catch (BudgetException e) {
            told.accept(latest.failed("no plan fits " + ByteSize.exactly(e.budgetBytes())
                    + "; the smallest found needs " + ByteSize.exactly(e.smallestFoundBytes())));
        } catch (UnboundSymbolException
                | PlaceBudgetException
                | CapacityException
                | ProcessMemoryException
                | ExcessiveTotalException
                | ParameterException e) {
            told.accept(latest.failed(e.getMessage()));
        }
    }

    private PlanNotes notes(PlanAsked options) {
        checkWanted();
        options.planning().followedBy(Ended::new);
        AskedStep step = options.planning()
                .step(
                        analysis.step().orElseThrow().session(),
                        options.batches(),
                        Purpose.TRAIN,
                        options.target().target(),
                        console);
        checkWanted();
        // A step that was prepared while its micro-batches were chosen is not prepared again for a listener.
        PassListener passes = step.choice().isPresent() ? PassListener.NONE : (_, _) -> checkWanted();
        Compilation compilation =
                options.planning().compile(step, options.target().target(), console, passes);
        checkWanted();
        return new PlanNotes(compilation, analysis.files());
    }

    private void checkWanted() {
        if (superseded.getAsBoolean()) {
            throw new CancellationException();
        }
    }

    /** Ends a search that nobody waits for any more. */
    private final class Ended extends ForwardingListener {
        private final SearchListener behind;

        Ended(SearchListener behind) {
            super(behind);
            this.behind = behind;
        }

        @Override
        public boolean expired() {
            return superseded.getAsBoolean() || behind.expired();
        }

        @Override
        public SearchListener halfOfRest() {
            return new Ended(behind.halfOfRest());
        }
    }
}
