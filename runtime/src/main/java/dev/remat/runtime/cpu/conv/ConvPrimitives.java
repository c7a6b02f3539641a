package dev.remat.runtime.cpu.conv;

import dev.remat.runtime.cpu.conv.ConvPrimitive.Pass;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** oneDNN's convolutions that one executable uses, each made once for all steps of its shape. */
public final class ConvPrimitives implements FindPrimitive, AutoCloseable {
    private record Key(ConvShape shape, Pass pass) {}

    private final int threads;
    private final Map<Key, Optional<ConvPrimitive>> made = new LinkedHashMap<>();

    /** For primitives that up to {@code threads} threads run. */
    public ConvPrimitives(int threads) {
        this.threads = threads;
    }

    /** Empty where our own kernel over products has to do. */
    @Override
    public Optional<ConvPrimitive> find(ConvShape shape, Pass pass) {
        return made.computeIfAbsent(new Key(shape, pass), key -> make(shape, pass));
    }

    private Optional<ConvPrimitive> make(ConvShape shape, Pass pass) {
        if (!BlockedConv.suits(shape)) {
            return Optional.empty();
        }
        Optional<ConvPrimitive> primitive =
                ConvPrimitive.of(shape, pass, BlockedConv.images(shape), BlockedConv.SCRATCH_BYTES);
        if (primitive.isPresent() && !BlockedConv.fits(shape, primitive.get())) {
            primitive.get().close();
            return Optional.empty();
        }
        primitive.ifPresent(own -> own.prepare(threads));
        return primitive;
    }

    @Override
    public void close() {
        made.values().forEach(primitive -> primitive.ifPresent(ConvPrimitive::close));
    }
}
