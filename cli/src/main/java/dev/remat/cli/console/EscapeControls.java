package dev.remat.cli.console;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes control characters of UTF-8 text other than tabs and ends of lines as {@code \\u001b} and the like, which is
 * their form in JSON too, so that no text commands a terminal.
 */
final class EscapeControls extends FilterOutputStream {
    /** With it begin the controls U+0080 to U+009F. */
    private static final int LEAD = 0xc2;

    private boolean afterLead;

    EscapeControls(OutputStream out) {
        super(out);
    }

    @Override
    public void write(int b) throws IOException {
        int unit = b & 0xff;
        if (afterLead) {
            afterLead = false;
            if (unit < 0xa0) {
                escape(unit);
            } else {
                out.write(LEAD);
                out.write(unit);
            }
        } else if (unit == LEAD) {
            afterLead = true;
        } else if (isControl(unit)) {
            escape(unit);
        } else {
            out.write(unit);
        }
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        int end = offset + length;
        int at = offset;
        while (at < end) {
            int from = at;
            while (!afterLead && at < end && isPlain(bytes[at] & 0xff)) {
                at++;
            }
            out.write(bytes, from, at - from);
            if (at < end) {
                write(bytes[at++]);
            }
        }
    }

    private static boolean isPlain(int unit) {
        return unit != LEAD && !isControl(unit);
    }

    private static boolean isControl(int unit) {
        return unit < 0x20 && unit != '\n' && unit != '\t' || unit == 0x7f;
    }

    private void escape(int character) throws IOException {
        out.write("\\u%04x".formatted(character).getBytes(StandardCharsets.US_ASCII));
    }
}
