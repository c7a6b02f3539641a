package dev.remat.ir.op;

import static dev.remat.ir.op.OpFamily.family;

import java.util.List;

/** The part of the table of operations that happens once a step: what overwrites, and the rate that it goes by. */
final class UpdateOps {
    private static final ElementwiseUpdate PLAIN = ElementwiseUpdate.of("sgd", 0, "[mul g x2, sub p t0]", "[t1]");
    private static final ElementwiseUpdate MOMENTS = ElementwiseUpdate.of(
            "adamw",
            2,
            "[mul x2 0.9, mul g 0.1, add t0 t1, mul x3 0.95, mul g 0.05, mul t4 g, add t3 t5, mul p x4, mul t2 x5,"
                    + " mul t6 x6, sqrt t9, add t10 1.0E-8, div t8 t11, sub t7 t12]",
            "[t13, t2, t6]");
    /** A bit of everything. */
    private static final ElementwiseUpdate SIGNS = ElementwiseUpdate.of(
            "signs",
            1,
            "[sub x2 g, sign t0, abs g, max t2 x2, neg t1, gt t3 0.5, where t5 t1 t4, mul t6 x3, sub p t7, tanh t3,"
                    + " min t9 x2, fmod t10 1.5]",
            "[t8, t11]");

    private static final ElementwiseUpdate FACTORED = ElementwiseUpdate.of(
            "adafactor", 0, "[mul x4 x5, sqrt t0, div g t1, mul t2 x2, mul p x3, sub t4 t3]", "[t5]");

    static final List<OpFamily> ALL = List.of(
            OpFamily.of(
                    ElementwiseUpdate::parse,
                    "An optimizer's step: (parameter, gradient, states, others) to (parameter, states)",
                    List.of(PLAIN, MOMENTS, SIGNS, FACTORED)),
            family(a -> new Assign(), "(state, value): the state takes the value", new Assign()),
            family(
                    a -> new Accumulate(),
                    "(accumulator, value, micro-batch): the value of micro-batch 0, and those of the others added to"
                            + " it",
                    new Accumulate()),
            family(
                    a -> new CombineStatistics(),
                    "(mean so far, variance so far, mean, variance, micro-batch): those of the samples of all",
                    new CombineStatistics()),
            OpFamily.of(
                    UpdateRows::parse,
                    "An update of some rows of a parameter and its gradient, by states of these rows",
                    List.of(new UpdateRows(MOMENTS, 1, 3), new UpdateRows(SIGNS, 0, 1))),
            OpFamily.of(
                    ConditionalUpdate::parse,
                    "An update of the operands before the last, a bool scalar, if that is true",
                    List.of(
                            new ConditionalUpdate(PLAIN),
                            new ConditionalUpdate(MOMENTS),
                            new ConditionalUpdate(FACTORED),
                            new ConditionalUpdate(new UpdateRows(MOMENTS, 0, 2)),
                            new ConditionalUpdate(new Assign()))),
            family(
                    LearningRate::parse,
                    "The learning rate of a step",
                    new LearningRate(new LearningRateSchedule.Constant(0.01)),
                    new LearningRate(new LearningRateSchedule.Warmup(0.01, 10)),
                    new LearningRate(new LearningRateSchedule.Linear(0.01, 10, 100, 0)),
                    new LearningRate(new LearningRateSchedule.Cosine(0.01, 10, 100, 0.001)),
                    new LearningRate(new LearningRateSchedule.Steps(0.01, 0, 30, 0.1)),
                    new LearningRate(new LearningRateSchedule.Milestones(0.01, 0, List.of(5, 30), 0.1)),
                    new LearningRate(new LearningRateSchedule.Exponential(0.01, 2, 0.9)),
                    new LearningRate(new LearningRateSchedule.Polynomial(0.01, 2, 50, 1.5, 0.001)),
                    new LearningRate(new LearningRateSchedule.InverseSquareRoot(0.01, 4)),
                    new LearningRate(new LearningRateSchedule.OneCycle(0.01, 60, 0.3, 25, 1e4, true)),
                    new LearningRate(new LearningRateSchedule.OneCycle(0.01, 60, 0.1, 25, 1e4, false))));

    private UpdateOps() {}
}
