package dev.remat.benchmarks.libtorch;

import java.io.File;
import java.io.IOException;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.mkl.global.mkl_rt;
import org.bytedeco.pytorch.global.torch;

/**
 * The native library. It asks for OpenBLAS, whose own threads would wait busily beside those of PyTorch; where MKL is
 * preloaded, products are MKL's, as in PyTorch's packages, and there is one pool of threads.
 */
public final class Libtorch {
    private static final String MKL = "libmkl_rt.so.3";

    private Libtorch() {}

    /** Unpacks all libraries, for PyTorch's do not load from an empty cache, and prints the path of MKL's. */
    public static void main(String[] words) throws IOException {
        Loader.load(mkl_rt.class);
        Loader.load(torch.class);
        File mkl = Loader.cacheResource("/org/bytedeco/mkl/" + Loader.getPlatform() + "/" + MKL);
        System.out.println(mkl);
    }

    /** Loads the library, for so many threads. */
    static void load(int threads) {
        Loader.load(torch.class);
        torch.set_num_threads(threads);
    }
}
