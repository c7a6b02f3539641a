package dev.remat.runtime.cpu;

/** The arrays in which one thread evaluates elementwise programs; more are added when a program first needs them. */
final class Registers {
    float[][] floats = {};
    double[][] doubles = {};
    long[][] longs = {};
    final int[] words = new int[Scratch.CHUNK + 8];
    final FloatBits bits = new FloatBits();
    final FloatFunctions functions = new FloatFunctions();

    void ensure(int floatCount, int doubleCount, int longCount) {
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
