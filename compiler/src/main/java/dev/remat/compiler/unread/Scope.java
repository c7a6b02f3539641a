package dev.remat.compiler.unread;

import dev.remat.compiler.ast.Identifier;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Names of one body as they are read in its text. A name that may or may not be bound in a body at some place counts as
 * read there and further out.
 */
final class Scope {
    private final Optional<Scope> outer;
    private final String layer;
    private final Set<String> bound = new LinkedHashSet<>();
    private final Set<String> read = new LinkedHashSet<>();
    private final List<Declared> declared = new ArrayList<>();

    /** @param kind as a message calls it */
    record Declared(String kind, Identifier name) {}

    /** @param layer whose body this is; what it reads of itself does not make it read */
    Scope(Optional<Scope> outer, String layer) {
        this.outer = outer;
        this.layer = layer;
    }

    /** A name that somebody should read. */
    void declare(String kind, Identifier name) {
        declared.add(new Declared(kind, name));
    }

    /** From here on the name is certainly of this body. */
    void bind(Identifier name) {
        bound.add(name.text());
    }

    void read(String name) {
        read.add(name);
        if (!bound.contains(name) && !layer.equals(name)) {
            outer.ifPresent(further -> further.read(name));
        }
    }

    /** What was declared and not read, but for what another way reads and names that start with {@code _}. */
    List<Declared> unread(Predicate<Declared> otherwiseRead) {
        return declared.stream()
                .filter(each -> !read.contains(each.name().text()))
                .filter(each -> !each.name().text().startsWith("_"))
                .filter(each -> !otherwiseRead.test(each))
                .toList();
    }
}
