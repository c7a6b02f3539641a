package dev.remat.cli.lsp.model;

import dev.remat.cli.lsp.text.Document;
import dev.remat.compiler.syntax.FolderIncludes;
import dev.remat.compiler.syntax.IncludeResolver;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.io.SourceFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;

/** The texts that are open in the editor, and the files around them; what is open goes before what is on disk. */
public final class Documents {
    private static final int MOST_FILES = 2000;
    private static final int DEEPEST = 8;
    private static final String SUFFIX = ".model";

    private final Map<String, Document> open = new ConcurrentSkipListMap<>();
    private volatile List<Path> folders = List.of();

    /** Folders that the editor has open. */
    public void setFolders(List<Path> opened) {
        folders = List.copyOf(opened);
    }

    public void put(Document document) {
        open.put(document.uri(), document);
    }

    public void close(String uri) {
        open.remove(uri);
    }

    /** Empty for what is not open. */
    public Optional<Document> find(String uri) {
        return Optional.ofNullable(open.get(uri));
    }

    /** Open or on disk, by the name that locations have; empty if it cannot be read. */
    public Optional<Document> ofFile(String file) {
        Optional<Document> found =
                open.values().stream().filter(each -> each.file().equals(file)).findFirst();
        if (found.isPresent()) {
            return found;
        }
        try {
            Path path = Path.of(file);
            return Files.isRegularFile(path)
                    ? Optional.of(new Document(
                            path.toUri().toString(), 0, SourceFiles.read(path).text()))
                    : Optional.empty();
        } catch (ModelException | InvalidPathException e) {
            // No file, such as the place of a setting.
            return Optional.empty();
        }
    }

    /** What a model finds when it includes; what is open is taken as it stands there. */
    public IncludeResolver includes(Document model) {
        if (model.path().isEmpty()) {
            return IncludeResolver.NONE;
        }
        FolderIncludes folder = new FolderIncludes(model.path().get());
        return (path, from) -> switch (folder.resolve(path, from)) {
            case IncludeResolver.Found(Source source) ->
                new IncludeResolver.Found(open.values().stream()
                        .filter(each -> each.file().equals(source.file()))
                        .map(Document::source)
                        .findFirst()
                        .orElse(source));
            case IncludeResolver.Refused refused -> refused;
        };
    }

    /** The text and all that it includes, itself first. */
    public List<Document> withIncluded(Document document) {
        Map<String, Document> found = new LinkedHashMap<>();
        Deque<Document> left = new ArrayDeque<>(List.of(document));
        while (!left.isEmpty()) {
            Document next = left.remove();
            if (found.putIfAbsent(next.file(), next) == null) {
                left.addAll(included(next));
            }
        }
        return List.copyOf(found.values());
    }

    private List<Document> included(Document document) {
        List<Document> included = new ArrayList<>();
        for (String path : document.names().includedPaths()) {
            try {
                document.path()
                        .map(file -> file.resolveSibling(path).normalize().toString())
                        .flatMap(this::ofFile)
                        .ifPresent(included::add);
            } catch (InvalidPathException e) {
                // Half of a path, which is said as a mistake of the model.
            }
        }
        return included;
    }

    /** All texts that share names with one: what it includes, what includes it, and so on. */
    public List<Document> related(Document document) {
        Map<String, Document> all = new LinkedHashMap<>();
        all.put(document.file(), document);
        open.values().forEach(each -> all.putIfAbsent(each.file(), each));
        models(document).forEach(path -> ofFile(path.toString()).ifPresent(each -> all.putIfAbsent(each.file(), each)));
        Map<String, Document> related = new LinkedHashMap<>();
        withIncluded(document).forEach(each -> related.put(each.file(), each));
        boolean grows = true;
        while (grows) {
            grows = false;
            for (Document each : all.values()) {
                List<Document> reached = withIncluded(each);
                boolean meets = reached.stream().anyMatch(other -> related.containsKey(other.file()));
                if (meets) {
                    for (Document other : reached) {
                        grows |= related.putIfAbsent(other.file(), other) == null;
                    }
                }
            }
        }
        return List.copyOf(related.values());
    }

    /** Model files of the editor's folders, or beside a text where it has none. */
    public List<Path> models(Document document) {
        List<Path> roots = document.path()
                .filter(path -> folders.stream().noneMatch(path::startsWith))
                .map(path -> List.of(path.getParent()))
                .orElse(folders);
        List<Path> found = new ArrayList<>();
        for (Path root : roots) {
            try (Stream<Path> files = Files.walk(root, DEEPEST)) {
                files.filter(path -> path.toString().endsWith(SUFFIX))
                        .filter(Files::isRegularFile)
                        .limit(MOST_FILES)
                        .forEach(found::add);
            } catch (IOException | UncheckedIOException e) {
                // A folder that cannot be read has nothing to say.
            }
        }
        found.sort(Comparator.naturalOrder());
        return found;
    }
}
