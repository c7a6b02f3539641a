package dev.remat.ir.op;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Takes a tensor from another stage: {@code (...)} to the tensor and a token. Operands are tokens of messages before
 * it, or what these have sent, which is not overwritten until then.
 */
public record Receive(int stage, int number, TensorType type) implements Message {
    public Receive {
        Expect.argument(stage >= 0 && number >= 0, "message %d from stage %d", number, stage);
    }

    public static Receive parse(Attributes attributes) {
        DType dtype = DType.ofLabel(attributes.word("dtype"));
        return new Receive(
                attributes.integer("stage"),
                attributes.integer("number"),
                new TensorType(dtype, attributes.shape("shape")));
    }

    @Override
    public String mnemonic() {
        return "receive";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE
                .with("stage", stage)
                .with("number", number)
                .with("dtype", type.dtype().label())
                .with("shape", type.shape());
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        return List.of(type, TOKEN);
    }
}
