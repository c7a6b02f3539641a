package dev.remat.ir.op;

import static dev.remat.ir.op.OpFamily.family;

import dev.remat.ir.op.AdamVariantUpdate.Kind;
import java.util.List;

/** The part of the table of operations that happens once a step: what overwrites, and the rate that it goes by. */
final class UpdateOps {
    static final List<OpFamily> ALL = List.of(
            family(
                    SgdUpdate::parse,
                    "Gradient descent: (parameter, gradient, rate, velocity, step, factor) to (parameter, velocity)",
                    new SgdUpdate(0, 0, false, 0, false),
                    new SgdUpdate(0.9, 0.1, false, 0.01, true),
                    new SgdUpdate(0.9, 0, true, 0, false)),
            family(
                    AdamUpdate::parse,
                    "Adam: (parameter, gradient, m, v, rate, step, factor) to (parameter, m, v)",
                    new AdamUpdate(0.9, 0.999, 1e-8, 0, false, false),
                    new AdamUpdate(0.9, 0.95, 1e-8, 0.1, true, true),
                    new AdamUpdate(0.9, 0.999, 1e-8, 0.1, false, false)),
            OpFamily.of(
                    AdamVariantUpdate::parse,
                    "Adam's variants: (parameter, gradient, m, v, largest, rate, sizes, factor) to what is changed",
                    List.of(
                            new AdamVariantUpdate(Kind.AMSGRAD, 0.9, 0.999, 1e-8, 0.1, true, false),
                            new AdamVariantUpdate(Kind.AMSGRAD, 0.9, 0.5, 1e-8, 0.1, false, true),
                            new AdamVariantUpdate(Kind.NADAM, 0.9, 0.999, 1e-8, 0.1, false, false),
                            new AdamVariantUpdate(Kind.NADAM, 0.5, 0.9, 1e-3, 0.1, true, true),
                            new AdamVariantUpdate(Kind.RADAM, 0.9, 0.999, 1e-8, 0, false, false),
                            new AdamVariantUpdate(Kind.RADAM, 0.5, 0.9, 1e-3, 0.1, true, true),
                            new AdamVariantUpdate(Kind.ADAMAX, 0.9, 0.999, 1e-8, 0, false, false),
                            new AdamVariantUpdate(Kind.ADAMAX, 0.5, 0.9, 1e-3, 0.1, false, true))),
            family(
                    LionUpdate::parse,
                    "Lion: (parameter, gradient, m, rate, factor) to (parameter, m)",
                    new LionUpdate(0.9, 0.99, 0, false),
                    new LionUpdate(0.9, 0.5, 0.1, true)),
            family(
                    RmsPropUpdate::parse,
                    "RMSprop: (parameter, gradient, rate, v, a, velocity, factor) to (parameter, v, a, velocity)",
                    new RmsPropUpdate(0.99, 1e-8, 0, 0, false, false),
                    new RmsPropUpdate(0.9, 1e-3, 0.1, 0.9, false, true),
                    new RmsPropUpdate(0.5, 1e-1, 0, 0, true, false),
                    new RmsPropUpdate(0.5, 1e-1, 0, 0.9, true, false)),
            family(
                    AdagradUpdate::parse,
                    "Adagrad: (parameter, gradient, sum, rate, step, factor) to (parameter, sum)",
                    new AdagradUpdate(0, 1e-10, 0, false),
                    new AdagradUpdate(0.1, 1e-2, 0.1, true)),
            family(
                    AdafactorUpdate::parse,
                    "Adafactor: (parameter, gradient, rate, size, rows and columns or estimate, factor) to parameter",
                    new AdafactorUpdate(1e-30, 0, true, false),
                    new AdafactorUpdate(1e-3, 0.1, true, true),
                    new AdafactorUpdate(1e-3, 0.1, false, false)),
            family(
                    AverageUpdate::parse,
                    "Exponential moving average of a parameter: (average, parameter, step)",
                    new AverageUpdate(0.999, false),
                    new AverageUpdate(0.5, true)),
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
                    List.of(
                            new UpdateRows(new SgdUpdate(0.9, 0.1, false, 0.01, true), 0, 2),
                            new UpdateRows(new AdamUpdate(0.9, 0.95, 1e-8, 0.1, true, true), 1, 3),
                            new UpdateRows(new AdamVariantUpdate(Kind.AMSGRAD, 0.9, 0.5, 1e-8, 0.1, false, true), 1, 2),
                            new UpdateRows(new AdamVariantUpdate(Kind.NADAM, 0.5, 0.9, 1e-3, 0.1, true, true), 1, 2),
                            new UpdateRows(new AdamVariantUpdate(Kind.RADAM, 0.5, 0.9, 1e-3, 0.1, true, true), 1, 2),
                            new UpdateRows(new AdamVariantUpdate(Kind.ADAMAX, 0.5, 0.9, 1e-3, 0.1, false, true), 1, 2),
                            new UpdateRows(new LionUpdate(0.9, 0.5, 0.1, true), 0, 1),
                            new UpdateRows(new RmsPropUpdate(0.5, 1e-1, 0, 0.9, true, true), 0, 3),
                            new UpdateRows(new AdagradUpdate(0.1, 1e-2, 0.1, true), 2, 3))),
            OpFamily.of(
                    ConditionalUpdate::parse,
                    "An update of the operands before the last, a bool scalar, if that is true",
                    List.of(
                            new ConditionalUpdate(new SgdUpdate(0.9, 0.1, false, 0.01, true)),
                            new ConditionalUpdate(new AdamUpdate(0.9, 0.95, 1e-8, 0.1, true, true)),
                            new ConditionalUpdate(
                                    new AdamVariantUpdate(Kind.AMSGRAD, 0.9, 0.5, 1e-8, 0.1, false, true)),
                            new ConditionalUpdate(new AdamVariantUpdate(Kind.NADAM, 0.5, 0.9, 1e-3, 0.1, true, true)),
                            new ConditionalUpdate(new AdamVariantUpdate(Kind.RADAM, 0.5, 0.9, 1e-3, 0.1, true, true)),
                            new ConditionalUpdate(new AdamVariantUpdate(Kind.ADAMAX, 0.5, 0.9, 1e-3, 0.1, false, true)),
                            new ConditionalUpdate(new LionUpdate(0.9, 0.5, 0.1, true)),
                            new ConditionalUpdate(new RmsPropUpdate(0.5, 1e-1, 0, 0.9, true, true)),
                            new ConditionalUpdate(new AdagradUpdate(0.1, 1e-2, 0.1, true)),
                            new ConditionalUpdate(new AdafactorUpdate(1e-3, 0.1, true, true)),
                            new ConditionalUpdate(new UpdateRows(new SgdUpdate(0.9, 0.1, false, 0.01, true), 1, 3)),
                            new ConditionalUpdate(
                                    new UpdateRows(new AdamUpdate(0.9, 0.95, 1e-8, 0.1, true, true), 0, 2)),
                            new ConditionalUpdate(new UpdateRows(
                                    new AdamVariantUpdate(Kind.AMSGRAD, 0.9, 0.5, 1e-8, 0.1, false, true), 1, 2)),
                            new ConditionalUpdate(new UpdateRows(
                                    new AdamVariantUpdate(Kind.NADAM, 0.5, 0.9, 1e-3, 0.1, true, true), 1, 2)),
                            new ConditionalUpdate(new UpdateRows(
                                    new AdamVariantUpdate(Kind.RADAM, 0.5, 0.9, 1e-3, 0.1, true, true), 1, 2)),
                            new ConditionalUpdate(new UpdateRows(
                                    new AdamVariantUpdate(Kind.ADAMAX, 0.5, 0.9, 1e-3, 0.1, false, true), 1, 2)),
                            new ConditionalUpdate(new UpdateRows(new LionUpdate(0.9, 0.5, 0.1, true), 1, 2)),
                            new ConditionalUpdate(
                                    new UpdateRows(new RmsPropUpdate(0.5, 1e-1, 0, 0.9, true, true), 1, 2)),
                            new ConditionalUpdate(new UpdateRows(new AdagradUpdate(0.1, 1e-2, 0.1, true), 1, 2)),
                            new ConditionalUpdate(new AverageUpdate(0.5, true)),
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
