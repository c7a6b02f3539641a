package dev.remat.cli.page;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Properties;

/** Libraries that pages carry, as their makers packed them; each is a global name of its own in a page. */
public enum PageLibrary {
    /** Scales, axes, shapes, zoom and selections: {@code d3} (Bostock, Ogievetsky and Heer, 2011). */
    D3("dist/d3.min.js", ""),
    /** Layered drawings of directed graphs: {@code dagre} (Pettitt, 2012; after Gansner et al., 1993). */
    DAGRE("dist/dagre.min.js", """
        It holds graphlib (Copyright (c) 2012-2014 Chris Pettitt) and lodash (Copyright OpenJS Foundation and
        other contributors), both under the terms above.
        """);

    private static final String WEB_JARS = "META-INF/resources/webjars/";

    private final String file;
    private final String parts;

    PageLibrary(String file, String parts) {
        this.file = file;
        this.parts = parts;
    }

    /** Its program, which stands in a page as it is. */
    String script() {
        return PageResource.ofLibrary(path(file)).strip();
    }

    /** Name, version and licence. */
    String notice() {
        return label() + " " + version() + "\n"
                + PageResource.ofLibrary(path("LICENSE")).strip() + "\n" + parts;
    }

    private String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    private String path(String inPackage) {
        return WEB_JARS + label() + "/" + version() + "/" + inPackage;
    }

    private String version() {
        Properties properties = new Properties();
        try {
            properties.load(new StringReader(
                    PageResource.ofLibrary("META-INF/maven/org.webjars.npm/" + label() + "/pom.properties")));
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory failed", e);
        }
        return properties.getProperty("version");
    }
}
