package dev.remat.cli.page;

import dev.remat.ir.io.TextResource;

/** Files that pages are made of. */
final class PageResource {
    private PageResource() {}

    /** A file beside this class. */
    static String text(String name) {
        return TextResource.read(PageResource.class.getResourceAsStream(name), name);
    }

    /** A file of a library, by its path in the library's jar. */
    static String ofLibrary(String path) {
        return TextResource.read(PageResource.class.getClassLoader().getResourceAsStream(path), path);
    }
}
