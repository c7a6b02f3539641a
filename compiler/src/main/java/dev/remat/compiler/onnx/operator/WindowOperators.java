package dev.remat.compiler.onnx.operator;

import static dev.remat.compiler.onnx.rule.Operator.composed;
import static dev.remat.compiler.onnx.rule.Operator.direct;

import dev.remat.compiler.onnx.read.OnnxAttribute;
import dev.remat.compiler.onnx.read.OnnxNode;
import dev.remat.compiler.onnx.rule.Operator;
import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Expressions;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.Dim;
import dev.remat.ir.Shape;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.IntStream;

/** Convolutions and pools. */
public final class WindowOperators {
    private static final List<String> DIMENSIONS = List.of("1d", "2d", "3d");

    private WindowOperators() {}

    static List<Operator> table() {
        return List.of(
                direct("Conv", WindowOperators::convolution),
                Operator.several("CausalConvWithState", Operator.How.COMPOSED, WindowOperators::causal),
                direct("ConvTranspose", TransposedConvolution::run),
                direct("MaxPool", WindowOperators::maximum),
                direct("AveragePool", WindowOperators::average),
                composed("LpPool", WindowOperators::norm),
                direct("GlobalAveragePool", use -> global(use, "mean", use.in(0))),
                direct("GlobalMaxPool", use -> global(use, "amax", use.in(0))),
                composed("GlobalLpPool", WindowOperators::globalNorm),
                direct("Col2Im", WindowOperators::fold));
    }

    static String suffix(Window window) {
        return DIMENSIONS.get(window.axes() - 1);
    }

    private static Tensor padded(Use use, Tensor x, Window window, double value) {
        return PartOperators.pad(use, x, window.around(window.low()), window.around(window.high()), value, "constant");
    }

    static void add(List<Object> arguments, String name, List<Long> numbers, long usual) {
        if (numbers.stream().anyMatch(number -> number != usual)) {
            arguments.add(Expressions.named(name, Window.shortest(numbers)));
        }
    }

    private static List<Dim> sizes(Tensor x, Window window, Dim channels) {
        List<Dim> dims = new ArrayList<>(List.of(x.dim(0), channels));
        for (int i = 0; i < window.axes(); i++) {
            dims.add(window.size(x.dim(i + 2), i));
        }
        return dims;
    }

    static List<Long> kernelOf(Use use, Tensor weight) {
        return IntStream.range(2, weight.rank())
                .mapToObj(axis -> use.extent(weight, axis))
                .toList();
    }

    private static Tensor convolution(Use use) {
        return biased(
                use,
                convolved(
                        use,
                        List.of(
                                Expressions.named("bias", false),
                                Expressions.named("weight", use.out().body().spell(use.in(1))))));
    }

    /** Each channel by itself along one axis, over what was before and is there; and the end of that. */
    private static List<Tensor> causal(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        if (x.rank() != 3) {
            throw use.detail("its operand has " + x.rank() + " axes, and what goes over one of them has 3");
        }
        long before = use.extent(use.in(1), 2) - 1;
        Tensor all = out.let(
                use.find(3).isPresent()
                        ? out.concat(List.of(use.in(3), x), 2)
                        : PartOperators.pad(use, x, new long[] {0, 0, before}, new long[] {0, 0, 0}, 0, "constant"));
        OnnxNode node = use.node();
        SequencedMap<String, OnnxAttribute> groups = new LinkedHashMap<>();
        groups.put("group", OnnxAttribute.of("group", use.extent(use.in(1), 0)));
        OnnxNode conv = new OnnxNode(node.name(), "", "Conv", node.inputs(), node.outputs(), groups, node.metadata());
        List<Optional<Tensor>> operands = List.of(Optional.of(all), Optional.of(use.in(1)), use.find(2));
        Tensor y = convolution(new Use(conv, use.opset(), operands, out, use.inline()));
        String activation = use.text("activation", "none");
        Tensor result = switch (activation) {
            case "none" -> y;
            case "silu", "swish" -> out.unary("silu", y);
            default -> throw use.detail("its activation is '" + activation + "'");
        };
        return use.wants(1)
                ? List.of(result, out.slice(all, 2, x.dim(2), x.dim(2).plus(before), 1))
                : List.of(result);
    }

    /** A convolution that owns its weight, and its bias if it has one. */
    public static Tensor owning(Use use) {
        return convolved(use, use.find(2).isPresent() ? List.of() : List.of(Expressions.named("bias", false)));
    }

    private static Tensor convolved(Use use, List<Object> more) {
        Tensor x = use.in(0);
        Tensor weight = use.in(1);
        use.out().symbols().join(Dim.of(use.extent(weight, 1) * use.integer("group", 1)), x.dim(1));
        Window window = Window.of(use, x, kernelOf(use, weight));
        if (!window.isEven()) {
            x = padded(use, x, window, 0);
            window = window.unpadded();
        }
        List<Object> arguments = new ArrayList<>(List.of(x, use.extent(weight, 0), Window.shortest(window.kernel())));
        add(arguments, "stride", window.strides(), 1);
        add(arguments, "padding", window.low(), 0);
        add(arguments, "dilation", window.dilations(), 1);
        add(arguments, "groups", List.of(use.integer("group", 1)), 1);
        arguments.addAll(more);
        Shape shape = new Shape(sizes(x, window, weight.dim(0)));
        return use.out().call("conv" + suffix(window), x.type().with(shape), arguments.toArray());
    }

