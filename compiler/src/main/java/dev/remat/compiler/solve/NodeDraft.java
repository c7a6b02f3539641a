package dev.remat.compiler.solve;

import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Role;
import dev.remat.ir.plan.Pin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A node as far as a file has told of it, with values still by name. */
final class NodeDraft {
    /** A name and its location. */
    record Name(String text, Location location) {}

    /** A result of a node. */
    record Result(Name id, long bytes, Optional<Name> viewOf, Optional<Name> inPlaceOf) {}

    final Location location;
    Optional<Name> id = Optional.empty();
    OptionalLong cost = OptionalLong.empty();
    OptionalLong bytes = OptionalLong.empty();
    Optional<List<Result>> results = Optional.empty();
    final List<Name> inputs = new ArrayList<>();
    Role role = Role.FORWARD;
    boolean recomputable = true;
    boolean resident;
    long workspaceBytes;
    Pin pin = Pin.NONE;
    Optional<Name> viewOf = Optional.empty();
    Optional<Name> inPlaceOf = Optional.empty();
    final List<Name> writes = new ArrayList<>();
    boolean offloadable = true;
    Optional<Name> home = Optional.empty();

    NodeDraft(Location location) {
        this.location = location;
    }

    /** The results listed, or the one value that goes by the node's name. */
    List<Result> allResults() {
        return results.orElseGet(() -> List.of(new Result(id.orElseThrow(), bytes.orElse(0), viewOf, inPlaceOf)));
    }

    /** @throws dev.remat.ir.diagnostic.ModelException if a field is missing or contradicts another */
    void check() {
        require(id.isPresent(), "a node needs an 'id'");
        require(cost.isPresent(), "node '" + id.get().text() + "' needs a 'cost'");
        require(
                bytes.isPresent() || results.isPresent() || viewOf.isPresent(),
                "node '" + id.get().text() + "' needs 'bytes' or 'results'");
        boolean own = bytes.isPresent() || viewOf.isPresent() || inPlaceOf.isPresent();
        require(
                results.isEmpty() || !own,
                "node '" + id.get().text() + "' lists 'results', so 'bytes', 'viewOf' and 'inPlaceOf' belong to these");
    }

    private void require(boolean holds, String message) {
        if (!holds) {
            throw JsonDiagnostics.field(location, message);
        }
    }
}
