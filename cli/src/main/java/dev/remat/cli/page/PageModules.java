package dev.remat.cli.page;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.StringJoiner;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The modules of a page's own script. They import each other by relative paths, as they lie in their folder. A page has
 * no folder, so that each gets a name in an import map there, and its imports are by these names.
 */
final class PageModules {
    private static final Pattern IMPORT = Pattern.compile("(?m)^(?:import|export|\\}).* from '(\\.[^']*)';$");
    private static final String NAMES = "remat/";

    private PageModules() {}

    /** A module's name in a page. */
    static String name(String path) {
        return NAMES + path;
    }

    /** Texts of a module and all that it needs, by path, with imports by name. */
    static SequencedMap<String, String> reachableFrom(String entry) {
        SequencedMap<String, String> found = new LinkedHashMap<>();
        Deque<String> open = new ArrayDeque<>(List.of(entry));
        while (!open.isEmpty()) {
            String path = open.remove();
            if (!found.containsKey(path)) {
                String source = PageResource.text(path);
                List<MatchResult> imports = IMPORT.matcher(source).results().toList();
                StringBuilder text = new StringBuilder(source);
                for (MatchResult each : imports.reversed()) {
                    String imported = URI.create(path).resolve(each.group(1)).toString();
                    open.add(imported);
                    text.replace(each.start(1), each.end(1), name(imported));
                }
                found.put(path, text.toString());
            }
        }
        return found;
    }

    /** An import map that holds the modules themselves. */
    static String importMap(Map<String, String> modules) {
        StringJoiner imports = new StringJoiner(",\n", "{\"imports\":{\n", "\n}}");
        modules.forEach((path, text) -> {
            String named = text + "//# sourceURL=" + name(path) + "\n";
            String encoded = Base64.getEncoder().encodeToString(named.getBytes(StandardCharsets.UTF_8));
            imports.add("\"" + name(path) + "\":\"data:text/javascript;base64," + encoded + "\"");
        });
        return imports.toString();
    }
}
