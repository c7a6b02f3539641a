package dev.remat.compiler.onnx.signal;

import dev.remat.compiler.onnx.rule.Use;
import dev.remat.compiler.onnx.statement.Constant;
import dev.remat.compiler.onnx.statement.Tensor;
import dev.remat.ir.DType;
import java.util.ArrayList;
import java.util.List;

/** Weights that sum up a spectrum by the mel scale, as MelWeightMatrix-17 defines them. */
public final class MelWeights {
    private MelWeights() {}

    public static Tensor run(Use use, DType dtype) {
        int bins = (int) use.known(0).real(0);
        int size = (int) use.known(1).real(0);
        double rate = use.known(2).real(0);
        double lowest = mel(use.known(3).real(0));
        double highest = mel(use.known(4).real(0));
        int spectrum = size / 2 + 1;
        long[] edges = new long[bins + 2];
        double step = (highest - lowest) / edges.length;
        for (int i = 0; i < edges.length; i++) {
            double hertz = 700 * (Math.pow(10, (lowest + i * step) / 2595) - 1);
            edges[i] = (long) Math.floor((size + 1) * hertz / rate);
        }
        double[][] weights = new double[spectrum][bins];
        for (int i = 0; i < bins; i++) {
            long low = edges[i];
            long centre = edges[i + 1];
            long high = edges[i + 2];
            if (centre == low) {
                weights[(int) centre][i] = 1;
            }
            for (long j = low; j <= centre && centre > low; j++) {
                weights[(int) j][i] = (double) (j - low) / (centre - low);
            }
            for (long j = centre; j < high; j++) {
                weights[(int) j][i] = (double) (high - j) / (high - centre);
            }
        }
        List<Double> all = new ArrayList<>();
        for (double[] row : weights) {
            for (double weight : row) {
                all.add(weight);
            }
        }
        return Tensor.of(Constant.reals(DType.F64, List.of((long) spectrum, (long) bins), all)
                .cast(dtype));
    }

    private static double mel(double hertz) {
        return 2595 * Math.log10(1 + hertz / 700);
    }
}
