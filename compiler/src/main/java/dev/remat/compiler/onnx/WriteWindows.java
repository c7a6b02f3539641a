package dev.remat.compiler.onnx;

import dev.remat.ir.Dim;
import dev.remat.ir.op.AvgPool2d;
import dev.remat.ir.op.PoolWindow;
import java.util.ArrayList;
import java.util.List;

/**
 * Pooling. A last window that reaches beyond the input is made whole by padding behind it, for runtimes differ in what
 * {@code ceil_mode} counts.
 */
final class WriteWindows {
    private final Translated node;
    private final PoolWindow window;

    private WriteWindows(Translated node, PoolWindow window) {
        this.node = node;
        this.window = window;
    }

    static void max(Translated node, PoolWindow window) {
        WriteWindows windows = new WriteWindows(node, window);
        List<Attribute> attributes = windows.shape();
        attributes.add(Attribute.of("pads", windows.pads()));
        if (window.isDilated()) {
            attributes.add(Attribute.of("dilations", List.of(window.dilationH(), window.dilationW())));
        }
        node.result(node.apply("MaxPool", List.of(node.operand(0)), attributes.toArray(Attribute[]::new)));
    }

    /** Padding that counts is put around first, for runtimes differ in how they count it. */
    static void mean(Translated node, AvgPool2d pool) {
        WriteWindows windows = new WriteWindows(node, pool.window());
        List<Attribute> attributes = windows.shape();
        String x = node.operand(0);
        List<Long> pads = windows.pads();
        if (pool.countPadding()) {
            List<Long> around = new ArrayList<>(List.of(0L, 0L, pads.get(0), pads.get(1)));
            around.addAll(List.of(0L, 0L, pads.get(2), pads.get(3)));
            boolean none = around.stream().allMatch(each -> each == 0);
            x = none ? x : node.apply("Pad", x, node.out().row(around), node.number(0, 0));
        } else {
            attributes.add(Attribute.of("pads", pads));
        }
        node.result(node.apply("AveragePool", List.of(x), attributes.toArray(Attribute[]::new)));
    }

    private List<Attribute> shape() {
        List<Attribute> attributes = new ArrayList<>();
        attributes.add(Attribute.of("kernel_shape", List.of(window.windowH(), window.windowW())));
        attributes.add(Attribute.of("strides", List.of(window.strideH(), window.strideW())));
        if (isCut()) {
            attributes.add(Attribute.of("ceil_mode", 1));
        }
        return attributes;
    }

    /** Whether a last window is cut that nobody knows the end of. */
    private boolean isCut() {
        return window.partial()
                && !(missingRows().isConstant() && missingColumns().isConstant());
    }

    /** Before rows and columns, and behind them. */
    private List<Long> pads() {
        boolean more = window.partial() && !isCut();
        long rows = more ? Math.max(0, missingRows().value()) : 0;
        long columns = more ? Math.max(0, missingColumns().value()) : 0;
        long h = window.paddingH();
        long w = window.paddingW();
        return List.of(h, w, h + rows, w + columns);
    }

    private Dim missingRows() {
        Dim input = node.type(0).dim(2);
        return missing(
                input.plus(2L * window.paddingH()),
                window.outputH(input),
                window.windowH(),
                window.strideH(),
                window.dilationH());
    }

    private Dim missingColumns() {
        Dim input = node.type(0).dim(3);
        return missing(
                input.plus(2L * window.paddingW()),
                window.outputW(input),
                window.windowW(),
                window.strideW(),
                window.dilationW());
    }

    /** Rows behind those given that the last window reaches over. */
    private static Dim missing(Dim given, Dim windows, int window, int stride, int dilation) {
        return windows.minus(1).times(stride).plus((window - 1L) * dilation + 1).minus(given);
    }
}
