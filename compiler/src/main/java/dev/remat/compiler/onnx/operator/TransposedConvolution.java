package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** ConvTranspose, whose padding cuts off and may cut off more on one side. */
public final class TransposedConvolution {
    private TransposedConvolution() {}

    static Tensor run(Use use) {
        return WindowOperators.biased(
                use,
                written(
                        use,
                        List.of(
                                Expressions.named("bias", false),
                                Expressions.named("weight", use.out().body().spell(use.in(1))))));
    }

    /** One that owns its weight, and its bias if it has one. */
    public static Tensor owning(Use use) {
        return written(use, use.find(2).isPresent() ? List.of() : List.of(Expressions.named("bias", false)));
    }

    private static Tensor written(Use use, List<Object> weights) {
        Tensor x = use.in(0);
        Tensor weight = use.in(1);
        List<Long> kernel = WindowOperators.kernelOf(use, weight);
        int axes = x.rank() - 2;
        if (axes > 2) {
            throw use.detail("its operand has " + x.rank() + " axes, and transposed convolutions here take 3 or 4");
        }
        String auto = use.text("auto_pad", "NOTSET");
        boolean isSame = auto.startsWith("SAME");
        Window window = isSame
                ? new Window(
                        kernel,
                        use.integers("strides").orElse(Window.repeated(1, axes)),
                        use.integers("dilations").orElse(Window.repeated(1, axes)),
                        Window.repeated(0, axes),
                        Window.repeated(0, axes),
                        false)
                : Window.of(use, x, kernel);
        long groups = use.integer("group", 1);
        long channels = use.extent(weight, 1) * groups;
        // Without padding first: what is asked may cut off more on one side.
        List<Dim> whole = new ArrayList<>(List.of(x.dim(0), Dim.of(channels)));
        long[] cutLow = new long[x.rank()];
        long[] cutHigh = new long[x.rank()];
        List<Long> more = use.integers("output_padding").orElse(Window.repeated(0, axes));
        for (int i = 0; i < axes; i++) {
            long stride = window.strides().get(i);
            long reach = (kernel.get(i) - 1) * window.dilations().get(i) + 1;
            Dim full = x.dim(i + 2).minus(1).times(stride).plus(reach);
            whole.add(full);
            cutLow[i + 2] = -window.low().get(i);
            cutHigh[i + 2] = more.get(i) - window.high().get(i);
            if (use.integers("output_shape").isPresent() || isSame) {
                List<Long> asked = use.integers("output_shape").orElse(List.of());
                long target = asked.isEmpty() ? use.extent(x, i + 2) * stride : asked.get(asked.size() - axes + i);
                long cut = use.number(full, "extents") + more.get(i) - target;
                long less = cut / 2;
                boolean isUpper = auto.equals("SAME_UPPER");
                less = cut < 0 ? isUpper ? 0 : cut : less;
                cutLow[i + 2] = -(isUpper ? less : cut - less);
                cutHigh[i + 2] = more.get(i) - (isUpper ? cut - less : less);
            }
        }
        boolean isPlain =
                Arrays.equals(cutLow, cutHigh) && Arrays.stream(cutLow).allMatch(cut -> cut <= 0);
        List<Object> arguments = new ArrayList<>(List.of(x, channels, Window.shortest(kernel)));
        WindowOperators.add(arguments, "stride", window.strides(), 1);
        List<Dim> dims = whole;
        if (isPlain) {
            List<Long> pads = new ArrayList<>();
            dims = new ArrayList<>(whole);
            for (int i = 0; i < axes; i++) {
                pads.add(-cutLow[i + 2]);
                dims.set(i + 2, whole.get(i + 2).plus(2 * cutLow[i + 2]));
            }
            WindowOperators.add(arguments, "padding", pads, 0);
        }
        WindowOperators.add(arguments, "groups", List.of(groups), 1);
        WindowOperators.add(arguments, "dilation", window.dilations(), 1);
        arguments.addAll(weights);
        Tensor y = use.out()
                .call(
                        "conv_transpose" + WindowOperators.suffix(window),
                        x.type().with(new Shape(dims)),
                        arguments.toArray());
        return isPlain ? y : PartOperators.pad(use, y, cutLow, cutHigh, 0, "constant");
    }
}
