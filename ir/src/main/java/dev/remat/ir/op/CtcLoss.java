package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import java.util.List;

/**
 * Connectionist temporal classification (Graves et al., 2006): {@code (log-probabilities [T, N, C], targets [N, S],
 * input lengths [N], target lengths [N])} to the loss {@code [N]} of each sample, f32 (f64 for f64). That is minus the
 * logarithm of the probability that the classes of the first frames, without repetitions and then without
 * {@code blank}, are the first labels of its targets: infinite where there are too few frames. What stands behind the
 * lengths does not count. The integers are all of i32 or all of i64.
 *
 * @param blank the class that stands for no label
 * @param zeroInfinity whether a sample of infinite loss has loss and gradient 0
 */
public record CtcLoss(long blank, boolean zeroInfinity) implements Op, Differentiable {
    public CtcLoss {
        Expect.argument(blank >= 0, "blank %s is no class", blank);
    }

    public static CtcLoss parse(Attributes attributes) {
        return new CtcLoss(attributes.number("blank"), attributes.flag("zero_infinity"));
    }

    @Override
    public String mnemonic() {
        return "ctc_loss";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("blank", blank).with("zero_infinity", zeroInfinity);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 4);
        TensorType frames = operands.get(0);
        TensorType targets = operands.get(1);
        Expect.floating(this, frames);
        Expect.rank(this, "log-probabilities", frames, 3);
        Expect.integer(this, "targets", targets);
        Expect.rank(this, "targets", targets, 2);
        Shape samples = new Shape(List.of(frames.dim(1)));
        require(
                targets.dim(0).equals(frames.dim(1)),
                "ctc_loss wants a row of targets for each sample of %s, got %s",
                frames,
                targets);
        TensorType lengths = new TensorType(targets.dtype(), samples);
        Expect.type(this, "input lengths", operands.get(2), lengths);
        Expect.type(this, "target lengths", operands.get(3), lengths);
        Dim classes = frames.dim(2);
        require(!classes.isConstant() || blank < classes.value(), "blank %s is no class of %s", blank, frames);
        return List.of(new TensorType(frames.dtype().accumulator(), samples));
    }

    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        operands.apart(0, "compares rows of the batch with each other", 0, 2);
        operands.apart(1, "compares rows of the batch with each other", 1);
        String reason = "takes the likelihood of a mean over the batch";
        BatchRole samples = operands.nonlinear(reason, 1, 2, 3);
        return List.of(BatchOperands.paired(operands.nonlinear(reason, 0).moved(_ -> 0), samples));
    }

    /** Three paths meet in each frame at each label and at each blank around them. */
    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return 9 * cells(operands.get(0), operands.get(1));
    }

    static long cells(TensorType frames, TensorType targets) {
        return targets.dim(0).value()
                * frames.dim(0).value()
                * (2 * targets.dim(1).value() + 1);
    }

    @Override
    public void differentiate(GradientContext context) {
        ValueId gradient = context.apply(
                new CtcLossGradient(this),
                context.upstream(),
                context.operand(0),
                context.operand(1),
                context.operand(2),
                context.operand(3));
        context.contribute(0, gradient);
    }
}
