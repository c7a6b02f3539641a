package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;
import static org.bytedeco.cuda.global.cudart.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
import static org.bytedeco.cuda.global.cudart.cuFuncSetAttribute;
import static org.bytedeco.cuda.global.cudart.cuModuleGetFunction;
import static org.bytedeco.cuda.global.cudart.cuModuleLoadData;
import static org.bytedeco.cuda.global.cudart.cuModuleUnload;

import dev.remat.ir.artifact.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.bytedeco.cuda.cudart.CUfunc_st;
import org.bytedeco.cuda.cudart.CUmod_st;

/** The machine code of a program on a GPU. Callers have made the context their own. */
final class KernelModule implements AutoCloseable {
    private final CudaProgram program;
    private final CUmod_st module = new CUmod_st();
    private final List<CUfunc_st> functions = new ArrayList<>();

    private KernelModule(CudaProgram program) {
        this.program = program;
    }

    /**
     * Loads.
     *
     * @throws DeviceException if the driver is too old for the code, or refuses it, or if a block of it has more shared
     *     memory than the GPU gives
     */
    static KernelModule load(CudaProgram program, Gpu gpu) {
        CudaDriver driver = CudaDriver.load();
        driver.obstacle(program.compiler()).ifPresent(obstacle -> {
            throw new DeviceException(obstacle);
        });
        demandShared(program, gpu, driver.sharedBytesOfBlock(gpu));
        KernelModule loaded = new KernelModule(program);
        try (Arena arena = Arena.ofConfined()) {
            ByteBuffer cubin = program.code().cubin();
            MemorySegment image = arena.allocate(Math.max(1, cubin.remaining()), Long.BYTES);
            MemorySegment.copy(MemorySegment.ofBuffer(cubin), 0, image, 0, cubin.remaining());
            check(
                    cuModuleLoadData(loaded.module, NativeAddress.of(image)),
                    "the kernels for " + program.code().architecture() + " cannot be loaded");
        }
        try {
            loaded.find();
            return loaded;
        } catch (DeviceException e) {
            loaded.close();
            throw e;
        }
    }

    private static void demandShared(CudaProgram program, Gpu gpu, int most) {
        for (Launch launch : program.code().launches()) {
            if (program.sharedBytes(launch) > most) {
                throw new DeviceException(program.kernels().get(launch.kernel()).symbol() + ", compiled for "
                        + program.code().architecture() + ", has " + program.sharedBytes(launch)
                        + " bytes of shared memory in a block, and " + gpu.name() + " gives no more than "
                        + most + "; build for " + gpu.architecture() + " itself, whose kernels take less");
            }
        }
    }

    private void find() {
        int[] shared = new int[program.kernels().size()];
        boolean[] launched = new boolean[shared.length];
        for (Launch launch : program.code().launches()) {
            launched[launch.kernel()] = true;
            shared[launch.kernel()] = Math.max(shared[launch.kernel()], launch.sharedBytes());
        }
        for (int k = 0; k < shared.length; k++) {
            CUfunc_st function = new CUfunc_st();
            functions.add(function);
            if (launched[k]) {
                String symbol = program.kernels().get(k).symbol();
                check(cuModuleGetFunction(function, module, symbol), "the machine code lacks " + symbol);
                if (shared[k] > 0) {
                    int attribute = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
                    check(
                            cuFuncSetAttribute(function, attribute, shared[k]),
                            symbol + " does not get its " + shared[k] + " bytes of shared memory");
                }
            }
        }
    }

    CUfunc_st function(int kernel) {
        return functions.get(kernel);
    }

    @Override
    public void close() {
        cuModuleUnload(module);
    }
}
