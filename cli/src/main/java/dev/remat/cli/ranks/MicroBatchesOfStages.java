package dev.remat.cli.ranks;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.Console;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.Target;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.target.TargetModel;
import java.util.Collections;

/** Options that cut a step into stages, which work on different micro-batches at a time. */
abstract class MicroBatchesOfStages extends CheckedOptions {
    /** The largest number of stages that is asked for. */
    public abstract int most();

    /**
     * The model cut into micro-batches that ranks share evenly: as it is, or where it is not cut, one for each stage of
     * each rank.
     *
     * @param ranks each with all stages
     * @throws picocli.CommandLine.ParameterException if their number is to be chosen, there is one alone, ranks cannot
     *     share them, or micro-batches are in another order
     * @throws dev.remat.ir.diagnostic.ModelException if the model cannot be cut
     */
    public final ModelSession cut(
            ModelSession model, MicroBatchOptions batches, ShareMicroBatches ranks, Console console) {
        return ranks.cut(cut(model, batches, Collections.max(ranks.numbers()), console), batches, console);
    }

    /** The same of one rank. */
    public final ModelSession cut(ModelSession model, MicroBatchOptions batches, Console console) {
        return cut(model, batches, 1, console);
    }

    private ModelSession cut(ModelSession model, MicroBatchOptions batches, int ranks, Console console) {
        int stages = most();
        if (stages == 1) {
            return model;
        }
        require(
                !batches.isAuto(),
                "--stages work on a number of micro-batches; --micro-batches takes that here, not auto");
        require(!batches.isBreadth(), "--schedule says the order of micro-batches in stages, not --micro-batch-order");
        if (batches.cut(model).open(Purpose.TRAIN).training().microBatches() > 1) {
            return model;
        }
        require(!batches.isGiven(), "--stages work on several micro-batches, and --micro-batches asks for one");
        int count = stages * ranks;
        console.note("the batch is cut into " + count + " micro-batches; --micro-batches gives another"
                + " number, and more of them leave stages less time to wait");
        return model.cutInto(count);
    }

    /** @throws picocli.CommandLine.ParameterException if there are stages, and the target is a GPU */
    public final void demandThreads(TargetModel target) {
        require(most() == 1 || Target.isCpu(target), "--stages are threads on the CPU; --device cuda runs on one GPU");
    }

    /** @throws picocli.CommandLine.ParameterException if there are stages, and something that does not go with them */
    public final void refuse(String option, boolean given) {
        require(most() == 1 || !given, option + " does not go with --stages");
    }
}
