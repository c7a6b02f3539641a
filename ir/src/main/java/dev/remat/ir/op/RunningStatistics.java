package dev.remat.ir.op;

import static dev.remat.ir.op.ShapeException.require;

import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Moves running statistics towards those of a batch: {@code (running mean, running variance, mean, variance)}, all of
 * one type, to the new running ones, {@code (1 − momentum)·running + momentum·batch}. The batch's biased variance is
 * made unbiased by {@code samples / (samples − 1)} first.
 *
 * @param samples elements behind each statistic of the batch, more than 1
 */
public record RunningStatistics(double momentum, Dim samples) implements Update {
    public RunningStatistics {
        Expect.argument(momentum >= 0 && momentum <= 1, "momentum %s is not from 0 to 1", momentum);
    }

    public static RunningStatistics parse(Attributes attributes) {
        return new RunningStatistics(attributes.real("momentum"), attributes.dim("samples"));
    }

    @Override
    public String mnemonic() {
        return "running_statistics";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("momentum", momentum).with("samples", samples);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        Expect.count(this, operands, 4);
        TensorType running = operands.getFirst();
        Expect.floating(this, running);
        operands.forEach(operand -> Expect.same(this, running, operand));
        boolean several = !samples.isConstant() || samples.value() > 1;
        require(several, "running statistics need more than one sample a channel, got %s for %s", samples, running);
        return List.of(running, running);
    }

    /** Running statistics are those of the whole batch: whoever cuts it combines what the micro-batches have. */
    @Override
    public List<BatchRole> batchRoles(BatchOperands operands) {
        for (int i = 0; i < operands.count(); i++) {
            operands.unbatched(i, "keeps statistics of each row of the batch");
        }
        boolean own = operands.role(2) instanceof BatchRole.Own && operands.role(3) instanceof BatchRole.Own;
        String reason = "keeps means over the batch as statistics";
        BatchRole role = own ? operands.nonlinear(reason, 0, 1) : operands.nonlinear(reason);
        return List.of(role, role);
    }

    @Override
    public long flops(List<TensorType> operands, List<TensorType> results) {
        return 7 * results.getFirst().elements();
    }

    @Override
    public List<Write> writes() {
        return List.of(new Write(0, 0), new Write(1, 1));
    }

    @Override
    public Op bind(UnaryOperator<Dim> dims) {
        return new RunningStatistics(momentum, dims.apply(samples));
    }
}
