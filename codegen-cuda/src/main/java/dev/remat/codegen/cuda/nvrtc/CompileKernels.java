package dev.remat.codegen.cuda.nvrtc;

import dev.remat.codegen.cuda.emit.ComposeSource;
import dev.remat.codegen.cuda.emit.KernelProgram;
import dev.remat.codegen.cuda.emit.KernelSource;
import dev.remat.codegen.cuda.target.Architecture;
import dev.remat.ir.artifact.KernelUsage;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.natives.CacheFolder;
import dev.remat.ir.natives.LibraryUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Compiles kernels to one cubin an architecture. The kernels of an architecture are one text, so that the text a user
 * sees is what was compiled; NVRTC itself optimizes and assembles them in parallel, and architectures are compiled side
 * by side. The same kernels give the same bytes on every machine.
 */
public final class CompileKernels {
    /** Part of the cubin's bytes, so the same on every machine; more of them than processors costs nothing. */
    private static final int THREADS = 8;
    /** Compilers recurse; the stack that Java gives its threads is too small for that. */
    private static final long STACK_BYTES = 64L << 20;

    private static final String STANDARD = "--std=c++17";
    /** No contraction: products use fma where they mean it. */
    private static final String ROUNDING = "--fmad=false";

    private final Optional<Path> cubins;
    private final Consumer<String> progress;
    private Optional<Nvrtc> loaded = Optional.empty();

    /**
     * Keeps cubins in the {@link CacheFolder}.
     *
     * @param progress is told in a few words what is being done, from several threads but one at a time
     */
    public CompileKernels(Consumer<String> progress) {
        this(CacheFolder.ofProcess().path().map(cache -> cache.resolve("cubins")), progress);
    }

    /** @param cubins where they are kept, if anywhere */
    CompileKernels(Optional<Path> cubins, Consumer<String> progress) {
        this.cubins = cubins;
        this.progress = progress;
    }

    /** Which NVRTC this is, exactly: its version and a check sum. */
    public String compiler() {
        return Nvrtc.exactVersion();
    }

    /**
     * One compiled program for each architecture, in the map's order.
     *
     * @throws KernelCompilationException if a kernel is refused
     * @throws LibraryUnavailableException if something is to be compiled and NVRTC cannot be loaded
     */
    public List<CompiledProgram> run(Map<Architecture, KernelProgram> programs) {
        int threads = Math.max(1, Math.min(programs.size(), Runtime.getRuntime().availableProcessors()));
        try (ExecutorService executor =
                Executors.newFixedThreadPool(threads, task -> new Thread(null, task, "nvrtc", STACK_BYTES))) {
            List<Future<CompiledProgram>> compiling = new ArrayList<>();
            programs.forEach(
                    (architecture, program) -> compiling.add(executor.submit(() -> compile(architecture, program))));
            List<CompiledProgram> compiled = new ArrayList<>();
            for (Future<CompiledProgram> program : compiling) {
                compiled.add(program.get());
            }
            return compiled;
        } catch (ExecutionException e) {
            throw asUnchecked(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while compiling kernels", e);
        }
    }

    /**
     * The intermediate code (PTX) that kernels become before they are assembled; it is not kept.
     *
     * @throws KernelCompilationException if a kernel is refused
     * @throws LibraryUnavailableException if NVRTC cannot be loaded
     */
    public String ptx(Architecture architecture, List<KernelSource> kernels) {
        String text = new ComposeSource().run(kernels);
        String virtual = architecture.label().replace("sm_", "compute_");
        Compilation compilation = nvrtc().compile(text, List.of("--gpu-architecture=" + virtual, STANDARD, ROUNDING));
        if (compilation.ptx().isEmpty()) {
            throw new KernelCompilationException(
                    architecture, FailureLog.read(new KernelLines(kernels, text), compilation), compilation.log());
        }
        return compilation.ptx();
    }

    private static RuntimeException asUnchecked(Throwable cause) {
        return switch (cause) {
            case Error error -> throw error;
            case RuntimeException exception -> exception;
            default -> new IllegalStateException(cause);
        };
    }

    private CompiledProgram compile(Architecture architecture, KernelProgram program) {
        List<KernelSource> kernels = program.kernels();
        String text = new ComposeSource().run(kernels);
        Compilation compilation = findOrCompile(architecture, kernels.size(), text);
        if (!compilation.succeeded()) {
            throw new KernelCompilationException(
                    architecture, FailureLog.read(new KernelLines(kernels, text), compilation), compilation.log());
        }
        Map<String, KernelUsage> usages = UsageLog.read(compilation.log());
        List<KernelUsage> inOrder = new ArrayList<>();
        for (KernelSource kernel : kernels) {
            KernelUsage usage = usages.get(kernel.symbol());
            if (usage == null) {
                throw new IllegalStateException("NVRTC made no kernel " + kernel.symbol() + " of its text");
            }
            inOrder.add(usage);
        }
        ByteBuffer cubin = ByteBuffer.wrap(compilation.cubin()).asReadOnlyBuffer();
        return new CompiledProgram(architecture, program, cubin, inOrder);
    }

    private Compilation findOrCompile(Architecture architecture, int kernels, String text) {
        List<String> options = options(architecture);
        String key = CompilationCache.key(Nvrtc.exactVersion(), options, text);
        String what = Count.of(kernels, "kernel") + " for " + architecture.label();
        Optional<CompilationCache> cache = openCache();
        Optional<Compilation> kept = cache.flatMap(folder -> find(folder, key));
        if (kept.isPresent()) {
            tell(what + ": compiled before");
            return kept.get();
        }
        Nvrtc nvrtc = nvrtc();
        tell("compiling " + what);
        Compilation compilation = nvrtc.compile(text, options);
        if (compilation.succeeded() && cache.isPresent()) {
            keep(cache.get(), key, compilation);
        }
        return compilation;
    }

    private static List<String> options(Architecture architecture) {
        return List.of(
                "--gpu-architecture=" + architecture.label(),
                STANDARD,
                ROUNDING,
                "--ptxas-options=-v",
                "--split-compile=" + THREADS);
    }

    private Optional<CompilationCache> openCache() {
        if (cubins.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(CompilationCache.open(cubins.get(), CompilationCache.MOST_BYTES));
        } catch (IOException e) {
            tellNotKept(e);
            return Optional.empty();
        }
    }

    private Optional<Compilation> find(CompilationCache cache, String key) {
        try {
            return cache.find(key);
        } catch (IOException e) {
            tellNotKept(e);
            return Optional.empty();
        }
    }

    private void keep(CompilationCache cache, String key, Compilation compilation) {
        try {
            cache.keep(key, compilation);
        } catch (IOException e) {
            tellNotKept(e);
        }
    }

    private void tellNotKept(IOException e) {
        tell("kernels are compiled anew each time, because their cache fails: " + e.getMessage());
    }

    private synchronized void tell(String message) {
        progress.accept(message);
    }

    private synchronized Nvrtc nvrtc() {
        if (loaded.isEmpty()) {
            progress.accept("loading NVRTC");
            loaded = Optional.of(Nvrtc.load());
        }
        return loaded.get();
    }
}
