package dev.remat.ir.target;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Kernels cost what they were measured to take, or what a closer model than a roofline predicted. One that is not among
 * them costs what the roofline of the device's rates says, scaled by what kernels of its family took beyond that; where
 * there are none of the family, by what all did.
 */
public final class ProfileCost implements CostModel {
    /** Sums over measured kernels, in nanoseconds. */
    private record Sums(double predicted, double measured) {
        Sums plus(double morePredicted, double moreMeasured) {
            return new Sums(predicted + morePredicted, measured + moreMeasured);
        }

        double ratio() {
            return predicted > 0 && measured > 0 ? measured / predicted : 1;
        }
    }

    private static final Sums NOTHING = new Sums(0, 0);

    private final String name;
    private final KernelProfile profile;
    private final boolean measured;
    private final RooflineCost roofline;
    private final Map<String, Long> nanos = new LinkedHashMap<>();
    private final Map<String, Sums> families = new LinkedHashMap<>();
    private Sums all = NOTHING;

    /** @param source where the profile comes from, for reports */
    public ProfileCost(String source, KernelProfile profile) {
        this.name = prefix(profile) + source;
        this.profile = profile;
        this.measured = profile.predictor().isEmpty();
        this.roofline = new RooflineCost(profile.device());
        for (KernelTime kernel : profile.kernels()) {
            nanos.put(kernel.key(), kernel.nanos());
            double predicted = kernel.count() * roofline.nanos(kernel.flops(), kernel.bytes(), kernel.dtype());
            double measured = kernel.count() * (double) kernel.nanos();
            all = all.plus(predicted, measured);
            Sums family = families.getOrDefault(kernel.family(), NOTHING);
            families.put(kernel.family(), family.plus(predicted, measured));
        }
    }

    /**
     * The same under the name that it had.
     *
     * @throws IllegalArgumentException if it is no name for such times
     */
    public static ProfileCost named(String name, KernelProfile profile) {
        if (!name.startsWith(prefix(profile))) {
            throw new IllegalArgumentException("times of " + prefix(profile) + " are not named " + name);
        }
        return new ProfileCost(name.substring(prefix(profile).length()), profile);
    }

    private static String prefix(KernelProfile profile) {
        return profile.predictor().orElse("profile") + ":";
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Optional<CostFile> file() {
        return Optional.of(new CostFile.Profile(profile));
    }

    @Override
    public long cost(KernelWork work) {
        return measured(work).orElseGet(() -> estimated(work));
    }

    /** Whether the times were measured and not predicted. */
    public boolean isMeasured() {
        return measured;
    }

    /** The measured time of a kernel with this signature in nanoseconds, at least 1. */
    public OptionalLong measured(KernelWork work) {
        Long time = nanos.get(work.signature().key());
        return time == null ? OptionalLong.empty() : OptionalLong.of(Math.max(1, time));
    }

    private long estimated(KernelWork work) {
        KernelSignature signature = work.signature();
        double scale = families.getOrDefault(signature.family(), all).ratio();
        return Math.max(1, Math.round(scale * roofline.nanos(work.flops(), work.bytes(), signature.dtype())));
    }
}
