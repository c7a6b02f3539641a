package dev.remat.compiler.elaborate;

import dev.remat.compiler.builtin.Datum;
import dev.remat.ir.diagnostic.Location;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Names of one application of a layer, and after them those of the layer or model around its definition. */
final class Environment {
    private final Optional<Environment> outer;
    private final Instance instance;
    private final CallSites sites;
    private final Map<String, Datum> values = new LinkedHashMap<>();
    private final Map<String, Location> definitions = new LinkedHashMap<>();
    private final Map<String, Integer> counters = new LinkedHashMap<>();
    private final Set<String> found = new LinkedHashSet<>();

    Environment(Optional<Environment> outer, Instance instance, CallSites sites) {
        this.outer = outer;
        this.instance = instance;
        this.sites = sites;
    }

    Instance instance() {
        return instance;
    }

    CallSites sites() {
        return sites;
    }

    /** Binds or rebinds a name of this body. */
    void set(String name, Datum value) {
        values.put(name, value);
    }

    /** Where the name was declared before, unless that is {@code location} itself, met again in a loop. */
    Optional<Location> declare(String name, Location location) {
        Location before = definitions.putIfAbsent(name, location);
        return before == null || before.equals(location) ? Optional.empty() : Optional.of(before);
    }

    /** How often the name was taken before in this application. */
    int count(String name) {
        return counters.merge(name, 1, Integer::sum) - 1;
    }

    Optional<Datum> find(String name) {
        for (Optional<Environment> at = Optional.of(this); at.isPresent(); at = at.get().outer) {
            Datum value = at.get().values.get(name);
            if (value != null) {
                at.get().found.add(name);
                return Optional.of(value);
            }
        }
        return Optional.empty();
    }

    /** Names of this body that were looked up since it was last asked, here or further in. */
    Set<String> takeFound() {
        Set<String> taken = new LinkedHashSet<>(found);
        found.clear();
        return taken;
    }

    /** The call or calls known under {@code name}. */
    Optional<Datum> findCall(String name) {
        for (Optional<Environment> at = Optional.of(this); at.isPresent(); at = at.get().outer) {
            if (at.get().instance.hasChild(name)) {
                return at.get().instance.member(name);
            }
        }
        return Optional.empty();
    }

    /** Every name in sight, innermost first. */
    List<String> names() {
        List<String> names = new ArrayList<>();
        for (Optional<Environment> at = Optional.of(this); at.isPresent(); at = at.get().outer) {
            names.addAll(at.get().values.keySet());
        }
        return names;
    }
}
