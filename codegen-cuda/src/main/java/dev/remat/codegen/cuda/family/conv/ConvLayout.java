package dev.remat.codegen.cuda.family.conv;

import dev.remat.codegen.cuda.emit.Divisor;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.family.gemm.Gemm;
import dev.remat.codegen.cuda.family.gemm.GemmOperand;
import dev.remat.codegen.cuda.family.gemm.GemmProblem;
import dev.remat.codegen.cuda.family.gemm.ResultLayout;

/** Where the results of a convolution go in their images or filters, as a struct of {@code convolution.cuh}. */
sealed interface ConvLayout extends ResultLayout {
    /** Whether rows of the product are pixels and columns channels; else it is the other way round. */
    default boolean channelsLast() {
        return false;
    }

    /**
     * The product of filters and pixels whose results go here.
     *
     * @param problem with rows and columns as this has them
     */
    default Gemm product(GemmProblem problem, GemmOperand filters, GemmOperand pixels) {
        return channelsLast() ? new Gemm(problem, pixels, filters, this) : new Gemm(problem, filters, pixels, this);
    }

    /**
     * Results that fill whole images: one of m and n is the channel of a group, the other the pixel among those of all
     * images.
     *
     * @param channels of all groups
     * @param area pixels of an image
     */
    record Whole(boolean channelsLast, long channels, long groupChannels, long area) implements ConvLayout {
        @Override
        public int width() {
            return ResultLayout.dividing(channelsLast ? groupChannels : area);
        }

        @Override
        public String declare(KernelCall call) {
            call.header("convolution.cuh");
            String numbers = call.u32(channels) + ", " + call.u32(groupChannels);
            return channelsLast
                    ? "ChannelPlace{" + numbers + "}"
                    : KernelCall.struct("PlanePlace", numbers, call.u32(area), call.u64(Divisor.magic(area)));
        }
    }

    /**
     * Results on some rows and columns of images: one of m and n is the channel of a group, the other the position on
     * the grid of all images.
     *
     * @param channels of all groups
     * @param height rows of the images, likewise {@code imageWidth}
     */
    record Strided(
            boolean channelsLast,
            long channels,
            long groupChannels,
            long height,
            long imageWidth,
            ConvPhase rows,
            ConvPhase columns)
            implements ConvLayout {
        @Override
        public int width() {
            return channelsLast ? ResultLayout.dividing(groupChannels) : 1;
        }

        @Override
        public String declare(KernelCall call) {
            call.header("convolution.cuh");
            long area = rows.count() * columns.count();
            String place = KernelCall.struct(
                    "StridedPlace",
                    call.u32(channels),
                    call.u32(groupChannels),
                    call.u32(columns.count()),
                    call.u32(area),
                    call.u32(height),
                    call.u32(imageWidth),
                    call.u32(rows.first()),
                    call.u32(columns.first()),
                    call.u32(rows.stride()),
                    call.u32(columns.stride()),
                    call.u64(Divisor.magic(columns.count())),
                    call.u64(Divisor.magic(area)));
            return channelsLast ? "StridedChannelPlace{" + place + "}" : place;
        }
    }

    /**
     * Results on some rows and columns of images that have zeros on all others, written together.
     *
     * @param pairs whether two neighbours of a plane may be written at once
     */
    record Spread(Strided corners, boolean pairs) implements ConvLayout {
        @Override
        public boolean channelsLast() {
            return corners.channelsLast();
        }

        @Override
        public int width() {
            return corners.width();
        }

        @Override
        public String declare(KernelCall call) {
            return corners.declare(call);
        }

        @Override
        public String output(KernelCall call, String output) {
            call.header("convolution.cuh");
            String function = channelsLast() ? "spread_channels(" : "spread<" + (pairs ? 2 : 1) + ">(";
            String spread = function
                    + String.join(
                            ", ",
                            output,
                            call.u32(corners.rows().stride()),
                            call.u32(corners.columns().stride()),
                            call.u32(corners.imageWidth()));
            return spread + (channelsLast() ? ", " + call.u32(corners.channels()) : "") + ")";
        }
    }

    /** Elements of a convolution's filters {@code [O, C, h, w]} where n counts channels fastest. */
    record Filters(ConvShape shape) implements ConvLayout {
        @Override
        public int width() {
            return 1;
        }

        @Override
        public String declare(KernelCall call) {
            call.header("convolution.cuh");
            return KernelCall.struct(
                    "KernelPlace",
                    call.u32(shape.groupInputs()),
                    call.u32(shape.groupOutputs()),
                    call.u32(shape.taps()),
                    call.u64(Divisor.magic(shape.groupInputs())));
        }
    }
}
