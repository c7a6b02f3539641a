package dev.remat.cli.page;

import dev.remat.cli.console.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SequencedMap;

/**
 * A page in one file. The same title, scripts and data give the same bytes by the same Java.
 *
 * @param title plain text
 * @param script the module whose {@code show(data, place)} draws it, such as {@code plan.js}
 * @param libraries that the module uses as global names
 * @param data an object of JSON, passed to the module
 */
public record HtmlPage(String title, String script, List<PageLibrary> libraries, Json.Fields data) {
    public HtmlPage {
        libraries = List.copyOf(libraries);
    }

    public byte[] bytes() {
        SequencedMap<String, String> modules = PageModules.reachableFrom(script);
        StringBuilder page = new StringBuilder(PageResource.text("page.html"));
        put(page, "title", EmbeddedText.escape(title));
        put(page, "style", PageResource.text("page.css"));
        StringBuilder scripts = new StringBuilder();
        StringBuilder licences = new StringBuilder();
        for (PageLibrary library : libraries) {
            scripts.append("<script>").append(library.script()).append("</script>\n");
            licences.append(EmbeddedText.escape(library.notice())).append('\n');
        }
        put(page, "libraries", scripts.toString());
        put(page, "licences", licences.toString());
        put(page, "modules", PageModules.importMap(modules));
        put(page, "entry", PageModules.name(script));
        put(page, "data", EmbeddedText.packed(data));
        return page.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void put(StringBuilder page, String part, String text) {
        String mark = "<!--" + part + "-->";
        int at = page.indexOf(mark);
        page.replace(at, at + mark.length(), text);
    }
}
