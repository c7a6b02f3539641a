package dev.remat.runtime.cuda;

import java.lang.foreign.MemorySegment;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.javacpp.PointerPointer;

/** Memory of the foreign-memory API as JavaCPP takes it; whoever passes it on keeps it alive. */
final class NativeAddress extends Pointer {
    private NativeAddress(MemorySegment segment) {
        address = segment.address();
        limit = segment.byteSize();
        capacity = segment.byteSize();
    }

    static Pointer of(MemorySegment segment) {
        return new NativeAddress(segment);
    }

    /** The same, of addresses. */
    static PointerPointer<Pointer> ofPointers(MemorySegment segment) {
        return new PointerPointer<>(new NativeAddress(segment));
    }
}
