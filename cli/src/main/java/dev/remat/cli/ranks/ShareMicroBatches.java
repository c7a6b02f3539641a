package dev.remat.cli.ranks;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.Console;
import dev.remat.cli.console.OneOf;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.Target;
import dev.remat.compiler.batch.Divisors;
import dev.remat.compiler.choose.ChooseSharding;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.ranks.Sharding;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.target.TargetModel;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** Options that let ranks compute the micro-batches of a step side by side, equally many each. */
abstract class ShareMicroBatches extends CheckedOptions {
    @Option(
            names = "--shard",
            paramLabel = "STATE",
            converter = ShardingConverter.class,
            description = "What of the state ranks hold in shares, to the same bits: none, each holding all;"
                + " optimizer, what is kept beside parameters; gradients, which is the same, for sums of these are in"
                + " shares then; parameters, these, too, gathered where they are read; auto, whichever is fastest"
                + " within the budget. Default: optimizer.")
    private Sharding sharding;

    /** What ranks hold in shares. */
    public final Sharding sharding() {
        return sharding(Collections.max(numbers()));
    }

    /** The same of ranks whose number is chosen. */
    public final Sharding sharding(int most) {
        if (sharding != null) {
            return sharding;
        }
        return most > 1 ? Sharding.OPTIMIZER : Sharding.NONE;
    }

    /** Those that plans are checked for: each whose plan differs where the choice is left open. */
    public final List<Sharding> levels() {
        return sharding() == Sharding.AUTO ? ChooseSharding.LEVELS : List.of(sharding());
    }

    /** The numbers of ranks that are asked for. */
    abstract List<Integer> numbers();

    /**
     * The model cut into micro-batches that ranks share evenly: as it is, or where it is not cut, one for each rank.
     *
     * @throws picocli.CommandLine.ParameterException if one of them does not divide the number of micro-batches, or
     *     that is to be chosen, or they run layer by layer
     * @throws dev.remat.ir.diagnostic.ModelException if the model cannot be cut
     */
    public final ModelSession cut(ModelSession model, MicroBatchOptions batches, Console console) {
        List<Integer> ranks = numbers();
        int most = Collections.max(ranks);
        require(most > 1 || sharding == null, "--shard is about what each of several ranks holds; it needs --ranks");
        if (most == 1) {
            return model;
        }
        require(
                !batches.isAuto(),
                "--ranks shares a number of micro-batches; --micro-batches takes that here, not auto");
        require(
                !batches.isBreadth(),
                "--ranks shares rounds of micro-batches, which --micro-batch-order breadth has none of;"
                        + " depth, the usual order, has them");
        int count = batches.cut(model).open(Purpose.TRAIN).training().microBatches();
        boolean uncut = count == 1 && !batches.isGiven();
        int shared = uncut ? most : count;
        for (int number : ranks) {
            require(
                    shared % number == 0,
                    "--ranks " + number + " does not divide " + shared + " micro-batches; "
                            + Divisors.of(shared).stream().map(String::valueOf).collect(Collectors.joining(", "))
                            + (shared == 1 ? " does" : " do"));
        }
        if (uncut) {
            console.note("the batch is cut into " + most + " micro-batches, one a rank; --micro-batches gives another"
                    + " number, and keeps the bits when that of ranks changes");
            return model.cutInto(most);
        }
        return model;
    }

    /** For picocli. */
    static final class ShardingConverter implements ITypeConverter<Sharding> {
        @Override
        public Sharding convert(String text) {
            return OneOf.of(Sharding.values(), text);
        }
    }

    /** @throws picocli.CommandLine.ParameterException if there are several ranks, and the target is a GPU */
    public final void demandThreads(TargetModel target) {
        require(
                Collections.max(numbers()) == 1 || Target.isCpu(target),
                "--ranks are threads on the CPU; --device cuda runs on one GPU");
    }
}
