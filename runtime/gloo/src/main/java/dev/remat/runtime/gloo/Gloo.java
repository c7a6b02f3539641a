package dev.remat.runtime.gloo;

import dev.remat.ir.natives.LibraryUnavailableException;
import dev.remat.runtime.process.Engine;
import dev.remat.runtime.process.Messages;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.pytorch.global.torch_gloo;

/** Gloo, from the jars that this class comes with. */
public final class Gloo implements Engine {
    /** The presets count what a process has mapped, arenas included, and would refuse to go on. */
    private static final String UNLIMITED = "0";
    /** Those of PyTorch crash where they are loaded while others are still unpacked. */
    private static final List<String> LIBRARIES = List.of("javacpp", "openblas", "pytorch");

    @Override
    public String describe() {
        load();
        return "Gloo of PyTorch " + version();
    }

    @Override
    public Messages join(int rank, int ranks, String network, Meet meeting) {
        load();
        return GlooMessages.join(rank, ranks, network, meeting);
    }

    private static String version() {
        String version = torch_gloo.class.getPackage().getImplementationVersion();
        return version == null ? "" : version;
    }

    /**
     * Unpacks all libraries before the first is used. Of processes that start together one does so while the others
     * wait: what one of them still writes another would take for whole.
     */
    private static void load() {
        System.setProperty("org.bytedeco.javacpp.maxBytes", UNLIMITED);
        System.setProperty("org.bytedeco.javacpp.maxPhysicalBytes", UNLIMITED);
        PrintStream errors = System.err;
        // The presets say that they are newer than those of OpenBLAS beside them, as they are meant to be.
        System.setErr(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
        try {
            unpackAndLoad();
        } catch (IOException | LinkageError e) {
            throw new LibraryUnavailableException("Gloo cannot be loaded: " + e.getMessage());
        } finally {
            System.setErr(errors);
        }
    }

    private static void unpackAndLoad() throws IOException {
        File cache = Loader.getCacheDir();
        Path unpacked = cache.toPath().resolve("remat-gloo-" + version() + ".unpacked");
        if (Files.exists(unpacked)) {
            Loader.load(torch_gloo.class);
            return;
        }
        try (FileChannel file = FileChannel.open(
                        cache.toPath().resolve("remat-gloo.lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
                FileLock _ = file.lock()) {
            for (String name : LIBRARIES) {
                Loader.cacheResources(Gloo.class, "/org/bytedeco/" + name + "/" + Loader.getPlatform() + "/");
            }
            Loader.load(torch_gloo.class);
            Files.createFile(unpacked);
        } catch (FileAlreadyExistsException e) {
            // Another has done so.
            return;
        }
    }
}
