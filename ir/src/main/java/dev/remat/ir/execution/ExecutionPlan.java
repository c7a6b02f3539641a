package dev.remat.ir.execution;

import dev.remat.ir.op.Exchange;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One training step, ready to run: kernels in order, each over fixed offsets of one arena.
 *
 * @param model name of the model
 * @param modelHash SHA-256 of the model's canonical form
 * @param target whose kernels the workspaces were sized for
 * @param seed user seed of every random draw
 * @param arenaBytes size of the arena; nothing else is allocated
 * @param inputs tensors that outlive the step, and its data
 * @param sections all steps in their order, each part with how often it runs; of a step that is not cut into
 *     micro-batches a single one that runs once
 * @param transfers what is moved out of the arena and back
 */
public record ExecutionPlan(
        String model,
        String modelHash,
        String target,
        long seed,
        long arenaBytes,
        List<ArenaTensor> inputs,
        List<KernelStep> steps,
        List<Section> sections,
        List<PlanOutput> outputs,
        Transfers transfers) {
    /** Name of the output that training minimises; of several, the first. */
    public static final String LOSS = "loss";

    /** Name of the state that losses are multiplied by while their gradients are computed. */
    public static final String LOSS_SCALE = "optimizer.loss_scale";

    private static final String AVERAGE = "ema.";
    private static final String OPTIMIZER = "optimizer.";
    private static final String UPDATES = OPTIMIZER + "step";

    /** Name of what an optimizer keeps for {@code parameter}, by the kind that it is, such as {@code exp_avg}. */
    public static String stateOf(String kind, String parameter) {
        return OPTIMIZER + kind + "." + parameter;
    }

    /** Whether a state's name is one that {@link #stateOf}, {@link #averageOf} and others here give. */
    public static boolean isOfOptimizer(String state) {
        return state.startsWith(OPTIMIZER) || state.startsWith(AVERAGE);
    }

    /** Name of the state that counts the updates by a loss where steps may be skipped. */
    public static String updatesOf(String loss) {
        return UPDATES + loss.substring(LOSS.length());
    }

    public ExecutionPlan {
        inputs = List.copyOf(inputs);
        steps = List.copyOf(steps);
        sections = List.copyOf(sections);
        outputs = List.copyOf(outputs);
        int end = 0;
        for (Section section : sections) {
            if (section.from() != end) {
                throw new IllegalArgumentException("no section begins with step " + end);
            }
            end = section.to();
        }
        if (end != steps.size()) {
            throw new IllegalArgumentException("sections end with step " + end + " of " + steps.size());
        }
        long rounds = sections.stream()
                .map(Section::times)
                .filter(times -> times > 1)
                .distinct()
                .count();
        if (rounds > 1) {
            throw new IllegalArgumentException("sections run in different numbers of rounds: " + sections);
        }
        if (!transfers.events().isEmpty() && transfers.events().getLast().before() > end) {
            throw new IllegalArgumentException(
                    "an event before step " + transfers.events().getLast().before() + " of " + end);
        }
        if (exchanges(steps).mapToInt(Exchange::ranks).distinct().count() > 1) {
            throw new IllegalArgumentException("steps exchange among different numbers of ranks");
        }
        requireLast(transfers, sections);
        requireRows(inputs);
        for (ArenaTensor input : inputs) {
            if (input.place() >= transfers.places().size()) {
                throw new IllegalArgumentException("'" + input.name() + "' lives in place " + input.place() + " of "
                        + transfers.places().size());
            }
        }
    }

    /** What runs on when a step is over begins in its last section, which runs once. */
    private static void requireLast(Transfers transfers, List<Section> sections) {
        SortedSet<Integer> runningOn = transfers.runningOn();
        if (runningOn.isEmpty()) {
            return;
        }
        Section last = sections.getLast();
        int number = 0;
        for (TransferEvent event : transfers.events()) {
            if (event instanceof TransferEvent.Begin(int before, Transfer transfer)
                    && runningOn.contains(number++)
                    && (before < last.from() || last.times() > 1)) {
                throw new IllegalArgumentException(
                        "'" + transfer.name() + "' runs on behind a section that others follow");
            }
        }
    }

    /** What is in pieces is there from its first row on, and not as a whole. */
    private static void requireRows(List<ArenaTensor> inputs) {
        SortedMap<String, ArenaTensor> last = new TreeMap<>();
        inputs.stream()
                .filter(input -> input.rows().isPresent())
                .sorted(Comparator.comparingLong(ArenaTensor::firstRow))
                .forEach(piece -> {
                    if (!piece.follows(Optional.ofNullable(last.put(piece.whole(), piece)))) {
                        throw new IllegalArgumentException(
                                "'" + piece.name() + "' does not follow other rows of '" + piece.whole() + "'");
                    }
                });
        for (ArenaTensor input : inputs) {
            if (input.rows().isEmpty() && last.containsKey(input.name())) {
                throw new IllegalArgumentException("'" + input.name() + "' is there whole, and in rows");
            }
        }
    }

    /** A step that is not cut into micro-batches, whose tensors stay in the arena. */
    public ExecutionPlan(
            String model,
            String modelHash,
            String target,
            long seed,
            long arenaBytes,
            List<ArenaTensor> inputs,
            List<KernelStep> steps,
            List<PlanOutput> outputs) {
        this(
                model,
                modelHash,
                target,
                seed,
                arenaBytes,
                inputs,
                steps,
                List.of(new Section(0, steps.size(), 1)),
                outputs,
                Transfers.NONE);
    }

    /** Number of micro-batches that a batch is cut into; 1 if it is not. */
    public int microBatches() {
        return sections.stream().mapToInt(Section::times).max().orElse(1) * ranks();
    }

    /** How many ranks run the plan, each other micro-batches; 1 where nothing is exchanged. */
    public int ranks() {
        return exchanges(steps).mapToInt(Exchange::ranks).findFirst().orElse(1);
    }

    /** Whether ranks have shares of tensors that outlive steps. */
    public boolean isShared() {
        return inputs.stream().anyMatch(input -> input.share().isPresent());
    }

    private static Stream<Exchange> exchanges(List<KernelStep> steps) {
        return steps.stream()
                .flatMap(step -> step.body().instructions().stream())
                .map(Instruction::op)
                .filter(Exchange.class::isInstance)
                .map(Exchange.class::cast);
    }

    /** Whether a section runs for each micro-batch, rather than once a step. */
    public boolean isOfMicroBatch(Section section) {
        return section.times() > 1 || ranks() > 1 && section.to() < steps.size();
    }

    /** How many kernels run in a training step, those of each round. */
    public long runs() {
        return sections.stream()
                .mapToLong(section -> (long) section.times() * (section.to() - section.from()))
                .sum();
    }

    /** Whether steps run in rounds. */
    public boolean isInSections() {
        return sections.size() != 1 || sections.getFirst().times() != 1;
    }

    /**
     * What a section of the plan is for: {@code micro-batch}; before it {@code count}, what has to be known of the
     * whole batch; behind it {@code update}; {@code step} where it is the only one.
     */
    public String nameOf(Section section) {
        if (!isInSections()) {
            return "step";
        }
        if (!isOfMicroBatch(section)) {
            return "update";
        }
        boolean last = sections.stream().noneMatch(each -> isOfMicroBatch(each) && each.from() > section.from());
        return last ? "micro-batch" : "count";
    }

    /** Which micro-batch it is, for the end of a message; empty where the section does not run for each. */
    public String round(Section section, int microBatch) {
        return isOfMicroBatch(section) ? ", in micro-batch " + (microBatch + 1) + " of " + microBatches() : "";
    }

    /** The section that a step is of. */
    public Section section(int step) {
        return sections.stream()
                .filter(section -> section.contains(step))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no step " + step));
    }

    /** Name of the state that is the average of {@code parameter}. */
    public static String averageOf(String parameter) {
        return AVERAGE + parameter;
    }

    /** The parameter that {@code tensor} is the average of, or {@code tensor} itself. */
    public static String averagedBy(String tensor) {
        return tensor.startsWith(AVERAGE) ? tensor.substring(AVERAGE.length()) : tensor;
    }

    /** Name of the output that is minimised beside {@link #LOSS} and is the variable {@code name} of the model. */
    public static String furtherLoss(String name) {
        return LOSS + "." + name;
    }

    /** Whether an output of that name is minimised. */
    public static boolean isLoss(String output) {
        return output.equals(LOSS) || output.startsWith(furtherLoss(""));
    }

    /** What training minimises, {@link #LOSS} first. */
    public List<PlanOutput> losses() {
        return outputs.stream()
                .filter(output -> isLoss(output.name()))
                .sorted(Comparator.comparing(output -> !output.name().equals(LOSS)))
                .toList();
    }

    /** How many steps it takes until every loss is known; a section that is repeated counts as a whole. */
    public int stepsToLosses() {
        int last = losses().stream().mapToInt(PlanOutput::readyAfter).max().orElseThrow();
        return last < 0 || section(last).times() == 1 ? last + 1 : section(last).to();
    }

    /** The same with random draws from another seed. */
    public ExecutionPlan withSeed(long other) {
        return new ExecutionPlan(
                model, modelHash, target, other, arenaBytes, inputs, steps, sections, outputs, transfers);
    }

    /** The same with other transfers. */
    public ExecutionPlan withTransfers(Transfers other) {
        return with(inputs, steps, other);
    }

    /** The same with other inputs, steps and transfers. */
    public ExecutionPlan with(List<ArenaTensor> otherInputs, List<KernelStep> otherSteps, Transfers otherTransfers) {
        return new ExecutionPlan(
                model, modelHash, target, seed, arenaBytes, otherInputs, otherSteps, sections, outputs, otherTransfers);
    }

    /**
     * What the i64 scalars of the step hold, by offset: its number, the seed and the micro-batch.
     *
     * @param number of the step, from 1
     * @param microBatch number of the micro-batch within the step, from 0
     */
    public SortedMap<Long, Long> stepInputs(long number, int microBatch) {
        SortedMap<Long, Long> values = new TreeMap<>();
        for (ArenaTensor input : inputs) {
            switch (input.kind()) {
                case STEP -> values.put(input.offset(), number);
                case SEED -> values.put(input.offset(), seed);
                case MICRO_BATCH -> values.put(input.offset(), (long) microBatch);
                case DATA, PARAMETER, STATE, ACCUMULATOR -> {}
            }
        }
        return values;
    }

    /** The same in an arena of this size, if that is larger: one that it shares. */
    public ExecutionPlan withArena(long bytes) {
        return new ExecutionPlan(
                model,
                modelHash,
                target,
                seed,
                Math.max(arenaBytes, bytes),
                inputs,
                steps,
                sections,
                outputs,
                transfers);
    }

    /**
     * The output called {@code name}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public PlanOutput output(String name) {
        return findOutput(name).orElseThrow(() -> new IllegalArgumentException("plan has no output " + name));
    }

    /** The output called {@code name}, if there is one. */
    public Optional<PlanOutput> findOutput(String name) {
        return outputs.stream().filter(o -> o.name().equals(name)).findFirst();
    }

    /**
     * The input called {@code name}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public ArenaTensor input(String name) {
        return inputs.stream()
                .filter(t -> t.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("plan has no input " + name));
    }
}
