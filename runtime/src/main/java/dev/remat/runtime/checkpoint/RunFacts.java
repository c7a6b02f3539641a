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
        PRECISION("precision", Rule.SAME_UNLESS_ALLOWED),
        SEED("seed", Rule.SAME_UNLESS_ALLOWED),
        DATA("data", Rule.SAME_UNLESS_ALLOWED),
        /** Loss, optimizer, rates, and hyper-parameters that they alone depend on. */
        TRAINING("training", Rule.FREE),
        /** Software and processor, as far as rounding depends on them. */
        PLATFORM("platform", Rule.FREE);

        private final String label;
        private final Rule rule;

        Part(String label, Rule rule) {
            this.label = label;
            this.rule = rule;
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

    public RunFacts {
        Map<Part, SortedMap<String, String>> sorted = new EnumMap<>(Part.class);
        parts.forEach((part, facts) -> sorted.put(part, Collections.unmodifiableSortedMap(new TreeMap<>(facts))));
        parts = Collections.unmodifiableMap(sorted);
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

    /** These with a part of one fact, which has the part's name. */
    public RunFacts with(Part part, String value) {
        return with(part, Map.of(part.label(), value));
    }

    /** The facts of a part by name, none where it is unknown. */
    public SortedMap<String, String> of(Part part) {
        return parts.getOrDefault(part, Collections.emptySortedMap());
    }

    /** What differs in these parts, in their order and by name. */
    public List<Change> changesSince(RunFacts before, Collection<Part> compared) {
        List<Change> changes = new ArrayList<>();
        for (Part part : new TreeSet<>(compared)) {
            TreeSet<String> names = new TreeSet<>(of(part).keySet());
            names.addAll(before.of(part).keySet());
            for (String name : names) {
                Optional<String> was = Optional.ofNullable(before.of(part).get(name));
                Optional<String> is = Optional.ofNullable(of(part).get(name));
                if (!was.equals(is)) {
                    changes.add(new Change(part, name, was, is));
                }
            }
        }
        return changes;
    }
}
