package dev.remat.cli.console;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/** Remembers why a stream first failed; {@link java.io.PrintStream} tells only that it did. */
final class FirstFailure extends FilterOutputStream {
    private IOException first;

    FirstFailure(OutputStream out) {
        super(out);
    }

    Optional<IOException> get() {
        return Optional.ofNullable(first);
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (IOException e) {
            throw remembered(e);
        }
    }

    @Override
    public void flush() throws IOException {
        try {
            out.flush();
        } catch (IOException e) {
            throw remembered(e);
        }
    }

    private IOException remembered(IOException failure) {
        first = first == null ? failure : first;
        return failure;
    }
}
