package dev.remat.codegen.cuda.family.conv;

import java.util.ArrayList;
import java.util.List;

/**
 * Input pixels along one axis that meet the same elements of a filter when a convolution is turned around: every
 * {@code stride}-th. Over them the gradient is a convolution without stride by part of the filter.
 *
 * @param stride of the convolution
 * @param first the first of the pixels
 * @param count number of the pixels
 * @param firstTap first element of the filter that they meet
 * @param tapStep from one of these elements to the next
 * @param taps number of these elements, perhaps none
 * @param axis which outputs they meet
 */
record ConvPhase(long stride, long first, long count, long firstTap, long tapStep, long taps, ConvGrid.Axis axis) {
    /** All phases of an axis of {@code extent} pixels, each pixel in one of them; elements are in one at most. */
    static List<ConvPhase> of(long extent, long filter, long stride, long padding, long dilation) {
        List<ConvPhase> phases = new ArrayList<>();
        long shared = greatestCommonDivisor(stride, dilation);
        long tapStep = stride / shared;
        for (long first = 0; first < Math.min(stride, extent); first++) {
            long tap = 0;
            while (tap < tapStep && (first + padding - tap * dilation) % stride != 0) {
                tap++;
            }
            long taps = tap == tapStep || tap >= filter ? 0 : Math.ceilDiv(filter - tap, tapStep);
            long origin = (first + padding - tap * dilation) / stride;
            phases.add(new ConvPhase(
                    stride,
                    first,
                    Math.ceilDiv(extent - first, stride),
                    tap,
                    tapStep,
                    taps,
                    new ConvGrid.Axis(taps, 1, origin, -dilation / shared)));
        }
        return phases;
    }

    private static long greatestCommonDivisor(long a, long b) {
        return b == 0 ? a : greatestCommonDivisor(b, a % b);
    }
}
