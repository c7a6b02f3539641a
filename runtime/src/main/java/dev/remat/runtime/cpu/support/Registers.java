package dev.remat.runtime.cpu.support;

/** The arrays in which one thread evaluates elementwise programs; more are added when a program first needs them. */
public final class Registers {
    public float[][] floats = {};
    public double[][] doubles = {};
    public long[][] longs = {};
    public final int[] words = new int[Scratch.CHUNK + 8];
    public final long[] counters = new long[RandomBits.PLACES];
    public final FloatBits bits = new FloatBits();
    public final FloatFunctions functions = new FloatFunctions();

    /** Makes room for so many registers of each kind. */
    public void ensure(int floatCount, int doubleCount, int longCount) {
        if (floats.length < floatCount) {
            floats = new float[floatCount][Scratch.CHUNK];
        }
        if (doubles.length < doubleCount) {
            doubles = new double[doubleCount][Scratch.CHUNK];
        }
        if (longs.length < longCount) {
            longs = new long[longCount][Scratch.CHUNK];
        }
    }
}
