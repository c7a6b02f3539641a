package dev.remat.ir.artifact;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of CUDA.
 *
 * @param number as drivers count: 13010 for 13.1
 */
public record CudaVersion(int number) {
    private static final int MAJOR = 1000;
    private static final int MINOR = 10;
    private static final Pattern COMPILER = Pattern.compile("([0-9]{1,3})\\.([0-9]{1,2})(-.*)?");

    /** The version of an NVRTC as artifacts name it, {@code 13.1-8c1f60be}; empty if that is no NVRTC's name. */
    public static Optional<CudaVersion> ofCompiler(String nvrtc) {
        Matcher version = COMPILER.matcher(nvrtc);
        return version.matches()
                ? Optional.of(new CudaVersion(
                        MAJOR * Integer.parseInt(version.group(1)) + MINOR * Integer.parseInt(version.group(2))))
                : Optional.empty();
    }

    /** The driver of a major version runs what any of its minor versions has compiled, and later drivers do, too. */
    public int major() {
        return number / MAJOR;
    }

    /** {@code 13.1}. */
    @Override
    public String toString() {
        return major() + "." + number % MAJOR / MINOR;
    }
}
