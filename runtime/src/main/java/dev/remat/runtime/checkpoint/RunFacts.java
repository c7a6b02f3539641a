package dev.remat.runtime.checkpoint;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** What the results of a run depend on, part by part, each fact under a name. */
public record RunFacts(Map<Part, SortedMap<String, String>> parts) {
    /** What facts are about, and what a resumed run may do to them. */
    public enum Part {
        /** What the parameters mean; {@link #MODEL_NAME} and a hash of layers and body. */
        MODEL("model", Rule.SAME),
        /** Hyper-parameters that the model's graph depends on. */
        HYPER_PARAMETERS("hyperparameters", Rule.SAME),
        /** Extents such as the batch size. */
        SYMBOLS("symbols", Rule.SAME_UNLESS_ALLOWED),
        /** Parts into which a step cuts its batch, which decide how sums are rounded; one goes without saying. */
        MICRO_BATCHES("micro_batches", Rule.FREE, Optional.of("1")),
        PRECISION("precision", Rule.SAME_UNLESS_ALLOWED),
        SEED("seed", Rule.SAME_UNLESS_ALLOWED),
        DATA("data", Rule.SAME_UNLESS_ALLOWED),
        /** Loss, optimizer, rates, and hyper-parameters that they alone depend on. */
        TRAINING("training", Rule.FREE),
        /** Software and processor, as far as rounding depends on them. */
        PLATFORM("platform", Rule.FREE);

        private final String label;
        private final Rule rule;
        private final Optional<String> usual;

        Part(String label, Rule rule) {
            this(label, rule, Optional.empty());
        }

        /** @param usual fact of the part's name, where a run says nothing */
        Part(String label, Rule rule, Optional<String> usual) {
            this.label = label;
            this.rule = rule;
            this.usual = usual;
        }

        /** As files and options name it. */
        public String label() {
            return label;
        }

        public Rule rule() {
            return rule;
        }

        public static Optional<Part> ofLabel(String label) {
            for (Part part : values()) {
                if (part.label.equals(label)) {
                    return Optional.of(part);
                }
            }
            return Optional.empty();
        }
    }

    /** What a resumed run may change. */
    public enum Rule {
        SAME,
        SAME_UNLESS_ALLOWED,
        FREE
    }

    /** The fact of {@link Part#MODEL} that names the model. */
    public static final String MODEL_NAME = "name";

    /** A fact that differs; empty where a run lacks it. */
    public record Change(Part part, String name, Optional<String> before, Optional<String> now) {
        /** Such as {@code B is 8, was 4}. */
        public String text() {
            String what = name.equals(part.label()) || part != Part.DATA && part != Part.MODEL
                    ? name
                    : part.label() + " " + name;
            if (now.isEmpty()) {
                return what + " is gone, was " + before.orElseThrow();
            }
            return what + " is " + now.get() + before.map(was -> ", was " + was).orElse(", was not there");
        }
    }

    /** @throws IllegalArgumentException if the number of micro-batches is none from 1 on */
    public RunFacts {
        Map<Part, SortedMap<String, String>> sorted = new EnumMap<>(Part.class);
        parts.forEach((part, facts) -> sorted.put(part, Collections.unmodifiableSortedMap(new TreeMap<>(facts))));
        parts = Collections.unmodifiableMap(sorted);
        String microBatches =
                find(parts, Part.MICRO_BATCHES, Part.MICRO_BATCHES.label).orElseThrow();
        long count = whole(Part.MICRO_BATCHES.label, microBatches);
        if (count < 1 || count > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(count + " micro-batches");
        }
    }

    /** @throws IllegalArgumentException with words for people if the text is no whole number of 64 bits */
    static long whole(String name, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(name + " is '" + text + "', which is no whole number", e);
        }
    }

    public static RunFacts none() {
        return new RunFacts(new EnumMap<>(Part.class));
    }

    /** These with a part replaced. */
    public RunFacts with(Part part, Map<String, String> facts) {
        Map<Part, SortedMap<String, String>> more = new EnumMap<>(Part.class);
        more.putAll(parts);
        more.put(part, new TreeMap<>(facts));
        return new RunFacts(more);
    }

    /** These with a part of one fact, which has the part's name; without the part if the fact goes without saying. */
    public RunFacts with(Part part, String value) {
        if (!part.usual.equals(Optional.of(value))) {
            return with(part, Map.of(part.label(), value));
        }
        Map<Part, SortedMap<String, String>> fewer = new EnumMap<>(Part.class);
        fewer.putAll(parts);
        fewer.remove(part);
        return new RunFacts(fewer);
    }

    /** The facts of a part by name, none where it is unknown. */
    public SortedMap<String, String> of(Part part) {
        return parts.getOrDefault(part, Collections.emptySortedMap());
    }

    /** The fact that has its part's name, where it is known or goes without saying. */
    public Optional<String> find(Part part) {
        return find(parts, part, part.label());
    }

    private static Optional<String> find(Map<Part, SortedMap<String, String>> parts, Part part, String name) {
        String fact = parts.getOrDefault(part, Collections.emptySortedMap()).get(name);
        return fact == null && name.equals(part.label) ? part.usual : Optional.ofNullable(fact);
    }

    /** Into how many parts a step cuts its batch. */
    public int microBatches() {
        return Integer.parseInt(find(Part.MICRO_BATCHES).orElseThrow());
    }

    /** What differs in these parts, in their order and by name. */
    public List<Change> changesSince(RunFacts before, Collection<Part> compared) {
        List<Change> changes = new ArrayList<>();
        for (Part part : new TreeSet<>(compared)) {
            TreeSet<String> names = new TreeSet<>(of(part).keySet());
            names.addAll(before.of(part).keySet());
            for (String name : names) {
                Optional<String> was = find(before.parts, part, name);
                Optional<String> is = find(parts, part, name);
                if (!was.equals(is)) {
                    changes.add(new Change(part, name, was, is));
                }
            }
        }
        return changes;
    }
}
