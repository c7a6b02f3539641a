package dev.remat.cli.report;

import java.io.PrintStream;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;

/**
 * The line in which a bar is drawn. It ends once, and nothing is drawn below: a bar draws itself whenever it is closed,
 * and one that is closed before it was first drawn does not end its line.
 */
final class BarLine extends ConsoleProgressBarConsumer {
    private boolean drawn;
    private boolean ended;

    /** @param columns that the bar has at most */
    BarLine(PrintStream terminal, int columns) {
        super(terminal, columns);
    }

    @Override
    public synchronized void accept(String bar) {
        if (!ended) {
            drawn = true;
            super.accept(bar);
        }
    }

    @Override
    public synchronized void close() {
        if (drawn && !ended) {
            super.close();
        }
        ended = true;
    }
}
