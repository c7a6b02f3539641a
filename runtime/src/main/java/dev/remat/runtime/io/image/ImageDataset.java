package dev.remat.runtime.io.image;

import dev.remat.runtime.io.ArrayDataset;
import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.Dataset;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.Fingerprint;
import dev.remat.runtime.io.InputSpec;
import dev.remat.runtime.io.Samples;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Images in a folder that has a sub-folder for every class, which in the order of their names are the labels 0, 1 and
 * so on. Images feed the one input of floats [B, C, H, W], labels the one of integers [B]. A file is decoded when a
 * batch takes it. Of every class the last tenth is held back, by name, and where it has two images at least one of
 * them.
 */
public final class ImageDataset implements Dataset {
    /** Of so many files, the beginning of each is part of the fingerprint: 64 MiB together. */
    private static final int FILES_READ = 1 << 10;

    private static final int BYTES_READ = 1 << 16;

    private final Path folder;
    private final ImageTransform transform;
    private final List<Category> classes = new ArrayList<>();
    private final List<String> strays = new ArrayList<>();
    /** That all images were found to have. */
    private Optional<ImageFile.Size> common = Optional.empty();

    /** @param images in the order of their names */
    private record Category(List<Path> images) {
        private int heldBack() {
            return images.size() == 1 ? 0 : Math.max(1, images.size() / Samples.HELD_BACK_SHARE);
        }
    }

    /**
     * An image with its label.
     *
     * @param place its number among the images of its class that are taken, which are {@code of}
     */
    private record Labelled(ImageFile image, int label, int place, int of) {}

    private ImageDataset(Path folder, ImageTransform transform) {
        this.folder = folder;
        this.transform = transform;
    }

    /** Whether a place is a folder without arrays. */
    public static boolean isAt(Path place) throws IOException {
        return Files.isDirectory(place) && !ArrayDataset.isAt(place);
    }

