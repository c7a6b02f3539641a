package dev.remat.cli.search;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.compiler.plan.LowerBound;
import dev.remat.compiler.plan.portfolio.Strategies;
import java.io.IOException;
import java.util.Optional;

/** Of which plans a bound speaks, and what a search had to do without. */
public final class BoundText {
    /** Of what was {@linkplain #lacked not there}. */
    public static final String CONSEQUENCE = "which may have found a better plan or bound";

    private BoundText() {}

    /** What the search would have used and could not load, for people. */
    public static Optional<String> lacked() {
        return Strategies.lacked();
    }

    /** The scope, and where something was not there its name, as fields of an object. */
    public static void write(JsonGenerator out, LowerBound bound) throws IOException {
        out.writeStringField("boundScope", bound.scope().text());
        Optional<String> lacked = lacked();
        if (lacked.isPresent()) {
            out.writeStringField("searchedWithout", lacked.get());
        }
    }
}
