package dev.remat.ir.op;

import dev.remat.ir.TensorType;
import java.util.List;

/**
 * Hands a tensor to another stage: {@code (x, ...)} to a token. Further operands are tokens of messages before it, or
 * what these have sent, which is not overwritten until then.
 */
public record Send(int stage, int number) implements Message {
    public Send {
        Expect.argument(stage >= 0 && number >= 0, "message %d to stage %d", number, stage);
    }

    public static Send parse(Attributes attributes) {
        return new Send(attributes.integer("stage"), attributes.integer("number"));
    }

    @Override
    public String mnemonic() {
        return "send";
    }

    @Override
    public Attributes attributes() {
        return Attributes.NONE.with("stage", stage).with("number", number);
    }

    @Override
    public List<TensorType> infer(List<TensorType> operands) {
        ShapeException.require(!operands.isEmpty(), "%s takes what it sends", mnemonic());
        return List.of(TOKEN);
    }
}
