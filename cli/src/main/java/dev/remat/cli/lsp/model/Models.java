package dev.remat.cli.lsp.model;

import dev.remat.cli.console.Console;
import dev.remat.cli.lsp.text.Document;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Reads the models that are open, one at a time, and plans them beside that. Of a text that goes on while it is read or
 * planned, what was begun is dropped.
 */
public final class Models implements AutoCloseable {
    private static final long STACK_BYTES = 64L << 20;
    /** How long nobody has to type before a plan is begun. */
    private static final long PAUSE_MILLIS = 300;

    /** Hears what becomes of the models, from threads of ours. */
    public interface Listener {
        /** Everything that the compiler says of a text. */
        void analysed(Analysis analysis);

        /** A plan is made, fails or falls behind its text. */
        void planned(ModelPlan plan);

        /** A bug of ours; the text is left as it is. */
        void failed(String uri, Throwable why);
    }

    private static final class Entry {
        private final Document document;
        private final CompletableFuture<Analysis> analysis = new CompletableFuture<>();
        private volatile ModelPlan plan;
        /** The text has gone on since, or is no longer open. */
        private volatile boolean dropped;

        private volatile Future<?> search = CompletableFuture.completedFuture(null);

        Entry(Document document, ModelPlan plan) {
            this.document = document;
            this.plan = plan;
        }

        void drop() {
            dropped = true;
            analysis.cancel(false);
            search.cancel(false);
        }
    }

    private final Documents documents;
    private final Console console;
    private final Listener listener;
    private final ExecutorService analysing = Executors.newSingleThreadExecutor(threads("analysis"));
    private final ScheduledThreadPoolExecutor planning = new ScheduledThreadPoolExecutor(1, threads("planning"));
    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private volatile String configured = "";

    public Models(Documents documents, Console console, Listener listener) {
        this.documents = documents;
        this.console = console;
        this.listener = listener;
        // What is not begun goes with all that it would have planned.
        planning.setRemoveOnCancelPolicy(true);
    }

    private static ThreadFactory threads(String name) {
        return work -> {
            Thread thread = new Thread(null, work, name, STACK_BYTES);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Words for {@code plan} where a model has none of its own; empty for no plan. */
    public synchronized void configure(String words) {
        if (!words.equals(configured)) {
            configured = words;
            entries.values().stream().map(entry -> entry.document).toList().forEach(this::read);
        }
    }

    /** The text has come, or gone on; models that include it are read again as well. */
    public synchronized void changed(Document document) {
        read(document);
        entries.values().stream()
                .filter(entry -> entry.document != document && includes(entry, document.file()))
                .map(entry -> entry.document)
                .toList()
                .forEach(this::read);
    }

    /** The text is no longer open; models that include it find the file. */
    public synchronized void closed(Document document) {
        Entry entry = entries.remove(document.uri());
        if (entry != null) {
            entry.drop();
        }
        entries.values().stream()
                .filter(each -> includes(each, document.file()))
                .map(each -> each.document)
                .toList()
                .forEach(this::read);
    }

    private static boolean includes(Entry entry, String file) {
        Analysis known =
                entry.analysis.isDone() && !entry.analysis.isCompletedExceptionally() ? entry.analysis.join() : null;
        // What is being read right now may have met the old text.
        return known == null
                ? !entry.document.names().includes().isEmpty()
                : known.files().stream().anyMatch(source -> source.file().equals(file));
    }

    private void read(Document document) {
        Entry before = entries.get(document.uri());
        ModelPlan plan = before == null ? ModelPlan.none(document) : before.plan.behind(document, false);
        Entry entry = new Entry(document, plan);
        entries.put(document.uri(), entry);
        if (before != null) {
            before.drop();
        }
        analysing.execute(() -> analyse(entry));
    }

    private void analyse(Entry entry) {
        BooleanSupplier superseded = () -> entry.dropped;
        try {
            if (entry.dropped) {
                return;
            }
            Analysis analysis = Analyze.run(entry.document, documents.includes(entry.document), configured, superseded);
            entry.analysis.complete(analysis);
            if (!entry.dropped) {
                listener.analysed(analysis);
                plan(entry, analysis);
            }
        } catch (CancellationException e) {
            entry.analysis.cancel(false);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            entry.analysis.completeExceptionally(e);
            listener.failed(entry.document.uri(), e);
        }
    }

    private void plan(Entry entry, Analysis analysis) {
        if (analysis.step().isEmpty() || analysis.hasErrors()) {
            analysis.complaint().ifPresent(why -> {
                entry.plan = entry.plan.failed(why);
            });
            listener.planned(entry.plan);
            return;
        }
        BooleanSupplier superseded = () -> entry.dropped;
        entry.plan = entry.plan.behind(entry.document, true);
        listener.planned(entry.plan);
        Runnable search = () -> {
            try {
                PlanModel.run(analysis, entry.plan, console, superseded, plan -> {
                    if (!entry.dropped) {
                        entry.plan = plan;
                        listener.planned(plan);
                    }
                });
            } catch (CancellationException _) {
                // The text has gone on, and is planned anew.
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                entry.plan = entry.plan.failed("planning failed: " + e);
                listener.failed(entry.document.uri(), e);
            } finally {
                // A search leaves much behind, for which the heap would rather grow; nobody types just now.
                System.gc();
            }
        };
        entry.search = planning.schedule(search, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        if (entry.dropped) {
            entry.search.cancel(false);
        }
    }

    /** What the compiler says of the text as it is; cancelled if that goes on before. */
    public synchronized CompletableFuture<Analysis> analysis(String uri) {
        Entry entry = entries.get(uri);
        return entry == null
                ? CompletableFuture.failedFuture(new CancellationException("not open: " + uri))
                : entry.analysis;
    }

    /** The plan as far as it is made; empty for what is not open. */
    public synchronized Optional<ModelPlan> plan(String uri) {
        return Optional.ofNullable(entries.get(uri)).map(entry -> entry.plan);
    }

    /** Texts that are open, in the order in which they came. */
    public synchronized List<Document> open() {
        return entries.values().stream().map(entry -> entry.document).toList();
    }

    @Override
    public void close() {
        synchronized (this) {
            entries.values().forEach(Entry::drop);
            entries.clear();
        }
        analysing.shutdownNow();
        planning.shutdownNow();
    }
}
