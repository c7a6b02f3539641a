package dev.remat.cli.lsp.text;

import java.util.function.Supplier;

/** What is worked out when it is first asked for, once for all threads. */
final class Lazy<T> implements Supplier<T> {
    private Supplier<T> maker;
    private T made;

    Lazy(Supplier<T> maker) {
        this.maker = maker;
    }

    @Override
    public synchronized T get() {
        if (maker != null) {
            made = maker.get();
            maker = null;
        }
        return made;
    }
}
