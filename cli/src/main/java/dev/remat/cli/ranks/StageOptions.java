package dev.remat.cli.ranks;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.Console;
import dev.remat.cli.option.CountingNumber;
import dev.remat.cli.option.MicroBatchOptions;
import dev.remat.cli.option.Target;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.pipeline.Schedule;
import dev.remat.compiler.pipeline.Staging;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.target.TargetModel;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Into how many stages a step is cut, which work on different micro-batches at a time. */
public final class StageOptions extends CheckedOptions {
    @Option(
            names = "--stages",
            paramLabel = "S",
            converter = CountingNumber.OfInt.class,
            description = "Cut the model into S stages that work on different micro-batches at a time, each in an arena"
                    + " of its own, to the same bits. Where the batch is not cut, it is cut into S. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int stages = 1;

    @Option(
            names = "--schedule",
            paramLabel = "NAME",
            converter = ScheduleConverter.class,
            description = "In which order stages take micro-batches, to the same bits: gpipe, all forward, then all"
                    + " backward; 1f1b, backward as soon as there is one; interleaved=V, the same with V parts of the"
                    + " model a stage; zb, where gradients of parameters fill gaps. Default: 1f1b.")
    private Schedule schedule;

    /** Empty where the step is not cut. */
    public Optional<Staging> staging() {
        require(stages > 1 || schedule == null, "--schedule orders the work of stages; it needs --stages");
        return stages == 1
                ? Optional.empty()
                : Optional.of(new Staging(stages, schedule == null ? Schedule.ONE_F_ONE_B : schedule));
    }

    /**
     * The model cut into micro-batches: as it is, or where it is not cut, one for each stage.
     *
     * @throws picocli.CommandLine.ParameterException if their number is to be chosen, there is one alone, or other
     *     options do not go with stages
     * @throws dev.remat.ir.diagnostic.ModelException if the model cannot be cut
     */
    public ModelSession cut(ModelSession model, MicroBatchOptions batches, int ranks, Console console) {
        if (staging().isEmpty()) {
            return model;
        }
        require(ranks == 1, "--stages and --ranks do not go together; take one of them");
        require(
                !batches.isAuto(),
                "--stages work on a number of micro-batches; --micro-batches takes that here, not auto");
        require(!batches.isBreadth(), "--schedule says the order of micro-batches in stages, not --micro-batch-order");
        int count = batches.cut(model).open(Purpose.TRAIN).training().microBatches();
        if (count == 1) {
            require(!batches.isGiven(), "--stages work on several micro-batches, and --micro-batches asks for one");
            console.note("the batch is cut into " + stages + " micro-batches; --micro-batches gives another"
                    + " number, and more of them leave stages less time to wait");
            return model.cutInto(stages);
        }
        if (count < stages) {
            console.note(count + " micro-batches are fewer than " + stages
                    + " stages, some of which will always wait; --micro-batches gives more");
        }
        return model;
    }

    /** @throws picocli.CommandLine.ParameterException if there are stages, and the target is a GPU */
    public void demandThreads(TargetModel target) {
        require(stages == 1 || Target.isCpu(target), "--stages are threads on the CPU; --device cuda runs on one GPU");
    }

    /** @throws picocli.CommandLine.ParameterException if there are stages, and something that does not go with them */
    public void refuse(String option, boolean given) {
        require(stages == 1 || !given, option + " does not go with --stages");
    }

    /** For picocli. */
    static final class ScheduleConverter implements ITypeConverter<Schedule> {
        @Override
        public Schedule convert(String text) {
            return Schedule.parse(text)
                    .orElseThrow(() -> new TypeConversionException(
                            "'" + text + "' is none of gpipe, 1f1b, interleaved=V with V from 2, zb"));
        }
    }
}
