package dev.remat.runtime.io;

/** The bit mixer of SplitMix64 (Steele, Lea and Flood, 2014): equal input, equal output, on every machine. */
final class Mixing {
    static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private Mixing() {}

    static long mix(long value) {
        long z = value + GOLDEN_GAMMA;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
