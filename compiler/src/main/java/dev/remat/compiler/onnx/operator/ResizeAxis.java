package dev.remat.compiler.onnx.operator;

import dev.remat.compiler.onnx.rule.Use;
import java.util.ArrayList;
import java.util.List;

/**
 * How Resize interpolates along one axis.
 *
 * @param isOld of Upsample, or of Resize before version 11
 * @param scale how many times larger the axis becomes
 * @param region of the axis that is taken, where it crops
 */
record ResizeAxis(Use use, boolean isOld, double scale, double[] region) {
    private String mode() {
        return use.text("mode", "nearest");
    }

    boolean isNearest() {
        return mode().equals("nearest");
    }

    private String transformation() {
        return isOld ? "asymmetric" : use.text("coordinate_transformation_mode", "half_pixel");
    }

    /** Where a place of the result lies in the operand. */
    private double origin(int place, int from, int to) {
        double size = from * scale;
        return switch (transformation()) {
            case "half_pixel" -> (place + 0.5) / scale - 0.5;
            case "half_pixel_symmetric" -> {
                double adjustment = to / size;
                yield from / 2.0 * (1 - adjustment) + (place + 0.5) / scale - 0.5;
            }
            case "pytorch_half_pixel" -> to > 1 ? (place + 0.5) / scale - 0.5 : 0;
            case "align_corners" -> to == 1 ? 0 : place * (from - 1.0) / (size - 1);
            case "asymmetric" -> place / scale;
            case "tf_half_pixel_for_nn" -> (place + 0.5) / scale;
            case "tf_crop_and_resize" ->
                to > 1
                        ? region[0] * (from - 1) + place * (region[1] - region[0]) * (from - 1) / (to - 1)
                        : 0.5 * (region[0] + region[1]) * (from - 1);
            default -> throw use.detail("its places are counted by '" + transformation() + "'");
        };
    }

    private boolean crops() {
        return transformation().equals("tf_crop_and_resize");
    }

    /** Whether some places lie outside of the operand and have a value of their own. */
    boolean extrapolates(int from, int to) {
        for (int i = 0; crops() && i < to; i++) {
            if (!isInside(i, from, to)) {
                return true;
            }
        }
        return false;
    }

    boolean isInside(int place, int from, int to) {
        double at = origin(place, from, to);
        return !crops() || at >= 0 && at <= from - 1;
    }

    /** The nearest element for each place of the result. */
    List<Integer> places(int from, int to) {
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < to; i++) {
            double at = origin(i, from, to);
            double nearest = switch (isOld ? "floor" : use.text("nearest_mode", "round_prefer_floor")) {
                case "round_prefer_floor" -> Math.ceil(at - 0.5);
                case "round_prefer_ceil" -> Math.floor(at + 0.5);
                case "floor" -> Math.floor(at);
                case "ceil" -> Math.ceil(at);
                default -> throw use.detail("its nearest_mode is '" + use.text("nearest_mode", "") + "'");
            };
            places.add(Math.clamp((long) nearest, 0, from - 1));
        }
        return places;
    }

    /** What each place of the result takes of each element. */
    double[][] weights(int from, int to) {
        double[][] weights = new double[to][from];
        for (int i = 0; i < to; i++) {
            if (isNearest()) {
                weights[i][places(from, to).get(i)] = 1;
            } else if (mode().equals("linear") || mode().equals("bilinear")) {
                add(weights[i], origin(i, from, to), new double[] {0, 1}, from);
            } else if (mode().equals("cubic")) {
                add(weights[i], origin(i, from, to), new double[] {-1, 0, 1, 2}, from);
            } else {
                throw use.detail("its mode is '" + mode() + "'");
            }
        }
        return weights;
    }

    private void add(double[] row, double at, double[] taps, int from) {
        boolean isCubic = taps.length > 2;
        double clamped = isCubic ? at : Math.clamp(at, 0, from - 1.0);
        double floor = Math.floor(clamped);
        boolean excludes = use.flag("exclude_outside", false);
        double sum = 0;
        double[] values = new double[taps.length];
        for (int i = 0; i < taps.length; i++) {
            double distance = Math.abs(clamped - floor - taps[i]);
            values[i] = isCubic ? cubic(distance) : Math.max(0, 1 - distance);
            boolean isOutside = floor + taps[i] < 0 || floor + taps[i] > from - 1;
            values[i] = isOutside && excludes ? 0 : values[i];
            sum += values[i];
        }
        for (int i = 0; i < taps.length; i++) {
            int place = Math.clamp((long) (floor + taps[i]), 0, from - 1);
            row[place] += excludes ? values[i] / sum : values[i];
        }
    }

    /** The kernel of Keys (1981). */
    private double cubic(double distance) {
        double a = use.real("cubic_coeff_a", -0.75);
        if (distance <= 1) {
            return ((a + 2) * distance - (a + 3)) * distance * distance + 1;
        }
        return distance < 2 ? ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a : 0;
    }
}