    static Tensor biased(Use use, Tensor y) {
        if (use.find(2).isEmpty()) {
            return y;
        }
        List<Dim> dims = new ArrayList<>(use.in(2).dims());
        IntStream.range(2, y.rank()).forEach(_ -> dims.add(Dim.ONE));
        return use.out().infix("+", y, use.out().reshape(use.in(2), dims));
    }

    private static List<Long> kernel(Use use) {
        return use.integers("kernel_shape").orElseThrow(() -> use.detail("it lacks its kernel_shape"));
    }

    private static Tensor pool(Use use, String function, Tensor x, Window window, List<Object> more) {
        List<Object> arguments = new ArrayList<>(List.of(x, Window.shortest(window.kernel())));
        if (!window.strides().equals(window.kernel())) {
            arguments.add(Expressions.named("stride", Window.shortest(window.strides())));
        }
        add(arguments, "padding", window.low(), 0);
        if (function.startsWith("max")) {
            add(arguments, "dilation", window.dilations(), 1);
        }
        if (window.ceil()) {
            arguments.add(Expressions.named("ceil_mode", true));
        }
        arguments.addAll(more);
        return use.out()
                .call(
                        function + suffix(window),
                        x.type().with(new Shape(sizes(x, window, x.dim(1)))),
                        arguments.toArray());
    }

    /** Whether a pool of the language may have the padding: the same on both sides, and at most half of the window. */
    private static boolean fits(Window window) {
        return window.isEven()
                && IntStream.range(0, window.axes())
                        .allMatch(
                                i -> window.low().get(i) * 2 <= window.kernel().get(i));
    }

    private static Tensor maximum(Use use) {
        if (use.wants(1)) {
            throw use.detail("its second result, places of the maxima, is read");
        }
        Tensor x = use.in(0);
        Window window = Window.of(use, x, kernel(use));
        if (!fits(window)) {
            x = padded(use, x, window, Double.NEGATIVE_INFINITY);
            window = window.unpadded();
        }
        return pool(use, "max_pool", x, window, List.of());
    }

    private static Tensor average(Use use) {
        Tensor x = use.in(0);
        Window window = Window.of(use, x, kernel(use));
        if (window.dilations().stream().anyMatch(number -> number != 1)) {
            throw use.detail("its window has dilations, which mean nothing to averages here");
        }
        boolean countsPadding = use.flag("count_include_pad", false);
        if (fits(window) || !window.isPadded()) {
            return pool(
                    use,
                    "avg_pool",
                    x,
                    window,
                    countsPadding || !window.isPadded() && !window.ceil()
                            ? List.of()
                            : List.of(Expressions.named("count_include_pad", false)));
        }
        if (countsPadding) {
            return pool(use, "avg_pool", padded(use, x, window, 0), window.unpadded(), List.of());
        }
        Expressions out = use.out();
        Tensor ones = out.call("ones_like", x.type(), x);
        Tensor sums = pool(use, "avg_pool", padded(use, x, window, 0), window.unpadded(), List.of());
        Tensor counts = pool(use, "avg_pool", padded(use, ones, window, 0), window.unpadded(), List.of());
        return out.infix("/", sums, counts);
    }

    private static Tensor norm(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        long p = use.integer("p", 2);
        Window window = Window.of(use, x, kernel(use));
        long count = window.kernel().stream().reduce(1L, (a, b) -> a * b);
        Tensor powers = out.infix("**", out.unary("abs", x), out.number(x.dtype(), p));
        Tensor means = pool(use, "avg_pool", padded(use, powers, window, 0), window.unpadded(), List.of());
        return out.infix("**", ElementwiseOperators.times(use, means, count), out.number(x.dtype(), 1.0 / p));
    }

    private static Tensor global(Use use, String function, Tensor x) {
        return use.out()
                .reduce(function, x, IntStream.range(2, x.rank()).boxed().toList(), true);
    }

    private static Tensor globalNorm(Use use) {
        Expressions out = use.out();
        Tensor x = use.in(0);
        long p = use.integer("p", 2);
        Tensor powers = out.infix("**", out.unary("abs", x), out.number(x.dtype(), p));
        return out.infix("**", global(use, "sum", powers), out.number(x.dtype(), 1.0 / p));
    }

    private static Tensor fold(Use use) {
        Tensor x = use.in(0);
        List<Long> size = use.numbers(1, "image_shape").orElseThrow();
        List<Long> kernel = use.numbers(2, "block_shape").orElseThrow();
        if (size.size() != 2) {
            throw use.detail("its image has " + size.size() + " axes, and 2 are known");
        }
        long area = kernel.stream().reduce(1L, (a, b) -> a * b);
        Dim channels = x.dim(1).floorDiv(area);
        List<Long> pads = use.integers("pads").orElse(Window.repeated(0, 4));
        List<Long> whole = List.of(size.get(0) + pads.get(0) + pads.get(2), size.get(1) + pads.get(1) + pads.get(3));
        List<Object> arguments = new ArrayList<>(List.of(x, Window.shortest(whole), Window.shortest(kernel)));
        add(arguments, "dilation", use.integers("dilations").orElse(List.of(1L, 1L)), 1);
        add(arguments, "stride", use.integers("strides").orElse(List.of(1L, 1L)), 1);
        Tensor image = use.out()
                .call(
                        "fold",
                        x.type()
                                .with(new Shape(
                                        List.of(x.dim(0), channels, Dim.of(whole.get(0)), Dim.of(whole.get(1))))),
                        arguments.toArray());
        long[] low = {0, 0, -pads.get(0), -pads.get(1)};
        long[] high = {0, 0, -pads.get(2), -pads.get(3)};
        return PartOperators.pad(use, image, low, high, 0, "constant");
    }
}
