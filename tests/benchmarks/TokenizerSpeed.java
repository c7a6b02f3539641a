import dev.remat.runtime.text.Tokenizer;
import dev.remat.runtime.text.TokenizerFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;

/** Processor time in which a file becomes tokens, the first time in a process: {@code TEXT TOKENIZER…}. */
final class TokenizerSpeed {
    private static final double MILLION = 1e6;

    private TokenizerSpeed() {}

    public static void main(String[] args) throws Exception {
        byte[] text = Files.readAllBytes(Path.of(args[0]));
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        for (int i = 1; i < args.length; i++) {
            Tokenizer tokenizer = TokenizerFile.read(Path.of(args[i]));
            long begin = clock.getCurrentThreadCpuTime();
            int tokens = tokenizer.encode(text).length;
            double millis = (clock.getCurrentThreadCpuTime() - begin) / MILLION;
            System.out.printf("%s: %d bytes, %d tokens, %.0f ms%n", args[i], text.length, tokens, millis);
        }
    }
}