    /** @throws DataException if there are no sub-folders, or one of them has no images */
    public static ImageDataset open(Path folder, ImageTransform transform) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new NotDirectoryException(folder.toString());
        }
        ImageDataset dataset = new ImageDataset(folder, transform);
        for (Path entry : visible(folder)) {
            if (Files.isDirectory(entry)) {
                dataset.addClass(entry);
            } else {
                dataset.strays.add(dataset.name(entry));
            }
        }
        if (dataset.classes.isEmpty()) {
            throw new DataException(folder + " has neither arrays (.safetensors, .npy) nor a sub-folder of images for"
                    + " every class");
        }
        return dataset;
    }

    private static List<Path> visible(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(entry -> !isHidden(folder.relativize(entry)))
                    .sorted(byName())
                    .toList();
        }
    }

    /** What file managers and editors leave behind is neither an image nor a class. */
    private static boolean isHidden(Path relative) {
        for (Path name : relative) {
            if (name.toString().startsWith(".")) {
                return true;
            }
        }
        return false;
    }

    /** The same on every platform. */
    private static Comparator<Path> byName() {
        return Comparator.comparing(path -> path.toString().replace('\\', '/'));
    }

    private void addClass(Path subfolder) throws IOException {
        List<Path> images = new ArrayList<>();
        try (Stream<Path> files = Files.walk(subfolder, FileVisitOption.FOLLOW_LINKS)) {
            files.filter(file -> Files.isRegularFile(file) && !isHidden(subfolder.relativize(file)))
                    .sorted(byName())
                    .forEach(file -> {
                        if (ImageFile.isNamed(file)) {
                            images.add(file);
                        } else {
                            strays.add(name(file));
                        }
                    });
        }
        if (images.isEmpty()) {
            throw new DataException(
                    subfolder + " has no images (.png, .jpg, .jpeg, .gif, .bmp), and is a class by its place");
        }
        classes.add(new Category(List.copyOf(images)));
    }

    private String name(Path file) {
        return folder.relativize(file).toString().replace('\\', '/');
    }

    /** Unless images are resized, the size of each is looked at here, so that no step fails for one. */
    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        InputSpec pictures = pictures(inputs);
        for (InputSpec input : inputs) {
            if (!input.equals(pictures) && !isLabel(input)) {
                throw new DataException(folder + " has images and their classes, nothing for the input " + input);
            }
            if (isLabel(input)
                    && input.range(0).isKnown()
                    && classes.size() > input.range(0).bound()) {
                throw new DataException(folder + " has " + classes.size() + " classes, and labels for the input "
                        + input + " must lie below " + input.range(0).bound());
            }
        }
        int channels = extent(pictures, 1);
        if (channels != 1 && channels != 3) {
            throw new DataException("images have 1 channel or 3, and the input " + pictures + " has " + channels);
        }
        transform.check(pictures, channels);
        if (!transform.resizes()) {
            checkSizes(pictures);
        }
        return new Images(taken(share), transform);
    }

    private InputSpec pictures(List<InputSpec> inputs) {
        List<InputSpec> found = inputs.stream()
                .filter(input -> input.dtype().isFloat() && input.shape().size() == 4)
                .toList();
        if (found.size() != 1) {
            throw new DataException(folder + " feeds one input of floats [B, C, H, W], and the model has "
                    + (found.isEmpty() ? "none" : found));
        }
        if (inputs.stream().filter(ImageDataset::isLabel).count() > 1) {
            throw new DataException(folder + " feeds one input of integers [B], and the model has several");
        }
        return found.getFirst();
    }

    private static boolean isLabel(InputSpec input) {
        return input.dtype().isInteger() && input.shape().size() == 1;
    }

    private static int extent(InputSpec input, int axis) {
        return Math.toIntExact(input.shape().get(axis));
    }

    private static ImageFile.Size wanted(InputSpec pictures) {
        return new ImageFile.Size(extent(pictures, 2), extent(pictures, 3));
    }

    private void checkSizes(InputSpec pictures) {
        ImageFile.Size wanted = wanted(pictures);
        if (!common.equals(Optional.of(wanted))) {
            all().forEach(file -> requireSize(file, file.size(), pictures));
            common = Optional.of(wanted);
        }
    }

    private Stream<ImageFile> all() {
        return classes.stream().flatMap(each -> each.images().stream()).map(ImageFile::new);
    }

    private static void requireSize(ImageFile file, ImageFile.Size found, InputSpec pictures) {
        if (!found.equals(wanted(pictures))) {
            throw new DataException(file.path() + " is " + found + " pixels (height x width), and the input " + pictures
                    + " takes " + wanted(pictures) + "; --resize fits images to it");
        }
    }

    private List<Labelled> taken(Share share) {
        List<Labelled> taken = new ArrayList<>();
        for (int label = 0; label < classes.size(); label++) {
            List<Path> images = classes.get(label).images();
            int split = images.size() - classes.get(label).heldBack();
            List<Path> part = switch (share) {
                case ALL -> images;
                case TRAINING -> images.subList(0, split);
                case HELD_BACK -> images.subList(split, images.size());
            };
            for (int place = 0; place < part.size(); place++) {
                taken.add(new Labelled(new ImageFile(part.get(place)), label, place, part.size()));
            }
        }
        if (taken.isEmpty()) {
            throw new DataException(folder + " has one image of every class, too few to hold any back");
        }
        if (share == Share.HELD_BACK) {
            // Classes mixed by their shares, as an evaluation may look at the first batches only.
            taken.sort((a, b) -> Long.compare((2L * a.place + 1) * b.of, (2L * b.place + 1) * a.of));
        }
        return taken;
    }

    /** Files that are no images, and the classes where no input takes them. */
    @Override
    public List<String> unread(List<InputSpec> inputs) {
        List<String> unread = new ArrayList<>(strays);
        if (inputs.stream().noneMatch(ImageDataset::isLabel)) {
            unread.add("labels");
        }
        return unread;
    }

    @Override
    public SortedMap<String, String> identity() {
        List<Path> images = all().map(ImageFile::path).toList();
        Fingerprint fingerprint = new Fingerprint();
        long bytes = 0;
        int distance = Math.ceilDiv(images.size(), FILES_READ);
        try {
            for (int i = 0; i < images.size(); i++) {
                long size = Files.size(images.get(i));
                bytes += size;
                fingerprint.add(name(images.get(i))).add(String.valueOf(size));
                if (i % distance == 0) {
                    try (InputStream content = Files.newInputStream(images.get(i))) {
                        fingerprint.add(MemorySegment.ofArray(content.readNBytes(BYTES_READ)));
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        SortedMap<String, String> identity = new TreeMap<>(Map.of(
                "kind", "images",
                "classes", String.valueOf(classes.size()),
                "images", String.valueOf(images.size()),
                "bytes", String.valueOf(bytes),
                "fingerprint", fingerprint.text()));
        identity.putAll(transform.identity());
        return identity;
    }

    @Override
    public void close() {}

    private record Images(List<Labelled> images, ImageTransform transform) implements Samples {
        @Override
        public long count() {
            return images.size();
        }

        @Override
        public void copy(long sample, InputSpec input, MemorySegment target, long offset) {
            Labelled image = images.get((int) sample);
            if (isLabel(input)) {
                ElementConversion.put(image.label(), input.dtype(), target, offset);
                return;
            }
            Pixels pixels = fitted(image.image(), input);
            int plane = pixels.height() * pixels.width();
            for (int i = 0; i < pixels.values().length; i++) {
                double value = transform.apply(pixels.values()[i], i / plane);
                ElementConversion.put(
                        value,
                        input.dtype(),
                        target,
                        offset + (long) i * input.dtype().bytes());
            }
        }

        private Pixels fitted(ImageFile file, InputSpec input) {
            Pixels pixels = file.read(extent(input, 1));
            if (transform.resizes()) {
                return pixels.covering(extent(input, 2), extent(input, 3));
            }
            // It may have been replaced since all were looked at.
            requireSize(file, new ImageFile.Size(pixels.height(), pixels.width()), input);
            return pixels;
        }
    }
}
