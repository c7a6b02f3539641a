package dev.remat.runtime.io.image;

import dev.remat.runtime.io.CorruptFileException;
import java.awt.image.BufferedImage;
import java.awt.image.ColorModel;
import java.awt.image.IndexColorModel;
import java.awt.image.Raster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.FileImageInputStream;
import javax.imageio.stream.ImageInputStream;

/** A PNG, JPEG, GIF (its first frame) or BMP file. */
record ImageFile(Path path) {
    private static final List<String> FORMATS = List.of("png", "jpeg", "gif", "bmp");
    private static final Pattern NAME = Pattern.compile("(?i).*\\.(png|jpe?g|gif|bmp)");
    /** What the decoder of JPEG says where it has filled up what was missing. */
    private static final Pattern CUT_OFF = Pattern.compile("(?i).*(premature|truncated).*", Pattern.DOTALL);

    /** Shares of red, green and blue in the luminance (ITU-R BT.601). */
    private static final double[] LUMINANCE = {0.299, 0.587, 0.114};

    /** What is looked up in a file. */
    private interface Question<T> {
        T ask(ImageReader reader) throws IOException;
    }

    /** Height and width. */
    record Size(int height, int width) {
        @Override
        public String toString() {
            return height + " x " + width;
        }
    }

    /** Whether a file's name is that of an image. */
    static boolean isNamed(Path file) {
        return NAME.matcher(file.getFileName().toString()).matches();
    }

    /**
     * Reads no more than the file's head.
     *
     * @throws CorruptFileException if it is damaged or no such image
     */
    Size size() {
        return ask(reader -> new Size(reader.getHeight(0), reader.getWidth(0)));
    }

    /**
     * Decodes it. Colours become grey by their luminance, grey is three equal colours; transparency, orientation and
     * colour profile are ignored.
     *
     * @param channels 1 for grey, 3 for red, green and blue
     * @throws CorruptFileException if it is damaged or no such image
     */
    Pixels read(int channels) {
        return ask(reader -> {
            StringBuilder missing = new StringBuilder();
            reader.addIIOReadWarningListener((source, warning) -> {
                if (CUT_OFF.matcher(warning).matches()) {
                    missing.append(warning);
                }
            });
            BufferedImage image = reader.read(0);
            if (!missing.isEmpty()) {
                throw new IOException("the end of the file is missing");
            }
            return pixels(image, channels);
        });
    }

    private <T> T ask(Question<T> question) {
        try (ImageInputStream stream = new FileImageInputStream(path.toFile())) {
            ImageReader reader = reader(stream);
            try {
                reader.setInput(stream, true, true);
                return question.ask(reader);
            } finally {
                reader.dispose();
            }
        } catch (CorruptFileException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // Decoders meet some damage with an index out of bounds.
            String reason = e.getMessage() == null ? "" : ": " + e.getMessage();
            throw new CorruptFileException(path, "cannot be decoded" + reason, e);
        }
    }

    /** By content, whatever the file's name. */
    private ImageReader reader(ImageInputStream stream) throws IOException {
        Iterator<ImageReader> readers = ImageIO.getImageReaders(stream);
        while (readers.hasNext()) {
            ImageReader reader = readers.next();
            if (FORMATS.contains(reader.getFormatName().toLowerCase(Locale.ROOT))) {
                return reader;
            }
            reader.dispose();
        }
        throw new CorruptFileException(path, "is no PNG, JPEG, GIF or BMP image");
    }

    private static Pixels pixels(BufferedImage image, int channels) {
        int height = image.getHeight();
        int width = image.getWidth();
        float[] values = new float[channels * height * width];
        double[] colour = new double[3];
        Row row = new Row(image);
        for (int y = 0; y < height; y++) {
            row.read(y);
            for (int x = 0; x < width; x++) {
                row.colour(x, colour);
                int at = y * width + x;
                if (channels == 1) {
                    values[at] = (float) luminance(colour);
                } else {
                    for (int channel = 0; channel < channels; channel++) {
                        values[channel * height * width + at] = (float) colour[channel];
                    }
                }
            }
        }
        return new Pixels(channels, height, width, values);
    }

    private static double luminance(double[] colour) {
        // Grey stays what it is, to the bit.
        return colour[0] == colour[1] && colour[1] == colour[2]
                ? colour[0]
                : LUMINANCE[0] * colour[0] + LUMINANCE[1] * colour[1] + LUMINANCE[2] * colour[2];
    }

    /** The colours of a row as they are stored: an image's own conversion takes grey for linear and brightens it. */
    private static final class Row {
        private final Raster raster;
        private final ColorModel model;
        private final int bands;
        private int[] samples;

        private Row(BufferedImage image) {
            this.raster = image.getRaster();
            this.model = image.getColorModel();
            this.bands = raster.getNumBands();
        }

        private void read(int y) {
            samples = raster.getPixels(0, y, raster.getWidth(), 1, samples);
        }

        private void colour(int x, double[] colour) {
            if (model instanceof IndexColorModel palette) {
                int index = samples[x];
                colour[0] = palette.getRed(index) / 255.0;
                colour[1] = palette.getGreen(index) / 255.0;
                colour[2] = palette.getBlue(index) / 255.0;
                return;
            }
            for (int channel = 0; channel < colour.length; channel++) {
                int band = model.getNumColorComponents() == 1 ? 0 : channel;
                double largest = (1L << model.getComponentSize(band)) - 1;
                colour[channel] = samples[x * bands + band] / largest;
            }
        }
    }
}
